// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the limit on the memory that all requests translated for an OpenCode 2 share.
@Suite(.onTestThreads) struct BodyBudgetTests {
    private static let size = 24 << 20

    /// Sends a prompt without its last byte.
    private static func sendAllButTheEnd(_ connection: TestConnection, _ session: String) throws {
        try connection.write(
            "POST /projects/demo/api/session/\(session)/prompt_async HTTP/1.1\r\nHost: x\r\n"
                + "Authorization: Bearer \(GatewayUnderTest.key)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(size)\r\n\r\n")
        try connection.write([UInt8](repeating: UInt8(ascii: " "), count: size - 1), within: .seconds(60))
    }

    @Test func `bodies that exceed the limit in total are rejected until other requests end`() throws {
        let fixture = try BridgeFixture(flags: ["--threads", "1"])
        let session = try fixture.session()
        let first = try fixture.gateway.connect()
        let second = try fixture.gateway.connect()

        try Self.sendAllButTheEnd(first, session)

        // The gateway has the bytes of the first request when the loop responds to this request.
        #expect(try fixture.gateway.request("GET", "/health").status == 200)

        try? Self.sendAllButTheEnd(second, session)
        let refusal = try ResponseReader(second).readAll(within: .seconds(60))
        try first.write(" ")
        let answer = try ResponseReader(first).readAll(within: .seconds(60))

        #expect(refusal.status == 503)
        #expect(refusal.text.contains("40 MiB"))
        #expect(refusal.value(of: "Retry-After") == "1")
        #expect(answer.status != 503)
        // The memory of both requests is free again.
        #expect(
            try fixture.request("POST", "/session/\(session)/prompt_async", BridgeFixture.prompt("hello")).status == 204
        )
    }
}
