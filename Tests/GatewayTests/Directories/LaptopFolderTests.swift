// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the first directory that OpenCode 2's programs name, which is their working folder on the user's laptop.
@Suite(.onTestThreads) struct LaptopFolderTests {
    private static let paths = ["/api/location", "/api/fs/list"]
    private static let folders = [
        "%2Fhome%2Fanna%2Fdemo", "/home/anna/demo", "C%3A%5CUsers%5Canna", "%5C%5Chost%5Cshare", "~", "/",
    ]

    @Test(arguments: paths)
    func `the first request of an OpenCode 2 program is forwarded without its laptop's directory`(path: String) throws {
        let fixture = try DirectoryFixture()
        for folder in Self.folders {
            for name in ["location%5Bdirectory%5D", "location[directory]", "directory"] {
                #expect(try fixture.target("GET", "\(path)?\(name)=\(folder)") == path, "\(name)=\(folder)")
                #expect(
                    try fixture.target("GET", "\(path)?path=src&\(name)=\(folder)&type=file")
                        == "\(path)?path=src&type=file")
            }
            let answer = try fixture.request(
                "GET", "\(path)?x=y", headers: [("x-opencode-directory", folder), ("X-Other", "z")])
            #expect(answer.status == 200)
            let received = try #require(fixture.instance.forwarded.values.last)
            #expect(received.target == "\(path)?x=y")
            #expect(received.values(of: "x-opencode-directory") == [])
            #expect(received.values(of: "X-Other") == ["z"])
        }

        // The gateway did not ask the instance whether such a folder exists.
        #expect(fixture.instance.queries.values == [])
    }

    @Test(arguments: paths)
    func `a directory inside the project is forwarded unchanged`(path: String) throws {
        let fixture = try DirectoryFixture()

        for target in [path, "\(path)?location[directory]=\(fixture.folder)/src", "\(path)?location%5Bdirectory%5D="] {
            let answer = try fixture.request("GET", target, headers: [("x-opencode-directory", fixture.folder)])
            #expect(answer.text == target)
            #expect(fixture.instance.forwarded.values.last?.values(of: "x-opencode-directory") == [fixture.folder])
        }
    }

    @Test func `any other request that names a laptop's directory is rejected with 403`() throws {
        let fixture = try DirectoryFixture()
        let query = "location%5Bdirectory%5D=%2Fhome%2Fanna%2Fdemo"
        for (method, path) in [
            ("HEAD", "/api/location"), ("POST", "/api/location"), ("GET", "/api/location/"), ("GET", "//api/location"),
            ("GET", "/api/%6cocation"), ("GET", "/api/Location"), ("GET", "/api/fs/list/x"), ("GET", "/api/fs/find"),
            ("GET", "/api/agent"), ("GET", "/api/session"), ("POST", "/api/location/reload"), ("GET", "/api/model"),
            ("GET", "/api/location;x"),
        ] {
            #expect(try fixture.request(method, "\(path)?\(query)").status == 403, "\(method) \(path)")
            let field = [("x-opencode-directory", "/home/anna/demo")]
            #expect(try fixture.request(method, path, headers: field).status == 403, "\(method) \(path)")
        }

        #expect(fixture.instance.forwarded.count == 0)
    }

    @Test func `several directory fields are removed together`() throws {
        let fixture = try DirectoryFixture()
        let fields = [("x-opencode-directory", fixture.folder), ("X-OpenCode-Directory", "/home/anna/demo")]

        #expect(try fixture.request("GET", "/api/location", headers: fields).text == "/api/location")
        #expect(fixture.instance.forwarded.values.last?.values(of: "x-opencode-directory") == [])
    }

    @Test(arguments: ["C%3A%5CUsers%5Canna%5Cdemo", "%5C%5Chost%5Cdemo", "c:/Users/anna"])
    func `a Windows path is outside the project`(folder: String) throws {
        let fixture = try DirectoryFixture()

        #expect(try fixture.request("GET", "/api/agent?location%5Bdirectory%5D=\(folder)").status == 403)
        #expect(try fixture.request("GET", "/session?directory=\(folder)").status == 403)
        #expect(try fixture.request("GET", "/session", headers: [("x-opencode-directory", folder)]).status == 403)
        #expect(fixture.instance.forwarded.count == 0)
    }
}
