// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the request that the instance receives for a client's request (RFC 9110 §7.6).
@Suite(.onTestThreads) struct ForwardedRequestTests {
    private static func fixture(environment: [String: String] = [:]) throws -> ProxyFixture {
        try ProxyFixture(environment: environment) { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "fine")
        }
    }

    /// Returns the fields that the gateway adds to a request from the tests' own client.
    private static func added(_ fixture: ProxyFixture, host: String) throws -> [String] {
        let credentials = try #require(fixture.instance.requests.values.last?.value(of: "Authorization"))
        return [
            "Authorization: \(credentials)", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: http",
            "X-Forwarded-Host: \(host)", "Via: 1.1 viberemote-gateway",
        ]
    }

    @Test func `a request without optional fields has only the gateway's own fields at the instance`() throws {
        let fixture = try Self.fixture()
        let host = "127.0.0.1:\(fixture.gateway.port)"

        for (method, body) in [
            ("GET", nil), ("HEAD", nil), ("DELETE", nil), ("OPTIONS", nil), ("POST", nil), ("POST", "{}"),
            ("PUT", "{}"), ("PATCH", "{}"), ("DELETE", "{}"), ("POST", ""),
        ] as [(String, String?)] {
            _ = try fixture.request(method, "/x?y=%2F", body: body.map { Array($0.utf8) })
            let request = try #require(fixture.instance.requests.values.last)
            let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
            let expected =
                ["Host: 127.0.0.1:\(fixture.instance.port)"] + (try Self.added(fixture, host: host)) + length
            #expect(request.method == method)
            #expect(request.target == "/x?y=%2F")
            #expect(request.version == "HTTP/1.1")
            #expect(request.fields.map(\.description).sorted() == expected.sorted(), "\(method) \(body ?? "-")")
            #expect(request.fields.first?.name == "Host")
        }
    }

    @Test(arguments: ProxyFixture.carriers)
    func `fields keep their order, spelling, duplicates and empty values`(method: String) throws {
        let fixture = try Self.fixture()
        let sent = [
            ("aCCept", "text/plain"), ("X-One", "1"), ("Cookie", "a=b"), ("x-ONE", "2"), ("X-Empty", ""),
            ("Content-Type", "application/json"), ("User-Agent", "test/1"), ("X-Tab", "a\tb"), ("X-One", "1"),
            ("Accept-Encoding", "gzip, br"), ("Last-Event-ID", "7"), ("Range", "bytes=0-1"), ("TE-Like", "x"),
        ]
        _ = try fixture.request(method, "/x", headers: sent)
        let request = try #require(fixture.instance.requests.values.last)
        let got = request.fields.dropFirst().prefix(sent.count).map(\.description)

        #expect(got == sent.map { "\($0.0): \($0.1)" })
    }

    @Test func `hop-by-hop fields of the client are not forwarded`() throws {
        let fixture = try Self.fixture()
        _ = try fixture.request(
            "GET", "/x",
            headers: [
                ("Connection", "keep-alive, X-Named"), ("connection", "x-second,, Close-Not"),
                ("Keep-Alive", "timeout=5"),
                ("Proxy-Connection", "keep-alive"), ("TE", "trailers"), ("Trailer", "X-Sum"), ("Upgrade", "h2c"),
                ("X-NAMED", "1"), ("X-Second", "2"), ("Close-Not", "3"), ("Proxy-Authorization", "Basic eA=="),
                ("X-Stays", "4"),
            ])
        let request = try #require(fixture.instance.requests.values.last)
        let names = Set(request.fields.map { $0.name.lowercased() })

        #expect(
            names == [
                "host", "x-stays", "authorization", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "via",
            ])
    }

    @Test func `a small chunked body is forwarded with Content-Length`() throws {
        let fixture = try Self.fixture()
        let client = try fixture.send("POST", "/x", headers: [("Transfer-Encoding", "Chunked")])
        try client.writeChunk("hello")
        try client.writeLastChunk()

        #expect(try ResponseReader(client).readAll().status == 200)

        let request = try #require(fixture.instance.requests.values.last)

        // The body was buffered completely, so it has a length now.
        #expect(request.values(of: "Transfer-Encoding") == [])
        #expect(request.values(of: "Content-Length") == ["5"])
    }

    @Test func `the client's key is replaced by the instance's credentials`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "fine") }
        let tools = try TemporaryDirectory()
        // This instance writes the password that it received to a file.
        let shim = try tools.write(
            """
            #!/bin/sh
            printf %s "$OPENCODE_SERVER_PASSWORD" > password
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
        let gateway = try GatewayUnderTest(opencode: shim)
        try gateway.start(instance)
        _ = try gateway.request("GET", ProxyFixture.target("/x"))
        let password = try String(contentsOfFile: gateway.home.path + "/demo/password", encoding: .utf8)

        #expect(password.utf8.count >= 32)

        let credentials = Data("opencode:\(password)".utf8).base64EncodedString()

        #expect(instance.requests.values.last?.values(of: "Authorization") == ["Basic \(credentials)"])
        #expect(!gateway.log.contains { $0.contains(password) || $0.contains(credentials) })
    }

    private static let reported = [
        ("Host", "vibe.example.com"), ("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-For", "198.51.100.1"),
        ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "outer.example.com"), ("X-Forwarded-Port", "443"),
        ("Forwarded", "for=203.0.113.7"), ("X-Real-IP", "203.0.113.7"), ("Via", "2 edge"),
    ]

    @Test func `forwarding fields of an untrusted client are replaced, and only Via is extended`() throws {
        for trusted in ["none", "10.0.0.0/8,::1"] {
            let fixture = try Self.fixture(environment: ["VIBE_TRUST_PROXY": trusted])
            _ = try fixture.request("GET", "/x", headers: Self.reported)
            let request = try #require(fixture.instance.requests.values.last)
            #expect(request.values(of: "X-Forwarded-For") == ["127.0.0.1"])
            #expect(request.values(of: "X-Forwarded-Proto") == ["http"])
            #expect(request.values(of: "X-Forwarded-Host") == ["vibe.example.com"])
            for name in ["X-Forwarded-Port", "Forwarded", "X-Real-IP"] { #expect(request.values(of: name) == []) }
            #expect(request.values(of: "Via") == ["2 edge, 1.1 viberemote-gateway"])
        }
    }

    @Test func `forwarding fields of a trusted proxy are extended`() throws {
        let fixture = try Self.fixture(environment: ["VIBE_TRUST_PROXY": "10.0.0.0/8,127.0.0.1"])
        _ = try fixture.request("GET", "/x", headers: Self.reported)
        let request = try #require(fixture.instance.requests.values.last)

        #expect(request.values(of: "Host") == ["127.0.0.1:\(fixture.instance.port)"])
        #expect(request.values(of: "X-Forwarded-For") == ["203.0.113.7, 198.51.100.1, 127.0.0.1"])
        #expect(request.values(of: "X-Forwarded-Proto") == ["https"])
        #expect(request.values(of: "X-Forwarded-Host") == ["outer.example.com"])
        #expect(request.values(of: "X-Forwarded-Port") == ["443"])
        #expect(request.values(of: "Forwarded") == ["for=203.0.113.7"])
        #expect(request.values(of: "X-Real-IP") == ["203.0.113.7"])
        #expect(request.values(of: "Via") == ["2 edge, 1.1 viberemote-gateway"])
    }

    @Test func `Via has the version of an HTTP/1.0 client`() throws {
        let fixture = try Self.fixture()
        let client = try fixture.gateway.connect()
        try client.write(
            "GET \(ProxyFixture.target("/x")) HTTP/1.0\r\nAuthorization: Bearer \(GatewayUnderTest.key)\r\n\r\n")

        #expect(try ResponseReader(client).readAll().text == "fine")

        let request = try #require(fixture.instance.requests.values.last)

        #expect(request.values(of: "Via") == ["1.0 viberemote-gateway"])
        #expect(request.version == "HTTP/1.1")
        #expect(request.values(of: "X-Forwarded-Host") == [])
    }

    @Test func `proxy variables in the environment are ignored`() throws {
        let refusing = try RefusingPort()
        let proxy = "http://127.0.0.1:\(refusing.number)"
        let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let fixture = try Self.fixture(
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, proxy) }).merging(["no_proxy": ""]) { $1 })

        #expect(try fixture.request("GET", "/x").text == "fine")
    }
}
