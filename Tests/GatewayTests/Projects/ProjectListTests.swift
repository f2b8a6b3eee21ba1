// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the relation between `GET /projects` and the disk.
@Suite(.onTestThreads) struct ProjectListTests {
    private func names(_ gateway: GatewayUnderTest) throws -> [String] {
        let answer = try gateway.request("GET", "/projects")
        let list = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [[String: Any]])
        return list.compactMap { $0["name"] as? String }
    }

    @Test func `a new, renamed or removed project folder is reflected in the list within a second`() throws {
        let gateway = try GatewayUnderTest()
        let home = gateway.home.path
        try gateway.makeProject("first")
        // A change made before the request is already in the response. The promised delay is one second.
        let steps: [(String, () throws -> Void, [String])] = [
            ("made", { try gateway.makeProject("second") }, ["first", "second"]),
            ("renamed", { rename("\(home)/first", "\(home)/third") }, ["second", "third"]),
            ("removed", { rmdir("\(home)/second") }, ["third"]),
            ("hidden", { rename("\(home)/third", "\(home)/.third") }, []),
            ("moved in", { rename("\(home)/.third", "\(home)/fourth") }, ["fourth"]),
        ]

        for (what, step, expected) in steps {
            try step()
            let deadline = Deadline(after: .seconds(1))
            while try names(gateway) != expected, !deadline.hasPassed {}
            #expect(try names(gateway) == expected, "\(what)")
        }
    }

    @Test func `a project folder that disappears while its instance runs is listed as missing`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "still here") }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance, as: "demo")
        let home = gateway.home.path
        let entry =
            #"{"name":"demo","path":"\#(home)/demo","has_git":false,"has_package_json":false,"is_running":true,"#
            + #""port":\#(instance.port)"#

        #expect(try gateway.request("GET", "/projects").text == "[\(entry)}]")
        #expect(rename("\(home)/demo", "\(home)/.demo") == 0)
        #expect(try gateway.request("GET", "/projects").text == "[\(entry),\"missing\":true}]")

        let status = try gateway.request("GET", "/projects/demo/status").text

        #expect(status.hasPrefix(entry))
        #expect(status.contains(#""missing":true"#))
        #expect(try gateway.request("GET", "/projects/demo/api/x").text == "still here")
        #expect(try gateway.request("DELETE", "/projects/demo/stop").status == 200)
        #expect(try gateway.request("GET", "/projects").text == "[]")

        for (method, resource) in [("GET", "status"), ("POST", "start"), ("DELETE", "stop"), ("GET", "api/x")] {
            let answer = try gateway.request(method, "/projects/demo/\(resource)")
            #expect(answer.status == 404, "\(resource)")
            #expect(answer.text == #"{"detail":"Project not found: demo"}"#, "\(resource)")
        }
    }

    @Test func `a list request is answered with 500 while the home directory is missing`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let home = gateway.home.path

        #expect(rename(home, home + "-aside") == 0)

        let answer = try gateway.request("GET", "/projects")

        #expect(answer.status == 500)
        #expect(answer.text.hasPrefix(#"{"detail":"Failed to list projects: cannot read \#(home)"#))
        #expect(rename(home + "-aside", home) == 0)

        let deadline = Deadline(after: .seconds(5))
        while try gateway.request("GET", "/projects").status != 200, !deadline.hasPassed {}

        #expect(try names(gateway) == ["demo"])
    }

    /// The issue specifies the limit: at most 10 ms, warm, with 500 folders and 50 running instances.
    @Test func `500 projects with 50 running instances are listed within 10 ms`() throws {
        let gateway = try GatewayUnderTest()
        for number in 0..<500 { try gateway.makeProject("project-\(number)") }
        let instances = try (0..<50).map { number in
            let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
            try gateway.start(instance, as: "project-\(number * 10)")
            return instance
        }
        let client = try gateway.connect()
        var times: [Duration] = []
        // Other tests run at the same time. The limit therefore applies to the request that shared the processor least.
        // If other tests used the processor during all of the first requests, send more.
        while times.count < 100 || times.count < 2_000 && times.allSatisfy({ $0 > .milliseconds(10) }) {
            let start = ContinuousClock.now
            let answer = try client.exchange("GET", "/projects", headers: [GatewayUnderTest.authorization])
            times.append(start.duration(to: .now))
            #expect(answer.status == 200)
        }
        let answer = try client.exchange("GET", "/projects", headers: [GatewayUnderTest.authorization])
        let list = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [[String: Any]])

        #expect(list.count == 500)

        let ports = list.compactMap { $0["port"] as? Int }

        #expect(Set(ports) == Set(instances.map { Int($0.port) }))

        times.sort()
        if !Sanitizer.isActive {
            #expect(times[0] <= .milliseconds(10), "median \(times[times.count / 2]) of \(times.count)")
        }
    }
}
