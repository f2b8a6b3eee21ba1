// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests `viberemote-gateway pair`.
@Suite(.onTestThreads) struct PairCommandTests {
    private func run(
        _ port: UInt16, _ arguments: String..., environment: [String: String] = [:]
    ) throws -> ProgramRun {
        try ProgramRun(
            ["pair"] + arguments + ["--listen", "127.0.0.1:\(port)"],
            ["VIBE_AUTH_SECRET": GatewayUnderTest.key].merging(environment) { $1 })
    }

    @Test func `the link contains a code that pairs a device`() throws {
        let gateway = try GatewayUnderTest()
        let run = try run(
            gateway.port, "--name", "my phone", "--allow", "read", "--project", "demo", "--expires", "365d",
            "--public-url", "https://gateway.example.com")
        let link = try #require(run.output.first { $0.contains("https://") })
        let code = try #require(link.split(separator: "#").last)
        let response = try TestClient.request(
            port: gateway.port, "POST", "/-/pair", headers: [("Content-Type", "application/json")],
            body: Array(#"{"code":"\#(code)"}"#.utf8))

        #expect(run.status == .exited(0), "\(run.error)")
        #expect(link.hasPrefix("  https://gateway.example.com/-/pair#"))
        // A QR code has no use in a file.
        #expect(run.output.allSatisfy { !$0.contains("\u{1B}") })
        #expect(run.output.last?.wholeMatch(of: /The link is valid until [0-9TZ:-]+, for one device\./) != nil)
        #expect(response.status == 201)
        #expect(response.json["name"]?.text == "my phone")
        #expect(response.json["allow"]?.text == "read")
        #expect(response.json["projects"]?.elements?.map { $0.text } == ["demo"])
    }

    @Test func `the result is also available as JSON`() throws {
        let gateway = try GatewayUnderTest()
        let run = try run(gateway.port, "--json", "--public-url", "https://gateway.example.com")
        let json = try #require(run.output.first)

        #expect(run.output.count == 1)
        #expect(json.contains(#""links":["https://gateway.example.com/-/pair#"#))
    }

    @Test func `if only this machine can open the link, the command says what to change`() throws {
        let gateway = try GatewayUnderTest()
        let run = try run(gateway.port)

        #expect(run.status == .exited(0))
        #expect(run.output.contains { $0.hasPrefix("  http://127.0.0.1:\(gateway.port)/-/pair#") })
        #expect(
            run.error.last?.hasPrefix(
                "Only programs on this machine can open the link, because the gateway listens on 127.0.0.1:\(gateway.port). Set --public-url"
            )
                == true)
    }

    @Test func `without a gateway the command exits with 3`() throws {
        let unused = try FakeOpenCode().start { connection, _ in try connection.respond(json: "{}") }
        let run = try run(unused.port)
        let closed = try self.run(1)

        #expect(run.status == .exited(3))
        #expect(closed.status == .exited(3))
        #expect(closed.error.last?.hasPrefix("Cannot reach a gateway: ") == true)
    }

    @Test func `the gateway's refusal is printed`() throws {
        let gateway = try GatewayUnderTest()
        let value = try run(gateway.port, "--allow", "everything")
        let key = try run(gateway.port, environment: ["VIBE_AUTH_SECRET": "another-key-0123456789"])
        let twice = try run(gateway.port, "--name", "a", "--name", "b")

        #expect(value.status == .exited(2))
        #expect(value.error.last?.hasPrefix("The value of \"allow\" is invalid") == true)
        #expect(key.status == .exited(1))
        #expect(key.error.last?.hasPrefix("Invalid API key: the running gateway does not accept") == true)
        #expect(twice.status == .exited(2))
        #expect(twice.error.last == "--name is given twice. Write it once.")
    }
}
