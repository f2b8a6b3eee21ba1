// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the sign-in by a reverse proxy in front of the gateway.
@Suite(.onTestThreads) struct IdentityHeaderTests {
    private static let environment = ["VIBE_IDENTITY_HEADER": "X-Auth-Email", "VIBE_TRUST_PROXY": "127.0.0.1"]

    private let requests = Recorded<ReceivedRequest>()
    private let instance: FakeOpenCode.Server

    init() throws {
        let requests = requests
        instance = try FakeOpenCode().start { connection, head in
            requests.append(try connection.readBody(of: head))
            try connection.respond(json: "{}")
        }
    }

    private func gateway(_ environment: [String: String] = Self.environment) throws -> GatewayUnderTest {
        let gateway = try GatewayUnderTest(environment: environment)
        try gateway.start(instance)
        return gateway
    }

    private func request(
        _ gateway: GatewayUnderTest, method: String = "GET",
        _ fields: [(String, String)]
    ) throws -> TestResponse {
        try TestClient.request(port: gateway.port, method, "/projects/demo/api/session", headers: fields)
    }

    @Test func `the identity selects its key, and the instance does not receive it`() throws {
        let gateway = try gateway()
        _ = try gateway.createKey("anna", #""identity":"anna@example.com","allow":"read""#)

        #expect(try request(gateway, [("x-auth-email", "anna@example.com")]).status == 200)
        #expect(try request(gateway, method: "POST", [("X-Auth-Email", "anna@example.com")]).status == 403)
        #expect(requests.values.count == 1)
        #expect(requests.values.first?.value(of: "x-auth-email") == nil)
    }

    @Test func `an unknown identity and a repeated one are refused`() throws {
        let gateway = try gateway()
        _ = try gateway.createKey("anna", #""identity":"anna@example.com""#)
        let unknown = try request(gateway, [("X-Auth-Email", "ben@example.com")])
        let repeated = try request(
            gateway, [("X-Auth-Email", "anna@example.com"), ("x-auth-email", "anna@example.com")])

        #expect(unknown.status == 403)
        #expect(unknown.json["detail"]?.text?.hasPrefix("There is no key for the signed-in user.") == true)
        #expect(repeated.status == 403)
        #expect(try request(gateway, []).status == 401)
        #expect(requests.values.isEmpty)
    }

    @Test func `the field of a peer that is not trusted has no meaning and reaches no instance`() throws {
        let gateway = try gateway(["VIBE_IDENTITY_HEADER": "X-Auth-Email"])
        _ = try gateway.createKey("anna", #""identity":"anna@example.com""#)

        #expect(try request(gateway, [("X-Auth-Email", "anna@example.com")]).status == 401)
        #expect(
            try request(gateway, [("X-Auth-Email", "anna@example.com"), GatewayUnderTest.authorization]).status == 200)
        #expect(requests.values.first?.value(of: "x-auth-email") == nil)
    }

    @Test func `the proxy's cookies and tokens do not reach the instance, nor the instance's cookies the client`()
        throws
    {
        let received = Recorded<ReceivedRequestHead>()
        let instance = try FakeOpenCode().start { connection, head in
            received.append(head)
            try connection.respond(200, headers: [("Set-Cookie", "_oauth2_proxy=x"), ("X-Other", "kept")], text: "{}")
        }
        let gateway = try GatewayUnderTest(environment: Self.environment)
        try gateway.start(instance)
        _ = try gateway.createKey("anna", #""identity":"anna@example.com""#)
        let response = try request(
            gateway,
            [
                ("X-Auth-Email", "anna@example.com"), ("Cookie", "_oauth2_proxy=secret"),
                ("X-Forwarded-Access-Token", "secret"), ("X-Auth-Request-Access-Token", "secret"),
                ("Cf-Access-Jwt-Assertion", "secret"), ("X-Kept", "kept"),
            ])
        let head = try #require(received.values.last)

        #expect(head.fields.allSatisfy { $0.value != "secret" && !$0.value.contains("secret") })
        #expect(head.value(of: "x-kept") == "kept")
        #expect(response.value(of: "set-cookie") == nil)
        #expect(response.value(of: "x-other") == "kept")
    }

    @Test func `a stream ends when its identity no longer selects the key`() throws {
        let fixture = try HubFixture(environment: Self.environment)
        let key = try fixture.gateway.createKey("support", #""identity":"anna@example.com""#)
        let connection = try fixture.gateway.connect()
        try connection.send("GET", "/projects/demo/events", headers: [("X-Auth-Email", "anna@example.com")])
        let stream = EventStreamReader(connection)

        #expect(try stream.nextBlock() != nil)
        #expect(
            try fixture.gateway.json("PATCH", "/-/keys/\(key.id)", #"{"identity":"ben@example.com"}"#).status == 200)

        while try stream.nextBlock(within: .seconds(1)) != nil {}

        #expect(stream.response.ending == .truncated)
    }

    @Test func `beside a token, the token counts`() throws {
        let gateway = try gateway()
        _ = try gateway.createKey("anna", #""identity":"anna@example.com""#)
        let reader = try gateway.createKey("reader", #""allow":"read""#)
        let identity = ("X-Auth-Email", "anna@example.com")

        #expect(try request(gateway, method: "POST", [identity, reader.authorization]).status == 403)
        #expect(try request(gateway, [identity, ("Authorization", "Bearer wrong-key-0123456789")]).status == 401)
        #expect(try request(gateway, method: "POST", [identity]).status == 200)
    }

    @Test(
        arguments: [
            ([("Sec-Fetch-Site", "same-origin")], 200), ([("Sec-Fetch-Site", "cross-site")], 403),
            ([("Sec-Fetch-Site", "same-site")], 403), ([("Origin", "https://evil.example.com")], 403),
            ([("Origin", "https://gateway.example.com")], 200), ([("Origin", "null")], 403), ([], 200),
        ] as [([(String, String)], Int)])
    func `a page of another origin changes nothing with the identity of its visitor`(
        fields: [(String, String)], status: Int
    ) throws {
        let gateway = try gateway()
        _ = try gateway.createKey("anna", #""identity":"anna@example.com","allow":"run""#)
        let all = [("X-Auth-Email", "anna@example.com"), ("X-Forwarded-Host", "gateway.example.com")] + fields

        #expect(try request(gateway, method: "POST", all).status == status)
        // A page cannot read the response to a GET request of another origin.
        #expect(try request(gateway, all).status == 200)

        let handshake = try gateway.connect()
        try handshake.send(
            "GET", "/projects/demo/api/pty/1/connect", headers: all + TestConnection.webSocketUpgrade)
        let opened = try ResponseReader(handshake).readHead().status

        #expect((opened == 403) == (status == 403))
    }

    @Test func `the key of an identity is revoked like any other key`() throws {
        let gateway = try gateway()
        let key = try gateway.createKey("anna", #""identity":"anna@example.com""#)

        #expect(try gateway.json("POST", "/-/keys", #"{"name":"b","identity":"anna@example.com"}"#).status == 409)
        #expect(try gateway.request("DELETE", "/-/keys/\(key.id)").status == 204)
        #expect(try request(gateway, [("X-Auth-Email", "anna@example.com")]).status == 403)
    }

    @Test(
        arguments: [
            ([:], "has no effect, because --trust-proxy names no proxy"),
            (["VIBE_TRUST_PROXY": "10.0.0.0/16"], "contains more than 256 addresses"),
        ] as [([String: String], String)])
    func `check warns about identities that anyone could send`(environment: [String: String], warning: String) throws {
        let home = try TemporaryDirectory()
        let run = try ProgramRun(
            ["check", "--home", home.path, "--state-dir", "\(home.path)/state", "--supervisor", "process"],
            ["VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_IDENTITY_HEADER": "X-Auth-Email", "HOME": home.path]
                .merging(environment) { $1 })

        #expect((run.output + run.error).contains { $0.contains(warning) }, "\(run.output) \(run.error)")
    }
}
