// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests signing in with a browser.
@Suite(.onTestThreads) struct LoginTests {
    private static let api = "/projects/demo/api"

    /// Sends the form of the page.
    private func submit(
        _ gateway: GatewayUnderTest, _ form: String, _ fields: [(String, String)] = [SignedInBrowser.ownPage]
    ) throws -> TestResponse {
        try TestClient.request(
            port: gateway.port, "POST", "/-/login",
            headers: [("Content-Type", "application/x-www-form-urlencoded")] + fields, body: Array(form.utf8))
    }

    @Test func `a session has the rights of its key, and is an entry in the list of keys`() throws {
        let gateway = try GatewayUnderTest()
        let key = try gateway.createKey("phone", #""allow":"read""#)
        let browser = try SignedInBrowser(gateway, key: key.token)

        #expect(browser.cookie.hasPrefix("vibe=vr_"))
        #expect(try browser.request("GET", "/projects").status == 200)

        let list = try gateway.request("GET", "/-/keys").json["keys"]?.elements ?? []
        let session = try #require(list.first { $0["kind"]?.text == "session" })

        #expect(
            try browser.request("POST", "/projects/demo/start", [SignedInBrowser.ownPage]).json["detail"]?.text?
                .contains("needs \"write\"") == true)
        #expect(session["allow"]?.text == "read")
        #expect(session["name"]?.text?.hasPrefix("phone (session ") == true)
        #expect(session["creator"]?.text == "phone")
        #expect(session["last_used"]?.text != nil)
    }

