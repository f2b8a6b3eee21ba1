// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import OpenCodeFamilies
import Projects
import Supervisors
import Systemd
import TemporaryHomes
import Testing

@Suite struct InstanceRecordTests {
    private static let whole = InstanceRecord(
        project: .alpha, run: "c0ffee", process: ProcessIdentity(number: 4321, startTime: 987_654), boot: "a-boot",
        address: .loopback(4096), credentials: InstanceCredentials(username: "me", password: "correct horse"),
        environmentDigest: "0123", folder: FolderIdentity(device: 7, inode: 9),
        memory: InstanceMemory(family: .two, restarts: 3, lastError: "It ended.\nboom"))

    @Test func `a record keeps the IP address of its server and rejects a host name`() throws {
        let ip = try #require(IPAddress("fd00::7"))
        let record = InstanceRecord(
            project: .alpha, run: "a", address: InstanceAddress(ip: ip, port: 4096), credentials: nil,
            environmentDigest: nil)

        #expect(record.text.contains("port=4096\nhost=fd00::7\n"))
        #expect(InstanceRecord(text: record.text) == record)
        #expect(InstanceRecord(text: record.text.replacing("fd00::7", with: "example.com")) == nil)
    }

    @Test func `a record is written as lines of names and values`() {
        #expect(
            Self.whole.text == """
                viberemote-instance 1
                project=alpha
                run=c0ffee
                process=4321
                start=987654
                boot=a-boot
                port=4096
                username=me
                password=correct horse
                environment=0123
                folder=7-9
                api=2
                restarts=3
                last-error=It ended.\\nboom

                """)
    }

    @Test func `an unknown value has no line in the record`() {
        let record = InstanceRecord(
            project: .alpha, run: "c0ffee", boot: "", credentials: nil, environmentDigest: nil)

        #expect(record.text == "viberemote-instance 1\nproject=alpha\nrun=c0ffee\nboot=\n")
        #expect(InstanceRecord(text: record.text) == record)
    }

    @Test(arguments: [
        "plain", "", "a=b", "back\\slash", "\\n", "two\nlines", "\n", "\r\n", "carriage\rreturn", "e\u{301}", " space ",
    ])
    func `each text value of a record survives a round trip`(value: String) throws {
        var record = Self.whole
        record.credentials = InstanceCredentials(username: value, password: value)
        record.environmentDigest = value
        let back = try #require(InstanceRecord(text: record.text))

        #expect(back.credentials.map { Array($0.password.utf8) } == Array(value.utf8))
        #expect(back.credentials.map { Array($0.username.utf8) } == Array(value.utf8))
        #expect(back == record)
    }

    @Test func `an ignored user name is kept across a restart of the gateway`() throws {
        var record = Self.whole
        record.credentials = InstanceCredentials(password: "correct horse", configuresOtherUser: true)

        let back = try #require(InstanceRecord(text: record.text))

        #expect(back.credentials?.configuresOtherUser == true)
        #expect(back.credentials?.username == "opencode")
    }

    @Test func `a password for OpenCode 2 only is marked as such after a round trip`() throws {
        var record = Self.whole
        record.credentials = InstanceCredentials(password: "correct horse", isForTwoOnly: true)

        #expect(record.text.contains("\npassword-of=2\n"))
        #expect(try #require(InstanceRecord(text: record.text)) == record)
    }

    @Test(arguments: ["api=3", "api=", "restarts=-1", "restarts=many", "restarts=9223372036854775807", "password-of=1"])
    func `each out-of-range value makes a record invalid`(line: String) {
        let name = line.prefix { $0 != "=" } + "="
        let lines = Self.whole.text.split(separator: "\n").filter { !$0.hasPrefix(name) } + [line[...]]

        #expect(InstanceRecord(text: lines.map { $0 + "\n" }.joined()) == nil)
    }

    @Test(arguments: ["a b", "my.app", "gr\u{fc}n", "-", "=", "\\n", "*?[$%", String(repeating: "x", count: 255)])
    func `each project name survives a round trip`(name: String) throws {
        var record = Self.whole
        record.project = try #require(ProjectName(name))

        #expect(InstanceRecord(text: record.text) == record)
    }

    @Test func `unknown lines of a record are ignored, and its lines may be in any order`() {
        #expect(InstanceRecord(text: Self.whole.text + "colour=blue\n") == Self.whole)

        let reversed = Self.whole.text.split(separator: "\n").dropFirst().reversed().joined(separator: "\n")

        #expect(InstanceRecord(text: "viberemote-instance 1\n" + reversed + "\n") == Self.whole)
    }

    @Test(arguments: [
        ("", ""), ("viberemote-instance 1", "viberemote-instance 2"), ("project=alpha\n", ""),
        ("project=alpha", "project=.."), ("project=alpha", "project=a/b"), ("run=c0ffee\n", ""),
        ("run=c0ffee", "run="), ("boot=a-boot\n", ""), ("process=4321", "process=0"), ("process=4321", "process=1"),
        ("process=4321", "process=-4321"), ("process=4321", "process=99999999999"), ("process=4321\n", ""),
        ("start=987654\n", ""), ("start=987654", "start=x"), ("port=4096", "port=0"), ("port=4096", "port=65536"),
        ("username=me\n", ""), ("password=correct horse\n", ""), ("horse", "\\"), ("horse", "\\x"),
        ("run=c0ffee", "run=c0ffee\nrun=c0ffee"), ("port=4096", "port"), ("folder=7-9\n", "folder=7-9"),
        ("folder=7-9", "folder=7"), ("folder=7-9", "folder=7--9"), ("folder=7-9", "folder=x-9"),
    ])
    func `each incomplete or malformed record is rejected`(part: String, replacement: String) {
        let text = part.isEmpty ? "" : Self.whole.text.replacing(part, with: replacement, maxReplacements: 1)

        #expect(text != Self.whole.text)
        #expect(InstanceRecord(text: text) == nil, "\(text)")
    }

    @Test func `no printed form of a record contains the password`() {
        var dumped = ""
        dump(Self.whole, to: &dumped)
        for text in ["\(Self.whole)", String(reflecting: Self.whole), dumped, "\([Self.whole])"] {
            #expect(!text.contains("correct"), "\(text)")
        }
    }

    @Test func `a record of another boot is distinguished from records of this boot`() {
        #expect(!Self.whole.isOfThisBoot)
        #expect(InstanceRecord(project: .alpha, run: "x", credentials: nil, environmentDigest: nil).isOfThisBoot)
    }
}
