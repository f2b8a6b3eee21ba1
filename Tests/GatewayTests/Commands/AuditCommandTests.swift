// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests `viberemote-gateway audit`, with a running gateway and with the database alone.
@Suite(.onTestThreads) struct AuditCommandTests {
    private static func run(
        _ gateway: GatewayUnderTest, _ arguments: String..., command: String = "audit", port: UInt16? = nil
    ) throws -> ProgramRun {
        try ProgramRun(
            [command] + arguments
                + ["--listen", "127.0.0.1:\(port ?? gateway.port)", "--state-dir", gateway.stateFolder],
            ["VIBE_AUTH_SECRET": GatewayUnderTest.key])
    }

    @Test func `entries are printed with the newest last`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        let key = try gateway.createKey("phone")
        #expect(try gateway.request("DELETE", "/-/keys/\(key.id)").status == 204)
        try gateway.makeProject("demo")
        _ = try gateway.request("POST", "/projects/demo/api/session/ses_1/message", body: [])
        _ = try gateway.audit(count: 3)
        let run = try Self.run(gateway)

        #expect(run.status == .exited(0), "\(run.error)")
        #expect(run.output.count == 4)
        #expect(run.output.first?.split(separator: " ").first == "TIME")

        let words = run.output.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }

        #expect(
            words.dropFirst() == [
                "VIBE_AUTH_SECRET - 127.0.0.1 - key_created 201 key phone",
                "VIBE_AUTH_SECRET - 127.0.0.1 - key_revoked 204 key phone",
                "VIBE_AUTH_SECRET - 127.0.0.1 demo prompt 503 POST /session/{sessionID}/message",
            ])
        #expect(try Self.run(gateway, "--key", "phone", "--since", "1d").output.count == 3)
        #expect(try Self.run(gateway, "--project", "demo").output.count == 2)
        #expect(try Self.run(gateway, "--project", "other").output == ["There are no entries."])

        let json = try JSONParser.parse(Array((try Self.run(gateway, "--json").output.first ?? "").utf8))

        #expect(json["entries"]?.elements?.map { $0["action"]?.text } == ["prompt", "key_revoked", "key_created"])
    }

    @Test func `all entries since a time are printed, in any number of pages`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_FAILED_TRIES": "0"])
        try gateway.makeProject("demo")
        let connection = try gateway.connect()
        for _ in 1...1_050 {
            try connection.send(
                "POST", "/projects/demo/api/session/ses_1/message",
                headers: [GatewayUnderTest.authorization, ("Content-Length", "0")])
            _ = try ResponseReader(connection).readAll()
        }
        _ = try gateway.audit("limit=1000", count: 1_000)

        #expect(try Self.run(gateway).output.count == 101)
        #expect(try Self.run(gateway, "--since", "1h").output.count == 1_051)
    }

    @Test func `without a gateway, the command reads the database, and changes of keys are recorded`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        _ = try gateway.createKey("phone")
        try gateway.terminate()
        let revoked = try Self.run(gateway, "revoke", "phone", command: "key")

        #expect(revoked.status == .exited(0), "\(revoked.error)")

        let run = try Self.run(gateway, "--since", "1d")

        #expect(run.status == .exited(0), "\(run.error)")
        #expect(run.output.count == 3)
        #expect(run.output.last?.contains("command line  ") == true)
        #expect(run.output.last?.contains("key_revoked") == true)
        #expect(run.error.contains { $0.hasPrefix("No gateway responds at ") })
    }

    @Test func `a gateway that cannot be reached keeps its database`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        let run = try Self.run(gateway, port: 1)

        #expect(run.status == .exited(1))
        #expect(
            run.error.last?.hasPrefix(
                "A gateway (process \(gateway.process.pid)) uses the database but does not respond.")
                == true, "\(run.error)")
    }

    @Test(arguments: [
        ["--since", "1"], ["--since", "yesterday"], ["--key", ""], ["--key", "a", "--key", "b"], ["phone"],
        ["--allow", "read"],
    ])
    func `invalid arguments are refused`(arguments: [String]) throws {
        let run = try ProgramRun(["audit"] + arguments, ["VIBE_AUTH_SECRET": GatewayUnderTest.key])

        #expect(run.status == .exited(2))
        #expect(!run.error.isEmpty)
    }
}