    @Test func `the cookie is for this host only, and no script can read it`() throws {
        let gateway = try GatewayUnderTest()
        let secure = [("X-Forwarded-Proto", "https")]
        let plain = try submit(gateway, "key=\(GatewayUnderTest.key)")
        let overTLS = try submit(gateway, "key=\(GatewayUnderTest.key)", secure + [SignedInBrowser.ownPage])
        let field = try #require(plain.value(of: "set-cookie"))
        let secureField = try #require(overTLS.value(of: "set-cookie"))

        #expect(field.hasPrefix("vibe=vr_"))
        #expect(field.hasSuffix("; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict"))
        #expect(secureField.hasPrefix("__Host-vibe=vr_"))
        #expect(secureField.hasSuffix("; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict; Secure"))
        // Another computer in the network could have set a cookie without the prefix.
        let cookie = ("Cookie", String(field.prefix { $0 != ";" }))
        #expect(try TestClient.request(port: gateway.port, "GET", "/projects", headers: [cookie]).status == 200)
        #expect(
            try TestClient.request(port: gateway.port, "GET", "/projects", headers: [cookie] + secure).status == 401)
    }

    @Test func `the form leads to the page that the user wanted, and never off the gateway`() throws {
        let gateway = try GatewayUnderTest()
        let form = "key=\(GatewayUnderTest.key)&next="
        func location(_ next: String) throws -> String? {
            let response = try submit(gateway, form + next)
            #expect(response.status == 303)
            return response.value(of: "location")
        }

        #expect(try location("%2Fdocs%3Fx%3D1") == "/docs?x=1")
        for next in [
            "", "https%3A%2F%2Fevil.example.com%2F", "%2F%2Fevil.example.com", "%2F%5Cevil.example.com",
            "%2F%09%2Fevil.example.com", "javascript%3Aalert(1)", "%2F-%2Flogin%3Fnext%3D%2F",
        ] {
            #expect(try location(next) == "/-/login", "\(next)")
        }
    }

    @Test func `a wrong key shows the page again, without the key`() throws {
        let gateway = try GatewayUnderTest()
        let response = try submit(gateway, "key=wrong-key-0123456789&next=%2F%22%3E%3Cscript%3E")

        #expect(response.status == 401)
        #expect(response.value(of: "content-type") == "text/html; charset=utf-8")
        #expect(response.value(of: "set-cookie") == nil)
        #expect(response.text.contains("Invalid API key"))
        #expect(!response.text.contains("wrong-key"))
        #expect(!response.text.contains("<script>"))
        #expect(response.text.contains(#"value="/&quot;&gt;&lt;script&gt;""#))
    }

    @Test func `wrong keys count towards the limit on failed tries`() throws {
        // Keys from the loopback address are always checked, so name another client.
        let gateway = try GatewayUnderTest(environment: ["VIBE_FAILED_TRIES": "3", "VIBE_TRUST_PROXY": "127.0.0.1"])
        func status(_ key: String, from client: String) throws -> Int {
            try submit(gateway, "key=\(key)", [("X-Forwarded-For", client)]).status
        }

        #expect(
            try (0..<4).map { _ in try status("wrong-key-0123456789", from: "203.0.113.7") } == [401, 401, 401, 429])
        #expect(try status(GatewayUnderTest.key, from: "203.0.113.7") == 429)
        #expect(try status(GatewayUnderTest.key, from: "203.0.113.8") == 303)
    }

    @Test func `a page of another origin cannot sign a visitor in`() throws {
        let gateway = try GatewayUnderTest()
        for field in [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example.com"), ("Origin", "null")] {
            let response = try submit(gateway, "key=\(GatewayUnderTest.key)", [field])

            #expect(response.status == 403)
            #expect(response.value(of: "set-cookie") == nil)
        }
    }

    @Test func `a page of another origin changes nothing with the cookie of a visitor`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let browser = try SignedInBrowser(gateway, key: GatewayUnderTest.key)
        let body = [("Content-Length", "0")]

        #expect(
            try browser.request("POST", "/-/logout", [("Origin", "https://evil.example.com")] + body).status == 403)
        #expect(try browser.request("DELETE", "/projects/demo/stop", [("Sec-Fetch-Site", "same-site")]).status == 403)
        // A browser sends Origin or Sec-Fetch-Site with each such request.
        #expect(try browser.request("DELETE", "/projects/demo/stop").status == 403)
        #expect(
            try browser.request("DELETE", "/projects/demo/stop", [("Origin", "http://127.0.0.1:\(gateway.port)")])
                .status
                == 200)
    }

    @Test(
        arguments: [
            ([], 200), ([SignedInBrowser.ownPage], 200), ([("Sec-Fetch-Site", "none")], 200),
            ([("Sec-Fetch-Site", "same-site")], 403), ([("Origin", "http://localhost:3000")], 403),
            ([("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "navigate")], 200),
        ] as [([(String, String)], Int)])
    func `a page of another origin reads nothing with the cookie of a visitor`(
        fields: [(String, String)], status: Int
    ) throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_ALLOW_ORIGIN": "http://localhost:3000"])
        let browser = try SignedInBrowser(gateway, key: GatewayUnderTest.key)

        #expect(try browser.request("GET", "/projects", fields).status == status)
    }

    @Test func `the origin of a page contains its scheme`() throws {
        let gateway = try GatewayUnderTest()
        let secure = ("X-Forwarded-Proto", "https")
        func status(_ fields: [(String, String)]) throws -> Int {
            try submit(gateway, "key=\(GatewayUnderTest.key)", fields).status
        }

        #expect(try status([secure, ("Origin", "https://127.0.0.1:\(gateway.port)")]) == 303)
        #expect(try status([secure, ("Origin", "http://127.0.0.1:\(gateway.port)")]) == 403)
        // The field of the browser counts more than the origin.
        #expect(
            try status([("Sec-Fetch-Site", "cross-site"), ("Origin", "http://127.0.0.1:\(gateway.port)")]) == 403)
    }

    @Test func `a session does not begin again when its key is extended`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_FAILED_TRIES": "0", "VIBE_KEY_RATE": "none"])
        let key = try gateway.createKey("phone", #""expires":"2s""#)
        let browser = try SignedInBrowser(gateway, key: key.token)
        let deadline = Deadline(after: .seconds(20))
        while (try? browser.request("GET", "/projects").status) != 401 {
            guard deadline.remaining > .zero else { throw TestFailure("the session does not expire") }
        }

        #expect(try gateway.json("PATCH", "/-/keys/\(key.id)", #"{"expires":"1d"}"#).status == 200)
        #expect(try gateway.request("GET", "/projects", key: key).status == 200)
        #expect(try browser.request("GET", "/projects").status == 401)
    }

    @Test func `the sign-ins of a key are limited`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_KEY_RATE": "none"])
        let key = try gateway.createKey("phone")
        for _ in 0..<20 { _ = try SignedInBrowser(gateway, key: key.token) }
        let response = try submit(gateway, "key=\(key.token)")

        #expect(response.status == 429)
        #expect(response.value(of: "retry-after") == "60")
        #expect(try gateway.request("GET", "/projects", key: key).status == 200)
    }

    @Test func `an ended session can sign out, and another server's cookie does not hide the session`() throws {
        let gateway = try GatewayUnderTest()
        let browser = try SignedInBrowser(gateway, key: GatewayUnderTest.key)
        let mixed = try TestClient.request(
            port: gateway.port, "GET", "/projects", headers: [("Cookie", "=vibe=x; vibe=y; \(browser.cookie)")])
        let ended = try TestClient.request(
            port: gateway.port, "POST", "/-/logout", headers: [("Cookie", "vibe=old"), SignedInBrowser.ownPage])

        #expect(mixed.status == 200)
        #expect(ended.status == 204)
        #expect(ended.values(of: "set-cookie").allSatisfy { $0.contains("Max-Age=0") })
    }

    @Test func `a browser's navigation without credentials is led to the page, and other requests are refused`() throws
    {
        let gateway = try GatewayUnderTest()
        func response(_ target: String, _ fields: [(String, String)]) throws -> TestResponse {
            try TestClient.request(port: gateway.port, "GET", target, headers: fields)
        }
        let navigation = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        let redirected = try response("/projects?x=1&auth_token=secret", [navigation])

        #expect(redirected.status == 303)
        #expect(redirected.value(of: "location") == "/-/login?next=%2Fprojects%3Fx%3D1")
        #expect(redirected.value(of: "www-authenticate") == nil)
        #expect(try response("/projects", [navigation, ("Sec-Fetch-Mode", "navigate")]).status == 303)
        #expect(try response("/projects", [navigation, ("Sec-Fetch-Mode", "cors")]).status == 401)
        #expect(try response("/projects", [("Accept", "*/*")]).status == 401)
        #expect(try response("/projects", []).status == 401)
        #expect(
            try response("/projects", [navigation, ("Authorization", "Bearer wrong-key-0123456789")]).status == 401)
        // A page of a session that has ended leads to the page too.
        #expect(try response("/projects", [navigation, ("Cookie", "vibe=vr_old")]).status == 303)
        #expect(
            try response("/projects", [("Cookie", "vibe=vr_old")]).json["detail"]?.text
                == "Your sign-in has ended. Sign in again at /-/login.")
    }

    @Test func `the page needs no script and no other server`() throws {
        let gateway = try GatewayUnderTest()
        let page = try TestClient.request(port: gateway.port, "GET", "/-/login?next=%2Fdocs", headers: [])
        let policy = try #require(page.value(of: "content-security-policy"))

        #expect(page.status == 200)
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(!policy.contains("script-src"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(page.value(of: "referrer-policy") == "same-origin")
        #expect(page.value(of: "cache-control") == "no-store")
        #expect(page.text.contains(#"autocomplete="current-password""#))
        #expect(page.text.contains(#"<form method="post" action="login">"#))
        #expect(page.text.contains(#"<input type="hidden" name="next" value="/docs">"#))
    }

    @Test func `signing out ends the session and what it has opened`() throws {
        let fixture = try HubFixture()
        let browser = try SignedInBrowser(fixture.gateway, key: GatewayUnderTest.key)
        let connection = try fixture.gateway.connect()
        try connection.send("GET", "/projects/demo/events", headers: [("Cookie", browser.cookie)])
        let stream = EventStreamReader(connection)

        #expect(try stream.nextBlock() != nil)

        let response = try browser.request("POST", "/-/logout", [SignedInBrowser.ownPage])

        #expect(response.status == 204)
        #expect(response.value(of: "set-cookie")?.contains("Max-Age=0") == true)
        while try stream.nextBlock(within: .seconds(1)) != nil {}
        #expect(stream.response.ending == .truncated)
        #expect(try browser.request("GET", "/projects").status == 401)
    }

    /// The ways in which the key of a session ends.
    enum Ending: CaseIterable { case revoked, rotated, narrowed, expired, removed }

    @Test(arguments: Ending.allCases) func `a session follows its key`(ending: Ending) throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_FAILED_TRIES": "0", "VIBE_KEY_RATE": "none"])
        let key = try gateway.createKey(
            "phone", #""allow":"run""#, ending == .expired ? #""expires":"3s""# : #""note":"n""#)
        let browser = try SignedInBrowser(gateway, key: key.token)
        let target = "/-/keys/\(key.id)"
        #expect(try browser.request("GET", "/projects").status == 200)
        switch ending {
        case .revoked: #expect(try gateway.request("DELETE", target).status == 204)
        case .rotated: #expect(try gateway.request("POST", "\(target)/rotate").status == 200)
        case .narrowed:
            #expect(try gateway.json("PATCH", target, #"{"allow":"read"}"#).status == 200)
            #expect(try browser.request("DELETE", "/projects/demo/stop", [SignedInBrowser.ownPage]).status == 403)
            #expect(try browser.request("GET", "/projects").status == 200)
            return
        case .expired:
            let deadline = Deadline(after: .seconds(20))
            // A request that is in progress when the key expires is aborted.
            while (try? browser.request("GET", "/projects").status) != 401 {
                guard deadline.remaining > .zero else { throw TestFailure("the session does not expire") }
            }
        case .removed:
            let list = try gateway.request("GET", "/-/keys").json["keys"]?.elements ?? []
            let session = try #require(list.first { $0["kind"]?.text == "session" }?["id"]?.text)
            #expect(try gateway.json("PATCH", "/-/keys/\(session)", #"{"allow":"admin"}"#).status == 409)
            #expect(try gateway.request("POST", "/-/keys/\(session)/rotate").status == 409)
            #expect(try gateway.request("DELETE", "/-/keys/\(session)").status == 204)
        }
        #expect(try browser.request("GET", "/projects").status == 401)
        #expect(
            try gateway.request("GET", "/-/keys").json["keys"]?.elements?.contains { $0["kind"]?.text == "session" }
                == (ending == .expired))
    }

    @Test func `a session survives the end of the gateway`() throws {
        let gateway = try GatewayUnderTest()
        let key = try gateway.createKey("phone", #""allow":"read""#)
        let browser = try SignedInBrowser(gateway, key: key.token)
        let administrator = try SignedInBrowser(gateway, key: GatewayUnderTest.key)
        gateway.process.terminate(SIGKILL)
        _ = try gateway.process.waitForExit(within: .seconds(20))
        let restarted = try GatewayUnderTest(after: gateway)
        let again = try TestClient.request(
            port: restarted.port, "GET", "/projects", headers: [("Cookie", browser.cookie)])
        let admin = try TestClient.request(
            port: restarted.port, "GET", "/-/keys", headers: [("Cookie", administrator.cookie)])

        #expect(again.status == 200)
        #expect(admin.status == 200)
    }

    @Test func `only a cookie opens a session, and a cookie opens nothing else`() throws {
        let gateway = try GatewayUnderTest()
        let key = try gateway.createKey("phone")
        let browser = try SignedInBrowser(gateway, key: key.token)
        let token = String(browser.cookie.dropFirst("vibe=".count))
        func status(_ fields: [(String, String)]) throws -> Int {
            try TestClient.request(port: gateway.port, "GET", "/projects", headers: fields).status
        }

        #expect(try status([("Authorization", "Bearer \(token)")]) == 401)
        #expect(try status([("Cookie", "vibe=\(key.token)")]) == 401)
        #expect(try status([("Cookie", "vibe=\(GatewayUnderTest.key)")]) == 401)
        #expect(try status([("Cookie", "a=b; vibe=\(token); c=d")]) == 200)
        // Beside a key, the key counts.
        #expect(try status([("Cookie", browser.cookie), ("Authorization", "Bearer wrong-key-0123456789")]) == 401)
    }

    @Test func `the cookie reaches no instance, and an instance cannot set it`() throws {
        let received = Recorded<ReceivedRequestHead>()
        let instance = try FakeOpenCode().start { connection, head in
            received.append(head)
            try connection.respond(
                200,
                headers: [
                    ("Set-Cookie", "vibe=x; Path=/"), ("Set-Cookie", " __Host-Vibe = x"), ("Set-Cookie", "=vibe=x"),
                    ("Set-Cookie", "vibes=kept"),
                ], text: "{}")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let browser = try SignedInBrowser(gateway, key: GatewayUnderTest.key)
        let response = try TestClient.request(
            port: gateway.port, "GET", "\(Self.api)/session",
            headers: [("Cookie", "a=1; \(browser.cookie);__host-vibe=x; =vibe=x; vibes=2")])

        #expect(response.status == 200)
        #expect(received.values.last?.value(of: "cookie") == "a=1; vibes=2")
        #expect(response.values(of: "set-cookie") == ["vibes=kept"])

        _ = try browser.request("GET", "\(Self.api)/session")

        #expect(received.values.last?.value(of: "cookie") == nil)
    }

    @Test func `the requests of a session count with its key`() throws {
        let gateway = try GatewayUnderTest()
        let key = try gateway.createKey("phone", #""rate":"3/h""#)
        let browser = try SignedInBrowser(gateway, key: key.token)

        #expect(try browser.request("GET", "/projects").status == 200)
        #expect(try gateway.request("GET", "/projects", key: key).status == 200)
        #expect(try browser.request("GET", "/projects").status == 429)
    }
}
