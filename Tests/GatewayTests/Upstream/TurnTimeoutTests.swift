// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that responses at the end of a turn have the same time limit as a silent stream, and that no other response
/// has this limit.
@Suite(.onTestThreads) struct TurnTimeoutTests {
    private static let turns = [
        "/session/ses_1/message", "/session/ses_1/command", "/session/ses_1/shell?directory=",
        "/session/ses_1/summarize",
        "/session/ses_1/init", "/api/session/ses_1/wait", "/api/experimental/session/ses_1/wait",
        "/api/session/ses_1/generate", "/api/experimental/generate", "/api/session/ses_1/shell",
    ]

    @Test func `each request that waits for a turn may outlast --answer-timeout`() throws {
        let others = Latch("the time for ordinary answers to be over")
        let fixture = try ProxyFixture(flags: ["--answer-timeout", "300ms"]) { connection, head in
            _ = try connection.readBody(of: head)
            if head.path == "/session/ses_1/prompt_async" {
                try connection.waitForEnd()
                return
            }
            try others.wait(within: .seconds(30))
            try connection.respond(200, text: head.target)
        }
        let body = Array("{}".utf8)
        let clients = try Self.turns.map { try fixture.send("POST", $0, body: body) }
        // The limit also applies to a request whose body is forwarded in parts.
        let large = try fixture.send("POST", Self.turns[0], body: [UInt8](repeating: 0x20, count: 200_000))
        try fixture.instance.requests.wait(forCount: clients.count + 1)

        // This request began last and has timed out.
        #expect(try fixture.request("POST", "/session/ses_1/prompt_async", body: body).status == 504)

        others.open()
        for (client, path) in zip(clients, Self.turns) {
            #expect(try ResponseReader(client, method: "POST").readAll().text == path)
        }

        #expect(try ResponseReader(large, method: "POST").readAll().status == 200)
    }

    @Test func `a turn without a response is answered with 504 after --stream-timeout`() throws {
        let fixture = try ProxyFixture(flags: ["--answer-timeout", "100ms", "--stream-timeout", "300ms"]) {
            connection, head in
            try connection.waitForEnd()
        }
        let answer = try fixture.request("POST", "/session/ses_1/message", body: Array("{}".utf8))

        #expect(answer.status == 504)
        #expect(
            answer.text
                == #"{"detail":"OpenCode instance for demo did not respond within 300ms (--stream-timeout). "#
                + #"Its turn may still be running. Check the session before you send the request again."}"#)
    }
}
