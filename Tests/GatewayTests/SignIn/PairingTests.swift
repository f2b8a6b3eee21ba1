// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests giving a device a key of its own by means of a pairing code.
@Suite(.onTestThreads) struct PairingTests {
    private static let secret = "0123456789abcdefghijkl"

    private func code(_ gateway: GatewayUnderTest, _ body: String = "{}", key: NamedKey? = nil) throws -> String {
        let response = try gateway.json("POST", "/-/pair/codes", body, key: key)
        guard response.status == 201, let code = response.json["code"]?.text else {
            throw TestFailure("the gateway responded with \(response.status) \(response.text)")
        }
        return code
    }

    /// Sends a code without a key.
    private func pair(_ gateway: GatewayUnderTest, _ code: String, _ members: String...) throws -> TestResponse {
        let body = "{" + (["\"code\":\"\(code)\""] + members).joined(separator: ",") + "}"
        return try TestClient.request(
            port: gateway.port, "POST", "/-/pair", headers: [("Content-Type", "application/json")],
            body: Array(body.utf8))
    }

    private func key(_ response: TestResponse) throws -> NamedKey {
        guard response.status == 201, let id = response.json["id"]?.text, let token = response.json["key"]?.text else {
            throw TestFailure("the gateway responded with \(response.status) \(response.text)")
        }
        return NamedKey(id: id, token: token)
    }

