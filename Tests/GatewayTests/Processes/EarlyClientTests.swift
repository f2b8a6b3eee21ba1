// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests clients that connect while the gateway starts. They wait until it knows the projects and the running
/// instances. They receive no wrong response, and none of their requests starts a second server for a folder.
@Suite(.onTestThreads) struct EarlyClientTests {
    private let home: TemporaryDirectory
    private let runtime: TemporaryDirectory
    private let opencode: String

    init() throws {
        home = try TemporaryDirectory()
        runtime = try TemporaryDirectory()
        opencode = try runtime.write(
            "#!/bin/sh\necho $$ >>../servers\nexec '\(try BuiltProducts.path("opencode-simulator"))' \"$@\"\n",
            to: "opencode", mode: 0o755)
        for project in ["demo", "idle"] { _ = try home.makeDirectory(project) }
    }

    private func gateway(_ socket: SharedSocket, waits: Bool = true) throws -> TestProcess {
        try socket.startGateway(
            home: home.path, flags: ["--opencode", opencode],
            environment: ["HOME": home.path, "XDG_RUNTIME_DIR": runtime.path, "VIBE_CONFIG": "none"], waits: waits)
    }

    private func stopGateway(_ gateway: TestProcess) throws {
        gateway.terminate()
        #expect(try gateway.waitForExit(within: .seconds(20)) == .exited(0))
    }

    /// Sends a request before any gateway accepts it.
    private func sendRequest(_ socket: SharedSocket, _ method: String, _ target: String) throws -> TestConnection {
        let connection = try TestClient.connect(port: socket.port)
        try connection.send(method, target, headers: [GatewayUnderTest.authorization])
        return connection
    }

    private func answer(_ connection: TestConnection) throws -> TestResponse {
        try ResponseReader(connection).readAll()
    }

    @Test func `a client that connects before the gateway starts receives a complete answer`() throws {
        let socket = try SharedSocket()
        let status = try sendRequest(socket, "GET", "/projects/idle/status")
        let list = try sendRequest(socket, "GET", "/projects")
        let stop = try sendRequest(socket, "DELETE", "/projects/demo/stop")
        let gateway = try gateway(socket)

        #expect(try answer(status).status == 200)

        let projects = try answer(list).text

        #expect(projects.contains(#""name":"demo""#), "\(projects)")
        #expect(projects.contains(#""name":"idle""#), "\(projects)")
        #expect(try answer(stop).status == 200)

        try stopGateway(gateway)
    }

    @Test func `running instances are known before the first request is answered`() throws {
        let socket = try SharedSocket()
        let first = try gateway(socket)

        #expect(try answer(try sendRequest(socket, "POST", "/projects/demo/start")).status == 200)

        first.terminate(SIGKILL)
        try first.waitForExit()
        let starts = try (0..<20).map { _ in try sendRequest(socket, "POST", "/projects/demo/start") }
        let request = try sendRequest(socket, "GET", "/projects/demo/api/session")
        let second = try gateway(socket)
        for start in starts {
            let answer = try answer(start)
            #expect(answer.text.contains(#""status":"already_running""#), "\(answer.text)")
        }

        // The request has the instance's port and password, so no client is asked to start a running instance.
        #expect(try answer(request).status == 200)
        #expect(try FileTree.contents("\(home.path)/servers").count { $0 == UInt8(ascii: "\n") } == 1)

        try stopGateway(second)
    }

    /// The service manager accepts the connection and never replies.
    @Test func `an unresponsive service manager does not block the gateway`() throws {
        _ = try runtime.makeDirectory("systemd")
        let manager = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(manager) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(runtime.path)/systemd/private".utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(manager, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) | listen(manager, 8)
            }
        }

        #expect(result == 0)

        let gateway = try GatewayUnderTest(
            environment: ["VIBE_SUPERVISOR": "systemd", "XDG_RUNTIME_DIR": runtime.path])
        try gateway.makeProject("demo")
        let status = try gateway.request("GET", "/projects/demo/status")

        #expect(status.status == 200)
        #expect(status.text.contains("does not respond: no response within 3 s."), "\(status.text)")
        #expect(try gateway.request("POST", "/projects/demo/start").status == 500)

        try gateway.terminate()
    }

    @Test func `a gateway whose home directory is in use accepts no connection`() throws {
        let socket = try SharedSocket()
        let other = try SharedSocket()
        let first = try gateway(socket)
        let waiting = try sendRequest(other, "GET", "/projects/idle/status")
        let second = try gateway(other, waits: false)

        #expect(try second.waitForExit(within: .seconds(20)) == .exited(1))
        #expect(second.lines(of: .error).last?.contains("another gateway (process \(first.pid))") == true)
        #expect(!second.lines(of: .error).contains { $0.contains("the gateway listens") })
        #expect(second.lines(of: .output).isEmpty)

        try stopGateway(first)
        // A client that has connected still waits for a gateway that may serve it.
        let third = try gateway(other)

        #expect(try answer(waiting).status == 200)

        try stopGateway(third)
    }
}
