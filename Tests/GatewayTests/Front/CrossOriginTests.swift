// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests web pages in a browser (Fetch standard, CORS protocol), both of allowed origins and of all others.
@Suite(.onTestThreads) struct CrossOriginTests {
    private static let origin = ("Origin", "https://app.example.com")
    private static let other = ("Origin", "https://evil.example")
    private static let flags = ["--allow-origin", "https://app.example.com,http://localhost:3000"]
    private static let preflight = ("Access-Control-Request-Method", "GET")
    private static let paths = [
        "/health", "/openapi.json", "/docs", "/projects", "/projects/demo/start", "/projects/demo/stop",
        "/projects/demo/status", "/projects/demo/api/session", "/projects/demo/api/api/session", "/projects/demo/api",
        "/projects/unknown/status", "/projects/%2e%2e/status",
    ]

    /// Returns the CORS fields of a response, sorted.
    private static func terms(_ answer: TestResponse) -> [String] {
        answer.fields.filter { $0.name.lowercased().hasPrefix("access-control-") }.map(\.description).sorted()
    }

    private static let granted = [
        "Access-Control-Allow-Credentials: true", "Access-Control-Allow-Origin: https://app.example.com",
        "Access-Control-Expose-Headers: Allow, ETag, Location, Retry-After, X-Request-Id",
    ]

    @Test func `preflights are answered without a key on each route`() throws {
        let gateway = try GatewayUnderTest(flags: Self.flags)
        try gateway.makeProject("demo")

        for path in Self.paths {
            let answer = try TestClient.request(
                port: gateway.port, "OPTIONS", path,
                headers: [
                    Self.origin, Self.preflight, ("Access-Control-Request-Headers", "authorization,content-type"),
                ])
            #expect(answer.status == 204, "\(path)")
            #expect(answer.body.isEmpty)
            #expect(answer.values(of: "Access-Control-Allow-Origin") == ["https://app.example.com"])
            #expect(answer.values(of: "Access-Control-Allow-Credentials") == ["true"])
            #expect(answer.values(of: "Access-Control-Allow-Headers") == ["authorization,content-type"])
            #expect(answer.values(of: "Vary").contains("Origin"))
            let methods = try #require(answer.value(of: "Access-Control-Allow-Methods"))
            // A preflight allows exactly the methods that the route serves. A request with an unknown method gets the
            // same list.
            let refused = try gateway.request("BREW", path)
            #expect(refused.status == 405 ? refused.value(of: "Allow") == methods : refused.status == 404, "\(path)")
        }
    }

    @Test(arguments: ["/session", "/api/session", "/api/pty/pty_1/connect-token"])
    func `a preflight never reaches the instance, but other OPTIONS requests do`(path: String) throws {
        // The instance is of either family.
        let fixture = try ProxyFixture(FakeOpenCode(path == "/session" ? .one() : .two()), flags: Self.flags) {
            connection, _ in
            try connection.respond(204, headers: [("X-Own", "1")])
        }
        let answer = try TestClient.request(
            port: fixture.gateway.port, "OPTIONS", ProxyFixture.target(path), headers: [Self.origin, Self.preflight])

        #expect(answer.status == 204)
        #expect(answer.values(of: "X-Own") == [])

        // The preflight of a foreign page also does not reach the instance, because OpenCode 2 would list its methods.
        let foreign = try TestClient.request(
            port: fixture.gateway.port, "OPTIONS", ProxyFixture.target(path),
            headers: [Self.other, Self.preflight, ("Access-Control-Request-Headers", "authorization")])

        #expect(foreign.status == 403)
        #expect(Self.terms(foreign) == [])
        #expect(fixture.instance.requests.count == 0)

        for headers in [[], [Self.origin], [Self.preflight]] {
            let passed = try fixture.request("OPTIONS", path, headers: headers)
            #expect(passed.values(of: "X-Own") == ["1"])
        }
        let keyless = try TestClient.request(
            port: fixture.gateway.port, "OPTIONS", ProxyFixture.target(path), headers: [Self.origin])

        #expect(keyless.status == 401)
    }