    @Test func `a code gives one device the key that the administrator has chosen`() throws {
        let gateway = try GatewayUnderTest()
        let code = try code(gateway, #"{"name":"my phone","projects":["demo"],"allow":"answer","expires":"365d"}"#)
        let response = try pair(gateway, code, #""name":"another name""#)

        #expect(code.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
        #expect(response.status == 201)
        #expect(response.value(of: "cache-control") == "no-store")
        #expect(response.json["name"]?.text == "my phone")
        #expect(response.json["kind"]?.text == "device")
        #expect(response.json["allow"]?.text == "answer")
        #expect(response.json["projects"]?.elements?.map { $0.text } == ["demo"])
        #expect(try gateway.request("GET", "/projects", key: key(response)).status == 200)
        // The code works once.
        #expect(try pair(gateway, code).status == 401)
    }

    @Test func `the device chooses its name if the administrator has chosen none`() throws {
        let gateway = try GatewayUnderTest()
        _ = try gateway.createKey("tablet")

        #expect(try pair(gateway, code(gateway), #""name":"tablet""#).json["name"]?.text == "tablet 2")
        #expect(try pair(gateway, code(gateway)).json["name"]?.text == "device")

        // A name that is not valid does not use the code up.
        let code = try code(gateway)
        #expect(try pair(gateway, code, #""name":"a\u0000b""#).status == 400)
        #expect(try pair(gateway, code, #""name":"phone""#).status == 201)
    }

    @Test func `a user may type the code in another form`() throws {
        let gateway = try GatewayUnderTest()
        let typed = try code(gateway).lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing(
            "1", with: "l")

        #expect(try pair(gateway, typed).status == 201)
    }

    @Test func `a device that pairs again replaces its key`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_FAILED_TRIES": "0"])
        let device = #""device":"\#(Self.secret)""#
        let first = try key(pair(gateway, code(gateway, #"{"allow":"run"}"#), #""name":"phone""#, device))
        let browser = try SignedInBrowser(gateway, key: first.token)
        let other = try key(pair(gateway, code(gateway), #""name":"other""#, #""device":"\#(Self.secret)x""#))
        let response = try pair(gateway, code(gateway, #"{"allow":"read"}"#), #""name":"phone""#, device)
        let again = try key(response)

        #expect(again.id == first.id)
        #expect(response.json["name"]?.text == "phone")
        #expect(response.json["allow"]?.text == "read")
        #expect(!response.text.contains(Self.secret))
        #expect(try gateway.request("GET", "/projects", key: first).status == 401)
        #expect(try browser.request("GET", "/projects").status == 401)
        #expect(try gateway.request("GET", "/projects", key: again).status == 200)
        #expect(try gateway.request("GET", "/projects", key: other).status == 200)
        #expect(try !gateway.request("GET", "/-/keys").text.contains(Self.secret))
    }

    @Test func `only an administrator creates a code, and it grants no more than the administrator has`() throws {
        let gateway = try GatewayUnderTest()
        let runner = try gateway.createKey("runner", #""allow":"run""#)
        let admin = try gateway.createKey(
            "admin", #""allow":"admin","projects":["demo"],"expires":"30d","rate":"100/s","streams":3"#)
        func status(_ body: String) throws -> Int {
            try gateway.json("POST", "/-/pair/codes", body, key: admin).status
        }
        let fitting = #""projects":["demo"],"expires":"1d","rate":"100/s","streams":3"#

        #expect(try gateway.json("POST", "/-/pair/codes", "{}", key: runner).status == 403)
        #expect(try status("{\(fitting)}") == 201)
        #expect(try status(#"{"projects":["other"],"expires":"1d","rate":"100/s","streams":3}"#) == 403)
        #expect(try status(#"{"expires":"1d","rate":"100/s","streams":3}"#) == 403)
        #expect(try status(#"{"projects":["demo"],"rate":"100/s","streams":3}"#) == 403)
        #expect(try status(#"{"projects":["demo"],"expires":"1d","rate":"101/s","streams":3}"#) == 403)
        #expect(try status(#"{"projects":["demo"],"expires":"1d","rate":"100/s","streams":4}"#) == 403)
        #expect(try status(#"{"identity":"a@example.com"}"#) == 400)
    }

    @Test func `a code ends with the key of its administrator`() throws {
        let gateway = try GatewayUnderTest()
        for ending in ["revoked", "narrowed", "rotated"] {
            let admin = try gateway.createKey(ending, #""allow":"admin""#)
            let code = try code(gateway, key: admin)
            let target = "/-/keys/\(admin.id)"
            switch ending {
            case "revoked": #expect(try gateway.request("DELETE", target).status == 204)
            case "rotated": #expect(try gateway.request("POST", "\(target)/rotate").status == 200)
            default: #expect(try gateway.json("PATCH", target, #"{"allow":"run"}"#).status == 200)
            }

            let response = try pair(gateway, code)
            #expect(response.status == 401, "\(ending)")
            #expect(response.json["detail"]?.text?.hasPrefix("This pairing code is wrong") == true)
        }
    }

    @Test func `wrong codes count towards the limit on failed tries`() throws {
        // Keys from the loopback address are always checked, so name another client.
        let gateway = try GatewayUnderTest(environment: ["VIBE_FAILED_TRIES": "3", "VIBE_TRUST_PROXY": "127.0.0.1"])
        let valid = try code(gateway)
        func status(_ code: String, from client: String) throws -> Int {
            try TestClient.request(
                port: gateway.port, "POST", "/-/pair",
                headers: [("Content-Type", "application/json"), ("X-Forwarded-For", client)],
                body: Array(#"{"code":"\#(code)"}"#.utf8)
            ).status
        }

        #expect(
            try (0..<4).map { _ in try status("0123-4567-89AB-CDEF", from: "203.0.113.7") } == [401, 401, 401, 429])
        #expect(try status(valid, from: "203.0.113.7") == 429)
        #expect(try status(valid, from: "203.0.113.8") == 201)
    }

    @Test func `a device's secret must be long enough`() throws {
        let gateway = try GatewayUnderTest()

        for device in [#""short""#, "1", #""0123456789abcdefghij k""#] {
            #expect(try pair(gateway, code(gateway), #""device":\#(device)"#).status == 400)
        }
        #expect(try pair(gateway, code(gateway), #""device":null"#).status == 201)
    }

    @Test func `the number of unused codes is limited`() throws {
        let gateway = try GatewayUnderTest()
        for _ in 0..<100 { _ = try code(gateway) }

        #expect(try gateway.json("POST", "/-/pair/codes", "{}").status == 409)
    }

    @Test func `the page contains no code and sends requests only to the gateway`() throws {
        let gateway = try GatewayUnderTest()
        let page = try TestClient.request(port: gateway.port, "GET", "/-/pair", headers: [])
        let policy = try #require(page.value(of: "content-security-policy"))

        #expect(page.status == 200)
        #expect(policy.contains("script-src 'sha256-"))
        #expect(policy.contains("connect-src 'self'"))
        #expect(policy.contains("default-src 'none'"))
        #expect(page.value(of: "referrer-policy") == "same-origin")
    }
}
