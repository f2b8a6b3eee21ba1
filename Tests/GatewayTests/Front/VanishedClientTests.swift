// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests clients whose machine vanishes silently. No packet receives a reply any more, not even with a reset.
@Suite(.onTestThreads) struct VanishedClientTests {
    /// The reason why the test cannot run here; nil if it can.
    private static let obstacle: String? = {
        guard geteuid() == 0 else { return "network namespaces take root" }
        let script = "ip link add va type veth peer name vb"
        guard let run = try? TestProcess("/usr/bin/unshare", ["-n", "sh", "-c", script]),
            (try? run.waitForExit()) == .exited(0)
        else { return "no network namespace with a pair of interfaces can be made here" }
        return nil
    }()

    private static let (gatewayAddress, clientAddress) = ("10.231.77.1", "10.231.77.2")

    /// Two network namespaces, one for a gateway and one for its clients.
    private struct Networks {
        let gateway: GatewayUnderTest
        let clients: TestProcess

        init(flags: [String]) throws {
            clients = try TestProcess("/usr/bin/unshare", ["-n", "sh", "-c", "echo there; exec sleep 600"])
            try clients.waitForLine(on: .output) { $0 == "there" }
            gateway = try GatewayUnderTest(
                flags: flags, environment: ["SIMULATOR_ENDS_WITH_PARENT": "1", "VIBE_THREADS": "1"],
                opencode: try BuiltProducts.path("opencode-simulator"),
                launcher: ["/usr/bin/unshare", "-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"],
                listen: "0.0.0.0:0")
            try run("ip link add va type veth peer name vb netns \(clients.pid)", in: gateway.process.pid)
            try run("ip addr add \(gatewayAddress)/30 dev va && ip link set va up", in: gateway.process.pid)
            try run("ip addr add \(clientAddress)/30 dev vb && ip link set vb up", in: clients.pid)
        }

        private func run(_ script: String, in namespace: Int32) throws {
            let process = try TestProcess("/usr/bin/nsenter", ["-t", "\(namespace)", "-n", "sh", "-c", script])
            guard try process.waitForExit() == .exited(0) else {
                throw TestFailure("\(script): \(process.lines(of: .error))")
            }
        }

        /// Sends a request from the gateway's own machine.
        func request(_ method: String, _ target: String, body: String? = nil) throws -> TestResponse {
            let gateway = gateway
            return try NetworkNamespace(of: gateway.process.pid).run {
                try gateway.request(method, target, body: body.map { Array($0.utf8) }, within: .seconds(60))
            }
        }

        /// Opens a connection from the clients' machine.
        func connect() throws -> TestConnection {
            let port = gateway.port
            return try NetworkNamespace(of: clients.pid).run {
                try TestClient.connect(to: gatewayAddress, port: port)
            }
        }

        /// Disconnects the clients' machine from the network.
        func vanish() throws { try run("ip link set vb down", in: clients.pid) }

        /// Returns the number of connections from the clients' machine that the gateway's kernel holds.
        func connectionCount() throws -> Int {
            let table = String(
                decoding: try FileTree.contents("/proc/\(gateway.process.pid)/net/tcp"), as: UTF8.self)
            // 10.231.77.2 in the byte order of /proc/net/tcp.
            return table.split(separator: "\n").count { $0.contains(" 024DE70A:") }
        }

        /// Waits until the gateway's kernel holds none of these connections.
        func waitUntilAllGone(within limit: Duration) throws {
            let deadline = Deadline(after: limit)
            while try connectionCount() > 0 {
                guard deadline.remaining > .zero else { throw TestFailure("\(try connectionCount()) are left") }
                // Polls, because the kernel reports the end of only some of these sockets (`ss --events`,
                // sock_diag(7)).
                usleep(20_000)
            }
        }
    }

    @Test(.enabled(if: obstacle == nil, Comment(rawValue: obstacle ?? "")))
    func `terminals, streams and idle connections of a vanished client are gone after the stall limit`() throws {
        let networks = try Networks(flags: ["--stream-stall", "2s"])
        defer { networks.clients.terminate(SIGKILL) }
        try networks.gateway.makeProject("demo")

        #expect(try networks.request("POST", "/projects/demo/start").status == 200)

        let terminal = try networks.request("POST", "/projects/demo/api/pty", body: #"{"title":"shell"}"#)
        let id = try #require(terminal.json["id"]?.text, "\(terminal.text)")
        let tunnel = try networks.connect()
        try tunnel.send(
            "GET", "/projects/demo/api/pty/\(id)/connect",
            headers: [GatewayUnderTest.authorization] + TestConnection.webSocketUpgrade)

        #expect(try tunnel.readResponseHead().status == 101)

        var streams: [TestConnection] = []
        for target in ["/projects/demo/api/event", "/projects/demo/events", "/events"] {
            let stream = try networks.connect()
            try stream.send("GET", target, headers: [GatewayUnderTest.authorization])
            #expect(try stream.readResponseHead().status == 200)
            streams.append(stream)
        }
        let idle = try networks.connect()

        #expect(try idle.exchange("GET", "/health").status == 200)
        #expect(try networks.connectionCount() == 5)

        try networks.vanish()
        // Keepalive probes pause while sent data is unacknowledged. The limit on unacknowledged data applies instead.
        _ = try networks.request("POST", "/projects/demo/api/session", body: "{}")

        // The time allows for the limit, a probe one second later, and the same again for a busy machine.
        try networks.waitUntilAllGone(within: .seconds(6))
        // The gateway has also detected the loss, because it logs the terminal's line when the terminal ends.
        try networks.gateway.waitForLog(#""status":101"#)
        for connection in streams + [tunnel, idle] { connection.close() }
    }

    @Test(.enabled(if: obstacle == nil, Comment(rawValue: obstacle ?? "")))
    func `a client that is silent but reachable stays connected`() throws {
        let networks = try Networks(flags: ["--stream-stall", "1s"])
        defer { networks.clients.terminate(SIGKILL) }
        let connection = try networks.connect()

        #expect(try connection.exchange("GET", "/health").status == 200)

        #expect(try connection.staysSilent(for: .seconds(4)))

        #expect(try connection.exchange("GET", "/health").status == 200)
    }
}
