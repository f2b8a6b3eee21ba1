// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the first upgrade request of a run. OpenCode 1.18.34 never responds to an upgrade for a missing terminal if
/// this is the first request about the project. Therefore the gateway first makes OpenCode open the project's folder.
@Suite(.onTestThreads) struct FirstUpgradeTests {
    private static let upgrade = TestConnection.webSocketUpgrade

    /// Starts an instance that connects every terminal. `path` is the handler of `GET /path`.
    private static func instance(
        path: @escaping @Sendable (TestConnection) throws -> Void = { try $0.respond(200, text: "{}") }
    ) throws -> FakeOpenCode.Server {
        try FakeOpenCode().query("/path", nil)
            .route("GET /path") { connection, _ in try path(connection) }
            .webSocket("GET /pty/*/connect")
            .start { connection, _ in try connection.respond(200, text: "{}") }
    }

    /// Connects to a terminal and returns the status of the response.
    private static func connect(_ gateway: GatewayUnderTest, _ terminal: String) throws -> Int {
        let connection = try gateway.connect()
        defer { connection.close() }
        try connection.send(
            "GET", "/projects/demo/api/pty/\(terminal)/connect", headers: [GatewayUnderTest.authorization] + upgrade)
        return try ResponseReader(connection).readHead(within: .seconds(30)).status
    }

    @Test(arguments: OpenCodeVersion.all)
    func `the first request of a run is answered even if its terminal is missing`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)

        #expect(try app.startOpenCode().status == 200)

        let status = try Self.connect(app.gateway, "pty_1fc025c04001eJadNIbjm5VNK0")

        #expect(status == app.profile.refusals.noUpgrade.status)
    }

    @Test func `the directory is opened once in each run and before the first upgrade`() throws {
        let instance = try Self.instance()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        #expect(try Self.connect(gateway, "1") == 101)
        #expect(try Self.connect(gateway, "2") == 101)
        #expect(try Self.connect(gateway, "3") == 101)
        #expect(try gateway.request("DELETE", "/projects/demo/stop").status == 200)
        #expect(try gateway.request("POST", "/projects/demo/start").status == 200)
        #expect(try Self.connect(gateway, "4") == 101)

        let connects = (1...4).map { "/pty/\($0)/connect" }

        #expect(instance.requests.values.map(\.target) == ["/path"] + connects[..<3] + ["/path"] + connects[3...])
        #expect(instance.requests.values.first?.value(of: "Authorization")?.hasPrefix("Basic ") == true)
    }

    /// The kernel distributes the connections to both loops.
    @Test func `the directory is opened once for the upgrades of all loops`() throws {
        let isOpen = Latch("the folder is open")
        let instance = try Self.instance {
            try isOpen.wait(within: .seconds(30))
            try $0.respond(200, text: "{}")
        }
        let gateway = try GatewayUnderTest(environment: ["VIBE_THREADS": "2"])
        try gateway.start(instance)

        let connections = try (1...12).map { terminal in
            let connection = try gateway.connect()
            try connection.send(
                "GET", "/projects/demo/api/pty/\(terminal)/connect",
                headers: [GatewayUnderTest.authorization] + Self.upgrade)
            return connection
        }
        try instance.requests.wait("the request") { $0.contains { $0.target == "/path" } }
        // A second request for the folder would arrive during this time.
        #expect(try connections[0].staysSilent(for: .milliseconds(200)))

        isOpen.open()

        for connection in connections {
            #expect(try ResponseReader(connection).readHead(within: .seconds(30)).status == 101)
            connection.close()
        }
        #expect(instance.requests.values.count { $0.target == "/path" } == 1)
    }

    @Test func `a run that has responded to a request receives no query before an upgrade`() throws {
        let instance = try Self.instance()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        #expect(try gateway.request("GET", "/projects/demo/api/session").status == 200)
        #expect(try Self.connect(gateway, "1") == 101)
        #expect(try Self.connect(gateway, "2") == 101)
        #expect(instance.requests.values.map(\.target) == ["/session", "/pty/1/connect", "/pty/2/connect"])
    }

    @Test func `an instance that does not open its directory still receives the upgrade`() throws {
        let instance = try Self.instance { try $0.waitForEnd(within: .seconds(60)) }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        #expect(try Self.connect(gateway, "1") == 101)
        #expect(try Self.connect(gateway, "2") == 101)
        #expect(instance.requests.values.map(\.target) == ["/path", "/pty/1/connect", "/pty/2/connect"])
    }
}
