// SPDX-License-Identifier: Apache-2.0

import Glibc
import Systemd
import TestKit
import Testing

@Suite struct ProcessTableTests {
    private static let leader = ProcessIdentity(number: 100, startTime: 100)

    /// Returns a process whose start time is equal to its number.
    private func entry(
        _ number: Int32, parent: Int32 = 2, group: Int32? = nil, session: Int32? = nil, state: String = "S",
        mark: String? = nil
    ) throws -> ProcessTable.Entry {
        let (group, session) = (group ?? number, session ?? number)
        let line = "\(number) (x) \(state) \(parent) \(group) \(session) 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 \(number)"
        return ProcessTable.Entry(status: try #require(ProcessStatus(Array(line.utf8))), marker: mark)
    }

    private func members(_ entries: [ProcessTable.Entry], leader: ProcessIdentity? = leader) -> [Int32] {
        ProcessTable(entries).members(withMarker: "run", leader: leader).map(\.identity.number).sorted()
    }

    @Test func `the leader, its process group and its session are members of a run`() throws {
        let entries = try [
            entry(100), entry(101, parent: 1, group: 100, session: 7), entry(102, parent: 1, session: 100), entry(103),
        ]

        #expect(members(entries) == [100, 101, 102])
    }

    @Test func `a process with the run's mark is a member in any process group and session`() throws {
        let entries = try [entry(100), entry(200, parent: 1, mark: "run"), entry(201, parent: 1, mark: "other")]

        #expect(members(entries) == [100, 200])
        #expect(members(entries, leader: nil) == [200])
    }

    @Test func `the descendants of members are members at any depth`() throws {
        let entries = try [
            entry(302, parent: 301), entry(301, parent: 300), entry(300, parent: 200), entry(200, mark: "run"),
            entry(400, parent: 100), entry(100),
        ]

        #expect(members(entries) == [100, 200, 300, 301, 302, 400])
    }

    @Test func `a process that is known as a member remains a member with its children`() throws {
        let table = ProcessTable(try [entry(200, parent: 1), entry(201, parent: 200), entry(202, parent: 1)])
        let known: Set = [ProcessIdentity(number: 200, startTime: 200), ProcessIdentity(number: 202, startTime: 7)]
        let members = table.members(withMarker: "run", leader: nil, known: known)

        #expect(members.map(\.identity.number).sorted() == [200, 201])
    }

    @Test func `a leader that has ended is not a member, but its session is`() throws {
        let entries = try [entry(100, state: "Z", mark: "run"), entry(101, parent: 1, session: 100)]

        #expect(members(entries) == [101])
    }

    @Test func `a session number does not prove membership if the leader is unknown`() throws {
        let entries = try [entry(100), entry(101, session: 100)]

        #expect(members(entries, leader: nil).isEmpty)
    }

    @Test func `process 1 and the calling process are never members`() throws {
        #expect(try members([entry(1, mark: "run"), entry(getpid(), mark: "run")]).isEmpty)
    }

    @Test func `the earliest live process of each mark is its first`() throws {
        let table = ProcessTable(
            try [
                entry(202, parent: 1, mark: "run"), entry(200, mark: "run"), entry(201, parent: 200, mark: "run"),
                entry(150, state: "Z", mark: "run"), entry(300, mark: "other"), entry(100),
                entry(getpid(), mark: "own"),
            ])

        #expect(table.beginnings.mapValues(\.identity.number) == ["run": 200, "other": 300])
    }

    /// Start times have a resolution of a hundredth of a second, and process numbers are reused.
    @Test func `the parent is the first of two processes with the same start time`() throws {
        let line = { (number: Int32, parent: Int32) in
            "\(number) (x) S \(parent) 1 1" + String(repeating: " 0", count: 15) + " 500"
        }

        for numbers in [(parent: Int32(40_000), child: Int32(300)), (parent: 300, child: 301)] {
            let entries = try [line(numbers.child, numbers.parent), line(numbers.parent, 1)].map {
                ProcessTable.Entry(status: try #require(ProcessStatus(Array($0.utf8))), marker: "run")
            }
            for entries in [entries, entries.reversed()] {
                #expect(ProcessTable(entries).beginnings["run"]?.identity.number == numbers.parent)
            }
        }
    }

    @Test func `the working directory and the variables of a process can be read`() throws {
        let folder = try TemporaryDirectory()
        let child = try TestProcess(
            "/bin/sh", ["-c", "cd \"$1\"; echo ready; exec sleep 1000", "sh", folder.path],
            environment: ["TABLE_TEST": "a=b"])
        try child.waitForLine { $0 == "ready" }
        var status = stat()

        #expect(stat(folder.path, &status) == 0)

        let found = try #require(ProcessTable.workingFolder(of: child.pid))

        #expect(found.path == folder.path)
        #expect(found.inode == UInt64(status.st_ino))
        #expect(rmdir(folder.path) == 0)

        let deleted = try #require(ProcessTable.workingFolder(of: child.pid))

        #expect(deleted.path == folder.path + " (deleted)")
        #expect(deleted.inode == found.inode)
        #expect(ProcessTable.variable("TABLE_TEST", of: child.pid) == "a=b")
        #expect(ProcessTable.variable("TABLE", of: child.pid) == nil)
        #expect(ProcessTable.controlGroups(of: child.pid)?.isEmpty == false)

        child.terminate(SIGKILL)
        try child.waitForExit()

        #expect(ProcessTable.workingFolder(of: child.pid) == nil)
    }

    /// During execve(2), a process appears to have no variables.
    @Test func `the variables of a process can be read at any time during execve`() throws {
        let child = try TestProcess(
            "/bin/sh", ["-c", "echo ready; exec /bin/sh -c \"$AGAIN\""],
            environment: ["AGAIN": "exec /bin/sh -c \"$AGAIN\"", "TABLE_TEST": "here"])
        try child.waitForLine { $0 == "ready" }

        for _ in 0..<3_000 { #expect(ProcessTable.variable("TABLE_TEST", of: child.pid) == "here") }

        child.terminate(SIGKILL)
        try child.waitForExit()
    }

    @Test func `reading a process without variables does not wait`() throws {
        let child = try TestProcess("/bin/sh", ["-c", "exec env -i sleep 1000"], environment: [:])
        let start = ContinuousClock.now

        #expect(ProcessTable.variable("TABLE_TEST", of: child.pid) == nil)
        #expect(start.duration(to: .now) < .seconds(5))

        child.terminate(SIGKILL)
        try child.waitForExit()
    }

    @Test func `the process table contains the mark and the parent of each process`() throws {
        let child = try TestProcess(
            "/bin/sh", ["-c", "sleep 1000 & echo ready; wait"], environment: ["TABLE_TEST_MARK": "run 7"])
        try child.waitForLine { $0 == "ready" }
        let table = ProcessTable.snapshot(marker: "TABLE_TEST_MARK")
        let parent = try #require(table.entries.first { $0.status.identity.number == child.pid })

        #expect(parent.marker == "run 7")
        #expect(parent.status.parent == getpid())
        #expect(parent.status == ProcessTable.status(of: child.pid))

        let members = table.members(withMarker: "run 7", leader: nil)

        #expect(members.contains { $0.parent == child.pid })
        #expect(members.count == 2)
        #expect(table.entries.first { $0.status.identity.number == getpid() }?.marker == nil)

        for member in members { kill(member.identity.number, SIGKILL) }
        try child.waitForExit()

        #expect(ProcessTable.status(of: child.pid) == nil)
    }

    @Test func `the age of a process follows from its start time`() throws {
        let own = try #require(ProcessTable.status(of: getpid()))

        #expect(own.parent == getppid())

        let age = Machine.age(ofStart: own.identity.startTime)

        #expect(age > .zero)
        #expect(age < .seconds(3600))
        #expect(Machine.age(ofStart: 0) >= age)
    }

    @Test func `the identifier of the boot has 36 characters`() {
        #expect(Machine.bootIdentifier.count == 36)
    }
}
