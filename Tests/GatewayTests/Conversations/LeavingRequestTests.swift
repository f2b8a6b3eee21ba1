// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests requests of the conversation protocol whose client disconnects before the response.
@Suite(.onTestThreads) struct LeavingRequestTests {
    private static let models = """
        {"providers":[{"id":"mock","models":{"talk":{"name":"Talk"}}}],"default":{"mock":"talk"}}
        """
    private static let sessions = """
        [{"id":"ses_1","projectID":"p","directory":"/d","title":"A talk","version":"1","time":{"created":1,"updated":2}}]
        """

    @Test func `a list of messages whose client disconnects causes no further requests to OpenCode`() throws {
        let release = Recorded<Bool>("the release of the first page")
        let instance = FakeOpenCode(version: "1.18.33").events()
            .query("/config/providers", Self.models)
            .route("GET /experimental/tool/ids", "[]")
            .route("GET /mcp", "{}")
            .route("GET /session", Self.sessions)
            .route("GET /session/*/message") { connection, head in
                guard head.target.contains("limit=60"), !head.target.contains("before=") else {
                    return try connection.respond(200, json: "[]")
                }
                try release.wait(forCount: 1)
                try connection.respond(
                    200, headers: [("Content-Type", "application/json"), ("X-Next-Cursor", "msg_1")],
                    body: Array("[]".utf8))
            }
        let fixture = try ProxyFixture(instance, environment: ["VIBE_EVENT_HUB": "on"])
        let list = try fixture.gateway.request("GET", "/conversations")
        let id = try #require(list.json["items"]?.elements?.first?["id"]?.text, "\(list.text)")
        let client = try TestClient.connect(port: fixture.gateway.port)
        try client.send("GET", "/conversations/\(id)/messages", headers: [GatewayUnderTest.authorization])
        try fixture.carried.wait { $0.contains { $0.target.contains("limit=60") } }

        client.close()
        // The gateway's loop processes the disconnection before this request.
        let models = try fixture.gateway.request("GET", "/models")
        release.append(true)
        let messages = try fixture.gateway.request("GET", "/conversations/\(id)/messages")
        let targets = fixture.carried.values.map(\.target)

        #expect(models.status == 200)
        #expect(messages.status == 200, "\(messages.text)")
        #expect(targets.count { $0.contains("limit=60") && !$0.contains("before=") } == 2)
        #expect(targets.count { $0.contains("before=msg_1") } == 1)
    }
}