    @Test func `a page of another origin receives no CORS fields, and its preflight receives 403`() throws {
        for flags in [Self.flags, []] {
            let gateway = try GatewayUnderTest(flags: flags)
            try gateway.makeProject("demo")
            for path in Self.paths {
                let answer = try TestClient.request(
                    port: gateway.port, "OPTIONS", path, headers: [Self.other, Self.preflight])
                #expect(answer.status == 403, "\(path)")
                #expect(
                    answer.text
                        == #"{"detail":"Web pages of this origin are not allowed to use the gateway. To allow the origin, set --allow-origin."}"#
                )
                #expect(Self.terms(answer) == [])
            }

            // The request itself is not rejected, because keys determine access, and programs also send Origin.
            let answer = try gateway.request("GET", "/projects/demo/status", headers: [Self.other])
            #expect(answer.status == 200)
            #expect(Self.terms(answer) == [])
        }
    }

    @Test func `a page of an allowed origin can read each kind of error`() throws {
        let gateway = try GatewayUnderTest(flags: Self.flags)
        try gateway.makeProject("demo")
        for (method, path, status) in [
            ("GET", "/nothing", 404), ("GET", "/projects/unknown/status", 404), ("BREW", "/health", 405),
            ("GET", "/projects/demo/api/x", 503), ("GET", "/projects/%2e/api/x", 404),
        ] {
            let answer = try gateway.request(method, path, headers: [Self.origin])
            #expect(answer.status == status, "\(path)")
            #expect(Self.terms(answer) == Self.granted, "\(path)")
            #expect(answer.values(of: "Vary") == ["Origin"])
        }
        let locked = try TestClient.request(port: gateway.port, "GET", "/projects", headers: [Self.origin])

        #expect(locked.status == 401)
        #expect(Self.terms(locked) == Self.granted)
    }

    @Test func `the gateway replaces the instance's CORS fields, except for its exposed headers`() throws {
        let fixture = try ProxyFixture(flags: Self.flags) { connection, head in
            let fields = [
                ("Access-Control-Allow-Origin", "*"), ("access-control-allow-credentials", "true"),
                ("Access-Control-Allow-Methods", "GET"), ("Access-Control-Allow-Headers", "x"),
                ("Access-Control-Max-Age", "86400"), ("Access-Control-Expose-Headers", "Link, X-Next-Cursor"),
                ("Vary", "Accept-Encoding"),
                ("Content-Type", head.path == "/event" ? "text/event-stream" : "text/plain"),
            ]
            try connection.respond(200, headers: fields, text: "data: x\n\n")
        }

        for path in ["/session", "/event"] {
            let allowed = try fixture.request("GET", path, headers: [Self.origin])
            #expect(
                Self.terms(allowed) == Self.granted + ["Access-Control-Expose-Headers: Link, X-Next-Cursor"], "\(path)")
            #expect(allowed.values(of: "Vary") == ["Accept-Encoding", "Origin"])
            for headers in [[Self.other], []] {
                let answer = try fixture.request("GET", path, headers: headers)
                #expect(Self.terms(answer) == [], "\(path)")
                #expect(answer.values(of: "Vary") == ["Accept-Encoding", "Origin"])
            }
        }
    }

    @Test func `Origin appears only once in Vary if the instance also sends it`() throws {
        let fixture = try ProxyFixture(flags: Self.flags) { connection, head in
            let vary = head.path == "/api/info" ? "Origin, Accept-Encoding" : "Origin"
            try connection.respond(200, headers: [("vary", vary)], text: "x")
        }

        for origin in [Self.origin, Self.other] {
            #expect(try fixture.request("GET", "/session", headers: [origin]).values(of: "Vary") == ["Origin"])
            let two = try fixture.request("GET", "/api/info", headers: [origin])
            #expect(two.values(of: "Vary") == ["Origin, Accept-Encoding"])
        }
    }

    @Test func `without --allow-origin, responses have no CORS fields and no added Vary`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(
                200, headers: [("Access-Control-Allow-Origin", "http://localhost:3000"), ("Vary", "Origin")], text: "x")
        }
        let answer = try fixture.request("GET", "/session", headers: [("Origin", "http://localhost:3000")])

        #expect(Self.terms(answer) == [])
        #expect(answer.values(of: "Vary") == ["Origin"])
        #expect(try fixture.gateway.request("GET", "/projects", headers: [Self.origin]).values(of: "Vary") == [])
    }
}
