// SPDX-License-Identifier: Apache-2.0

import Access
import EventLoop
import Glibc
import HTTPServer
import HTTPTypes
import Logging
import OpenCodeFamilies
import TestKit
import Testing

@testable import ConversationServing
@testable import GatewayCore
@testable import GatewayServer

/// Tests which clients are admitted without a key with `--chat-open`.
@Suite(.timeLimit(.minutes(5))) struct OpenRuleTests {
    private static func verdict(_ fields: [(String, String)], target: String = "/") -> OpenRule.Verdict {
        let head = RequestHead(.get, target)
        for (name, value) in fields { head.fields.append(name, value) }
        return OpenRule.judge(head)
    }

    private static func isRefused(_ fields: [(String, String)], target: String = "/") -> Bool {
        if case .refused = verdict(fields, target: target) { true } else { false }
    }

    @Test(
        arguments: [
            "localhost", "localhost:9200", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:9200", "127.1.2.3:9200", "[::1]",
            "[::1]:9200",
        ])
    func `each loopback Host is admitted unless its Origin is foreign`(host: String) {
        #expect(Self.verdict([("Host", host)]) == .admitted)
        #expect(Self.verdict([("Host", host), ("Origin", "http://\(host)")]) == .admitted)
        #expect(Self.verdict([("Host", host), ("Origin", "WS://\(host)")]) == .admitted)
        #expect(Self.isRefused([("Host", host), ("Origin", "https://example.com")]))
    }

    @Test(
        arguments: [
            "example.com", "example.com:9200", "localhost.example.com", "127.0.0.1.example.com", "192.168.1.2",
            "0.0.0.0",
            "[::]", "[fe80::1]", "", ":9200", "localhost.", "128.0.0.1",
        ])
    func `each Host that is not a loopback name is rejected`(host: String) { #expect(Self.isRefused([("Host", host)])) }

    @Test(
        arguments: [
            "https://example.com", "http://localhost.example.com:9200", "null", "http://localhost:9201",
            "http://localhost",
            "http://127.0.0.1:9200", "", "localhost:9200", "file://localhost:9200", "http://localhost:9200/",
            "http://localhost:9200.example.com",
        ])
    func `each foreign Origin is rejected`(origin: String) {
        #expect(Self.isRefused([("Host", "localhost:9200"), ("Origin", origin)]))
    }

    @Test func `repeated Host or Origin, a missing Host and an absolute-form target are each rejected`() {
        let own = ("Origin", "http://localhost")

        #expect(Self.isRefused([("Host", "localhost"), own, own]))
        #expect(Self.isRefused([("Host", "localhost"), ("Host", "localhost")]))
        #expect(Self.isRefused([]))
        #expect(Self.isRefused([("Host", "localhost")], target: "http://localhost/"))
    }

    @Test(arguments: ["Forwarded", "forwarded", "X-Forwarded-For"])
    func `a request that was forwarded by a proxy needs a key`(name: String) {
        #expect(Self.verdict([("Host", "localhost"), (name, "for=127.0.0.1")]) == .needsKey)
        #expect(Self.verdict([("Host", "example.com"), (name, "")]) == .needsKey)
    }

    @Test(arguments: ["same-origin", "none"]) func `a browser's own request needs no key`(site: String) {
        #expect(Self.verdict([("Host", "localhost"), ("Sec-Fetch-Site", site)]) == .admitted)
    }

    @Test(arguments: ["cross-site", "same-site", "", "Same-Origin", "none, none", "unknown"])
    func `a web page's request without an origin is rejected`(site: String) {
        #expect(Self.isRefused([("Host", "localhost"), ("Sec-Fetch-Site", site)]))
    }

    @Test func `a request with two Sec-Fetch-Site fields is rejected`() {
        #expect(Self.isRefused([("Host", "localhost"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "none")]))
    }

    @Test(
        arguments: [(0, true), (1000, true), (33, false), (65534, false), (nil, false)] as [(UInt32?, Bool)])
    func `only the gateway's own user and root are admitted`(user: UInt32?, isAdmitted: Bool) {
        #expect(OpenRule.admits(user: user, gateway: 1000) == isAdmitted)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a socket to another user"), arguments: [65534, 33])
    func `another user needs a key at an open listener`(user: UInt32) async throws {
        let fixture = try await ChatFixture(isOpen: true)
        defer { fixture.plane.stop() }

        let answers = try await onThread {
            let connection = try TestClient.connect(port: fixture.chatPort, user: user)
            defer { connection.close() }
            let refused = try connection.exchange("GET", "/", headers: ChatFixture.upgrade)
            let again = try connection.exchange("GET", "/", headers: ChatFixture.upgrade)
            let keyed = try connection.exchange("GET", "/", headers: [ChatFixture.authorization])
            return [refused, again, keyed]
        }

        #expect(answers.map(\.status) == [403, 403, 426])
        #expect(answers[0].text.contains("gateway's own user"))
    }

    @Test func `only an open listener admits local programs without a key`() async throws {
        let fixture = try await ChatFixture(isOpen: true)
        defer { fixture.plane.stop() }
        try await onThread {
            let client = try ChatClient(port: fixture.chatPort, "/", [])
            #expect(try client.echo("hello") == "hello")
            try client.close()
            try ChatClient(port: fixture.chatPort, "/", [("Host", "localhost:9200")]).close()
            #expect(try ChatFixture.refusal(port: fixture.port, []).status == 401)
            #expect(try ChatFixture.refusal(port: fixture.chatPort, [("X-Forwarded-For", "127.0.0.1")]).status == 401)
            #expect(try ChatFixture.refusal(port: fixture.chatPort, [("Forwarded", "for=127.0.0.1")]).status == 401)
            let page = try ChatFixture.refusal(port: fixture.chatPort, [("Origin", "https://example.com")])
            #expect(page.status == 403)
            #expect(page.text.contains("web pages of another origin"))
            #expect(try ChatFixture.refusal(port: fixture.chatPort, [("Sec-Fetch-Site", "cross-site")]).status == 403)
            let name = try ChatFixture.refusal(port: fixture.chatPort, [("Host", "example.com")])
            #expect(name.status == 403)
            #expect(name.text.contains("only from this machine"))
            // With a key, all of them are admitted, and a wrong key is reported to the client.
            for field in [("Origin", "https://example.com"), ("Host", "example.com"), ("Forwarded", "for=127.0.0.1")] {
                try ChatClient(port: fixture.chatPort, "/", [ChatFixture.authorization, field]).close()
            }
            #expect(try ChatFixture.refusal(port: fixture.chatPort, [("Authorization", "Bearer wrong")]).status == 401)
            #expect(
                try ChatFixture.refusal(port: fixture.chatPort, [("Sec-WebSocket-Protocol", "vibe.wrong")]).status
                    == 401)
        }

        #expect(fixture.received.values.first == "opened -")
    }

    @Test func `a listener that is not open requires a key`() async throws {
        let fixture = try await ChatFixture(isOpen: false)
        defer { fixture.plane.stop() }
        let status = try await onThread { try ChatFixture.refusal(port: fixture.chatPort, []).status }

        #expect(status == 401)
    }

    @Test(
        arguments: [
            ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("0.0.0.0", false), ("::", false),
            ("192.0.2.1", false),
        ])
    func `only a listener on a loopback address can be open`(host: String, isOpen: Bool) throws {
        let address = try #require(SocketAddress(host: host, port: 0))
        let listener = EndpointListener(.chat, setting: "--chat-listen", address: address, isOpen: true)

        #expect(throws: DataPlaneError.self) { try OpenListener(listener, endpoints: []) }

        if isOpen {
            #expect(try OpenListener(listener, endpoints: [.chatAtAnyPath]).isOpen)
        } else {
            let failure = #expect(throws: DataPlaneError.self) {
                try OpenListener(listener, endpoints: [.chatAtAnyPath])
            }
            #expect(failure?.description.contains("--chat-open") == true)
        }
    }

    @Test func `a conversations listener serves only conversations, with the same admission rule`() async throws {
        let own = Endpoint(
            .get, "/models", requires: .key(.read),
            description: .init(id: "models", summary: "Models", "For tests.")
        ) {
            request, _ in
            .answer(ControlAnswers.json(200, #""\#(request.principal?.name ?? "-")""#))
        }
        let free = try #require(SocketAddress(host: "127.0.0.1", port: 0))
        var setUp = DataPlane.SetUp(
            address: free, threads: 2, policy: Policy(key: ChatFixture.key), log: .init(sink: LogKeeper()),
            control: NoProjects())
        setUp.endpointListeners = [
            EndpointListener(.conversations, setting: "--conversations-listen", address: free, isOpen: true)
        ]
        setUp.conversationEndpoints = [own]
        let plane = try DataPlane(setUp)
        defer { plane.stop() }
        try await plane.accept()

        #expect(
            plane.endpointListeners[0].announcement
                == "conversations listening on http://\(plane.endpointListeners[0].address)")

        try await onThread {
            let port = plane.endpointListeners[0].address.port
            let unnamed = try TestClient.request(port: port, "GET", "/models")
            #expect(unnamed.status == 200)
            #expect(unnamed.text == #""-""#)
            let named = try TestClient.request(port: port, "GET", "/models", headers: [ChatFixture.authorization])
            #expect(named.text == #""VIBE_AUTH_SECRET""#)
            let foreign = [("Origin", "https://example.com"), ("Host", "example.com")]
            for field in foreign {
                #expect(try TestClient.request(port: port, "GET", "/models", headers: [field]).status == 403)
            }
            #expect(
                try TestClient.request(port: port, "GET", "/models", headers: [("Forwarded", "for=x")]).status == 401)
            #expect(try TestClient.request(port: port, "POST", "/models").status == 405)
            for target in ["/projects", "/health", "/chat", "/projects/a/api/x"] {
                #expect(
                    try TestClient.request(port: port, "GET", target, headers: [ChatFixture.authorization]).status
                        == 404)
            }
            #expect(try TestClient.request(port: plane.address.port, "GET", "/models").status == 401)
            let keyed = try TestClient.request(
                port: plane.address.port, "GET", "/models", headers: [ChatFixture.authorization])
            #expect(keyed.status == 200)
        }
    }

    @Test func `a chat listener on the gateway's own address is rejected`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }
        let taken = try #require(SocketAddress(host: "127.0.0.1", port: fixture.port))
        let free = try #require(SocketAddress(host: "127.0.0.1", port: 0))
        var setUp = DataPlane.SetUp(
            address: free, threads: 1, policy: Policy(key: ChatFixture.key), log: .init(sink: LogKeeper()),
            control: NoProjects())
        setUp.chat = ChatSetUp { _ in .accepted(Listening()) }
        setUp.endpointListeners = [EndpointListener(.chat, setting: "--chat-listen", address: taken, isOpen: false)]
        let failure = #expect(throws: DataPlaneError.self) { try DataPlane(setUp) }

        #expect(failure?.description.contains("\(taken) (--chat-listen)") == true)
    }
}
