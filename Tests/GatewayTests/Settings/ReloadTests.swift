// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that SIGHUP reloads the configuration file and the key file. Keys change, and no request is interrupted.
@Suite(.onTestThreads) struct ReloadTests {
    private static let first = "the-first-key-0123456789"
    private static let second = "the-second-key-0123456789"

    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Writes the settings and keys to files, and returns the environment of a gateway that uses only these files.
    private func put(_ keys: String, config: String = "", mode: UInt32 = 0o600) throws -> [String: String] {
        let keyFile = try files.write(keys, to: "keys", mode: mode)
        let path = try files.write("VIBE_KEY_FILE=\(keyFile)\n\(config)\n", to: "config")
        return ["VIBE_AUTH_SECRET": "", "VIBE_CONFIG": path]
    }

    private func reload(_ gateway: GatewayUnderTest, until message: String = "settings reloaded") throws {
        gateway.process.terminate(SIGHUP)
        try gateway.process.waitForLine(on: .error) { $0.contains(message) }
    }

    private func status(_ gateway: GatewayUnderTest, key: String) throws -> Int {
        try TestClient.request(
            port: gateway.port, "GET", "/projects", headers: [("Authorization", "Bearer \(key)")]
        ).status
    }

    @Test func `a reload changes the keys without ending the streams of other keys`() throws {
        let ended = Latch("the stream's last event to be wanted")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: before\n\n")
            try ended.wait()
            try connection.writeChunk("data: after\n\n")
            try connection.writeLastChunk()
        }
        let environment = try put(Self.first)
        let gateway = try GatewayUnderTest(environment: environment.merging(["VIBE_THREADS": "2"]) { $1 })
        try gateway.makeProject("demo")
        _ = try gateway.home.write("\(instance.port)\n", to: "demo/upstream-port")
        let authorization = ("Authorization", "Bearer \(Self.first)")
        let start = try TestClient.request(
            port: gateway.port, "POST", "/projects/demo/start", headers: [authorization])

        #expect(start.status == 200)

        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/event", headers: [authorization])
        let stream = EventStreamReader(connection)

        #expect(try stream.next() == "before")
        #expect(try status(gateway, key: Self.second) == 401)

        _ = try put("# both for a while\n\(Self.first)\n\(Self.second)\n")
        try reload(gateway)
        // Any of the loops may accept the next connection.
        for key in [Self.first, Self.second, Self.first, Self.second] { #expect(try status(gateway, key: key) == 200) }
        let second = try gateway.connect()
        try second.send(
            "GET", "/projects/demo/api/event", headers: [("Authorization", "Bearer \(Self.second)")])
        let kept = EventStreamReader(second)

        #expect(try kept.next() == "before")

        _ = try put("\(Self.second)\n")
        gateway.process.terminate(SIGHUP)
        try gateway.process.output.wait("the second reload") { lines in
            lines.count { $0.text.contains("settings reloaded") } == 2
        }
        for _ in 0..<4 {
            #expect(try status(gateway, key: Self.first) == 401)
            #expect(try status(gateway, key: Self.second) == 200)
        }

        // The stream of the removed key ends abnormally. The other stream continues.
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .truncated)

        ended.open()

        #expect(try kept.next() == "after")
        #expect(try kept.next() == nil)
        #expect(kept.response.ending == .complete)
        #expect(try gateway.terminate() == .exited(0))
    }

    @Test func `a reload changes limits and the access log`() throws {
        let gateway = try GatewayUnderTest(environment: try put(Self.first))
        let changed = "VIBE_ACCESS_LOG=off\nVIBE_HEAD_TIMEOUT=2s\nVIBE_STOP_TIMEOUT=1s\nVIBE_THREADS=1"
        _ = try put(Self.first, config: changed)
        try reload(gateway)
        // The environment sets the number of threads and overrides the file.
        try gateway.process.waitForLine(on: .error) {
            $0.contains("changed settings require a restart") && $0.contains("--stop-timeout")
                && !$0.contains("--threads")
        }
        let connection = try gateway.connect()
        try connection.write("GET /health HTTP/1.1\r\n")

        #expect(try connection.readRawAnswer(within: .seconds(10)).statuses == [408])
        #expect(try status(gateway, key: Self.first) == 200)
        #expect(try gateway.terminate() == .exited(0))
        #expect(!gateway.log.contains { $0.contains("/projects") })
    }

    @Test(
        arguments: [
            ("VIBE_ACCESS_LOG=maybe", 0o600, "is not a known choice"), ("VIBE_ACCES_LOG=off", 0o600, "did you mean"),
            ("", 0o644, "chmod 600"),
        ] as [(String, UInt32, String)])
    func `a reload of an invalid setting or key file changes nothing`(config: String, mode: UInt32, reason: String)
        throws
    {
        let gateway = try GatewayUnderTest(environment: try put(Self.first))
        _ = try put(Self.second, config: config, mode: mode)
        gateway.process.terminate(SIGHUP)
        let line = try gateway.process.waitForLine(on: .error) { $0.contains("cannot reload the settings") }

        #expect(line.contains(reason))
        #expect(!line.contains(Self.second))
        #expect(try status(gateway, key: Self.first) == 200)
        #expect(try status(gateway, key: Self.second) == 401)
    }

    @Test func `SIGHUP does not end the gateway`() throws {
        let gateway = try GatewayUnderTest()
        try reload(gateway)

        #expect(try gateway.request("GET", "/health").status == 200)
        #expect(try gateway.terminate() == .exited(0))
    }
}
