// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the entries of the audit log about keys, refused requests, and the callers that may see them.
@Suite(.onTestThreads) struct AuditKeyTests {
    private static let environment = ["VIBE_FAILED_TRIES": "0"]

    private static func instance() throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "{}")
        }
    }

    @Test func `a key's life is recorded, with the administrator and the key`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags, environment: Self.environment)
        let key = try gateway.createKey("phone")
        for _ in 1...3 { #expect(try gateway.request("GET", "/projects", key: key).status == 200) }
        let target = "/-/keys/\(key.id)"
        #expect(try gateway.json("PATCH", target, #"{"name":"tablet"}"#).status == 200)
        #expect(try gateway.request("POST", "\(target)/rotate").status == 200)
        // Requests that change nothing, and requests that are not valid, are no changes.
        #expect(try gateway.request("GET", target).status == 200)
        #expect(try gateway.json("POST", "/-/keys", #"{"name":"tablet"}"#).status == 409)
        #expect(try gateway.request("DELETE", target).status == 204)
        let lines = try gateway.audit("key=\(key.id)", count: 5)

        #expect(lines.map(\.action) == ["key_created", "key_first_used", "key_changed", "key_rotated", "key_revoked"])
        #expect(lines.map { $0["result"] } == ["201", nil, "200", "200", "204"])
        #expect(lines.map { $0["subject"] } == ["phone", "phone", "tablet", "tablet", "tablet"])
        #expect(
            lines.map { $0["key"] } == [
                "VIBE_AUTH_SECRET", "phone", "VIBE_AUTH_SECRET", "VIBE_AUTH_SECRET", "VIBE_AUTH_SECRET",
            ])
        #expect(lines.allSatisfy { $0["subject_id"] == key.id && $0["address"] == "127.0.0.1" })
        #expect(try gateway.audit().count == 5)
    }

    @Test func `a key that was used again after a restart was not used for the first time`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        let key = try gateway.createKey("phone")
        _ = try gateway.request("GET", "/projects", key: key)
        try gateway.terminate()
        let next = try GatewayUnderTest(after: gateway)

        // The use just before the end of the gateway is not lost.
        #expect(try next.audit().map(\.action) == ["key_created", "key_first_used"])

        _ = try next.request("GET", "/projects", key: key)
        _ = try next.request(
            "PATCH", "/-/keys/\(key.id)", headers: [("Content-Type", "application/json")], body: Array("{}".utf8))

        #expect(try next.audit(count: 3).map(\.action) == ["key_created", "key_first_used", "key_changed"])
    }

    @Test func `refusals are recorded with the key, the route and the status`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags, environment: Self.environment)
        let instance = try Self.instance()
        try gateway.start(instance)
        let reader = try gateway.createKey("reader", #""allow":"read""#)
        let slow = try gateway.createKey("slow", #""rate":"1/h""#)
        let ended = try gateway.createKey("ended")
        #expect(try gateway.request("DELETE", "/-/keys/\(ended.id)").status == 204)
        let mistyped = NamedKey(id: reader.id, token: reader.token.dropLast() + "_")
        let requests: [(NamedKey, String, String)] = [
            (reader, "DELETE", "/projects/demo/stop"),
            (reader, "POST", "/projects/demo/api/session/ses_1/shell?secret=1"),
            (reader, "GET", "/-/keys"), (ended, "GET", "/projects"), (mistyped, "GET", "/projects"),
            (slow, "GET", "/projects"), (slow, "POST", "/projects/demo/start"),
        ]
        for (key, method, target) in requests { _ = try gateway.request(method, target, key: key) }
        // Without a key, and with a key in an unknown form, there is nothing to record.
        _ = try TestClient.request(port: gateway.port, "GET", "/projects", headers: [])
        _ = try TestClient.request(port: gateway.port, "GET", "/projects", headers: [("Authorization", "Unknown x")])
        let lines = try gateway.audit(count: 6) { $0.action == "refused" }

        #expect(
            lines.map { "\($0["key"] ?? "-") \($0["key_id"] ?? "-") \($0["project"] ?? "-") \($0["result"] ?? "-")" }
                == [
                    "reader \(reader.id) demo 403", "reader \(reader.id) demo 403", "reader \(reader.id) - 403",
                    "- \(ended.id) - 401", "- \(reader.id) - 401", "slow \(slow.id) demo 429",
                ])
        #expect(
            lines.map { $0["route"] } == [
                "DELETE /projects/{name}/stop", "POST /session/{sessionID}/shell", "GET /-/keys", "GET /projects",
                "GET /projects", "POST /projects/{name}/start",
            ])
        #expect(lines.allSatisfy { $0["address"] == "127.0.0.1" })
        #expect(!String(decoding: gateway.auditFiles(), as: UTF8.self).contains(mistyped.token))
    }

    @Test func `wrong secrets in a form or a pairing code are recorded, and sign-ins and pairings are too`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags, environment: Self.environment)
        let phone = try gateway.createKey("phone")
        func post(_ target: String, _ body: String) throws -> TestResponse {
            try TestClient.request(
                port: gateway.port, "POST", target, headers: [("Content-Type", "application/json")],
                body: Array(body.utf8))
        }
        #expect(try post("/-/login", #"{"key":"wrong-key-0123456789"}"#).status == 401)
        #expect(try post("/-/pair", #"{"code":"0123-4567-89AB-CDEF"}"#).status == 401)
        #expect(try post("/-/login", #"{"key":"\#(phone.token)"}"#).status == 200)
        let code = try #require(gateway.json("POST", "/-/pair/codes", "{}").json["code"]?.text)
        #expect(try post("/-/pair", #"{"code":"\#(code)"}"#).status == 201)
        let lines = try gateway.audit(count: 6) { $0.action != "key_first_used" }
        let first = try gateway.audit(count: 1) { $0.action == "key_first_used" }

        #expect(
            lines.map(\.routed) == [
                "key_created - 201", "refused POST /-/login 401", "refused POST /-/pair 401", "key_created - 201",
                "pairing_code_created POST /-/pair/codes 201", "device_paired - 201",
            ])
        #expect(
            lines.dropFirst().map { $0["key"] } == [nil, nil, "phone", "VIBE_AUTH_SECRET", "VIBE_AUTH_SECRET"])
        #expect(first.first?["key"] == "phone")
        #expect(!String(decoding: gateway.auditFiles(), as: UTF8.self).contains("wrong-key"))
    }

    @Test func `refusals of a stopped project, of another project and of cookies are recorded`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags, environment: Self.environment)
        try gateway.makeProject("demo")
        try gateway.makeProject("secret")
        let reader = try gateway.createKey("reader", #""allow":"read","projects":["demo"]"#)
        let prompt = "/api/session/ses_1/message"

        #expect(try gateway.request("POST", "/projects/demo\(prompt)", key: reader).status == 403)
        #expect(try gateway.request("POST", "/projects/secret\(prompt)", key: reader).status == 404)
        #expect(
            try TestClient.request(port: gateway.port, "GET", "/projects", headers: [("Cookie", "vibe=old")]).status
                == 401)
        let lines = try gateway.audit(count: 3) { $0.action == "refused" }

        #expect(lines.map { $0["key"] } == ["reader", "reader", nil])
        #expect(lines.map { $0["result"] } == ["403", "404", "401"])
        #expect(lines.map { $0["project"] } == ["demo", nil, nil])
        #expect(try gateway.audit().allSatisfy { $0.action != "prompt" })
    }

    @Test func `requests for unknown routes cannot fill the audit log`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        try gateway.start(try Self.instance())
        for number in 1...60 { _ = try gateway.request("POST", "/projects/demo/api/unknown/\(number)") }
        _ = try gateway.createKey("last")

        #expect(try gateway.audit(count: 22).filter { $0.action == "unknown" }.count == 20)
    }

    @Test func `a refused grant is recorded once`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        let admin = try gateway.createKey("admin", #""allow":"admin","projects":["demo"]"#)
        #expect(try gateway.json("POST", "/-/keys", #"{"name":"all","allow":"write"}"#, key: admin).status == 403)
        let lines = try gateway.audit("key=admin", count: 3)

        #expect(lines.map(\.action) == ["key_created", "key_first_used", "refused"])
        #expect(lines.last?.routed == "refused POST /-/keys 403")
    }

    @Test func `a client without a key cannot fill the audit log`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags, environment: Self.environment)
        _ = try gateway.createKey("phone")
        for number in 1...60 {
            _ = try TestClient.request(
                port: gateway.port, "GET", "/projects", headers: [("Authorization", "Bearer wrong-key-\(number)")])
        }
        // The gateway reports the omitted entries when it ends.
        try gateway.terminate()
        let next = try GatewayUnderTest(after: gateway)
        let lines = try next.audit(count: 22)

        #expect(lines.map(\.action) == ["key_created"] + Array(repeating: "refused", count: 20) + ["refusals_omitted"])
        #expect(lines.last?.json["count"] == .integer(40))
        #expect(
            gateway.log.contains {
                $0.contains("entries about refused requests omitted from the audit log") && $0.contains("40")
            })
    }

    @Test func `a key for some projects sees only their entries and those of its keys`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        let instance = try Self.instance()
        for project in ["shop", "blog"] {
            try gateway.start(instance, as: project)
        }
        let admin = try gateway.createKey("shop admin", #""allow":"admin","projects":["shop"]"#)
        _ = try gateway.createKey("blogger", #""projects":["blog"]"#)
        let clerk = try gateway.json("POST", "/-/keys", #"{"name":"clerk","projects":["shop"]}"#, key: admin)
        #expect(clerk.status == 201)
        _ = try gateway.request("DELETE", "/projects/blog/stop")
        _ = try gateway.request("DELETE", "/projects/shop/stop")
        _ = try gateway.audit(count: 8)
        let seen = try gateway.audit(key: admin)

        #expect(
            seen.map { "\($0.action) \($0["subject"] ?? $0["project"] ?? "-")" } == [
                "start shop", "key_created shop admin", "key_first_used shop admin", "key_created clerk", "stop shop",
            ])
        #expect(try gateway.audit("project=blog", key: admin).isEmpty)
        #expect(try gateway.audit("key=blogger", key: admin).isEmpty)

        let writer = try gateway.createKey("writer")

        #expect(try gateway.request("GET", "/-/audit", key: writer).status == 403)
        #expect(try TestClient.request(port: gateway.port, "GET", "/-/audit", headers: []).status == 401)
    }

    @Test func `pages and filters select entries`() throws {
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        for number in 1...5 { _ = try gateway.createKey("key \(number)") }
        let first = try gateway.request("GET", "/-/audit?limit=2")
        guard case .integer(let next)? = first.json["next"] else {
            throw TestFailure("the page has no successor: \(first.text)")
        }

        #expect(first.value(of: "cache-control") == "no-store")
        #expect(first.json["entries"]?.elements?.compactMap { $0["subject"]?.text } == ["key 5", "key 4"])
        #expect(try gateway.audit("limit=2&before=\(next)").map { $0["subject"] } == ["key 2", "key 3"])
        #expect(try gateway.request("GET", "/-/audit?limit=6").json["next"] == .null)
        #expect(try gateway.audit("since=1d&key=key%203").map { $0["subject"] } == ["key 3"])
        #expect(try gateway.audit("since=2099-01-01T00:00:00Z").isEmpty)

        for query in ["since=1", "limit=0", "before=x"] {
            let response = try gateway.request("GET", "/-/audit?\(query)")
            let name = query.prefix { $0 != "=" }
            #expect(response.status == 400)
            #expect(response.json["detail"]?.text?.hasPrefix("The parameter \"\(name)\" is invalid: use ") == true)
        }
    }
}
