// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests tickets, which open a stream or a WebSocket of a browser.
@Suite(.onTestThreads) struct TicketTests {
    private func ticket(_ gateway: GatewayUnderTest, _ body: String, key: NamedKey? = nil) throws -> String {
        let response = try gateway.json("POST", "/-/tickets", body, key: key)
        guard response.status == 201, let ticket = response.json["ticket"]?.text else {
            throw TestFailure("the gateway responded with \(response.status) \(response.text)")
        }
        return ticket
    }

    /// Returns the status of a request for a stream.
    private func status(
        _ gateway: GatewayUnderTest, _ target: String, method: String = "GET",
        fields: [(String, String)] = [("Accept", "text/event-stream")]
    ) throws -> Int {
        let connection = try gateway.connect()
        try connection.send(method, target, headers: fields)
        return try ResponseReader(connection).readHead().status
    }

    @Test func `a ticket opens one stream`() throws {
        let fixture = try HubFixture()
        let ticket = try ticket(fixture.gateway, #"{"path":"/projects/demo/events?types=a"}"#)
        let target = "/projects/demo/events?types=a&ticket=\(ticket)"

        #expect(ticket.wholeMatch(of: /vt_[0-9A-Za-z]{28}/) != nil)
        #expect(try status(fixture.gateway, target) == 200)
        #expect(try status(fixture.gateway, target) == 401)
    }

    @Test func `a ticket opens only the target for which it was issued`() throws {
        let fixture = try HubFixture()
        let gateway = fixture.gateway
        for other in [
            "/projects/demo/events?types=b&ticket=", "/events?ticket=", "/projects/demo/events/?types=a&ticket=",
        ] {
            let ticket = try ticket(gateway, #"{"path":"/projects/demo/events?types=a"}"#)

            #expect(try status(gateway, other + ticket) != 200, "\(other)")
        }
        // The position of the parameter has no meaning.
        let ticket = try ticket(gateway, #"{"path":"/projects/demo/events?types=a"}"#)
        #expect(try status(gateway, "/projects/demo/events?ticket=\(ticket)&types=a") == 200)
    }

    @Test func `a ticket opens neither a plain request nor a change`() throws {
        let gateway = try GatewayUnderTest()

        #expect(try status(gateway, "/projects?ticket=\(ticket(gateway, #"{"path":"/projects"}"#))", fields: []) == 403)
        let start = try ticket(gateway, #"{"path":"/projects/demo/start"}"#)
        #expect(try status(gateway, "/projects/demo/start?ticket=\(start)", method: "POST") == 401)
    }

    @Test func `the request needs the scope and the project of the key`() throws {
        let fixture = try HubFixture()
        let gateway = fixture.gateway
        try gateway.makeProject("other")
        let reader = try gateway.createKey("reader", #""allow":"read","projects":["demo"]"#)
        func opened(_ path: String, _ fields: [(String, String)]) throws -> Int {
            let separator = path.contains("?") ? "&" : "?"
            let ticket = try ticket(gateway, #"{"path":"\#(path)"}"#, key: reader)
            return try status(gateway, "\(path)\(separator)ticket=\(ticket)", fields: fields)
        }
        let stream = [("Accept", "text/event-stream")]
        let terminal = [
            ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]

        #expect(try opened("/projects/demo/events", stream) == 200)
        #expect(try opened("/projects/other/events", stream) == 404)
        #expect(try opened("/projects/demo/api/pty/pty_1/connect", terminal) == 403)
    }

    @Test func `a ticket ends with its key`() throws {
        let fixture = try HubFixture()
        let gateway = fixture.gateway
        for ending in ["revoked", "narrowed", "rotated"] {
            let key = try gateway.createKey(ending, #""allow":"write""#)
            let ticket = try ticket(gateway, #"{"path":"/events"}"#, key: key)
            let target = "/-/keys/\(key.id)"
            switch ending {
            case "revoked": #expect(try gateway.request("DELETE", target).status == 204)
            case "rotated": #expect(try gateway.request("POST", "\(target)/rotate").status == 200)
            default: #expect(try gateway.json("PATCH", target, #"{"allow":"read"}"#).status == 200)
            }

            #expect(try status(gateway, "/events?ticket=\(ticket)") == 401, "\(ending)")
        }
    }

    @Test func `a ticket for one project opens no other`() throws {
        let gateway = try GatewayUnderTest()

        #expect(try gateway.json("POST", "/-/tickets", #"{"path":"/chat","project":"demo"}"#).status == 201)

        let key = try gateway.createKey("phone", #""projects":["demo"]"#)
        #expect(try gateway.json("POST", "/-/tickets", #"{"path":"/chat","project":"other"}"#, key: key).status == 404)
        #expect(try gateway.json("POST", "/-/tickets", #"{"path":"chat"}"#).status == 400)
        #expect(try gateway.json("POST", "/-/tickets", "{}").status == 400)
    }

    @Test func `neither the instance nor the log receives a ticket, and OpenCode's own tickets pass`() throws {
        let received = Recorded<ReceivedRequestHead>()
        let instance = try FakeOpenCode().start { connection, head in
            received.append(head)
            try connection.respond(json: "{}")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let ticket = try ticket(gateway, #"{"path":"/projects/demo/api/session?a=b&ticket=own"}"#)

        #expect(
            try status(gateway, "/projects/demo/api/session?a=b&ticket=own&ticket=\(ticket)") == 200)
        #expect(received.values.last?.target == "/session?a=b&ticket=own")
        #expect(!gateway.log.contains { $0.contains(ticket) })
    }

    @Test func `the tickets of a key are limited`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_KEY_RATE": "none"])
        let key = try gateway.createKey("phone")
        let connection = try gateway.connect()
        let body = #"{"path":"/events"}"#
        var last = 0
        for _ in 0..<501 {
            try connection.send(
                "POST", "/-/tickets",
                headers: [
                    key.authorization, ("Content-Type", "application/json"), ("Content-Length", "\(body.utf8.count)"),
                ])
            try connection.write(body)
            last = try ResponseReader(connection).readAll(within: .seconds(20)).status
        }

        #expect(last == 409)
        #expect(try gateway.json("POST", "/-/tickets", body).status == 201)
    }
}
