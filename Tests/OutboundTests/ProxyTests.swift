// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Outbound

@Suite("Requests through the environment's proxy", .enabled(if: TLSFront.isAvailable, "python3 or openssl is missing"))
struct ProxyTests {
    private static func fixture(_ proxy: ConnectProxy, noProxy: String = "") throws -> OutboundFixture {
        try OutboundFixture(
            names: ["DNS:hooks.example.com", "DNS:localhost", "IP:127.0.0.1"],
            proxies: ProxyEnvironment([
                "https_proxy": "http://user:secret@127.0.0.1:\(proxy.port)", "no_proxy": noProxy,
            ]),
            OutboundFixture.answering { _, connection in try connection.respond(200, text: "ok") })
    }

    @Test func `the proxy resolves the name, and TLS passes through it to the server`() async throws {
        let proxy = try ConnectProxy()
        let fixture = try Self.fixture(proxy)
        var request = try fixture.request(host: "hooks.example.com")
        request.reach = .publicInternet

        #expect(try await fixture.outbound.send(request).body == Array("ok".utf8))
        #expect(proxy.targets.values == ["hooks.example.com:\(fixture.front.port)"])
    }

    @Test(
        arguments: ["127.0.0.1", "localhost"])
    func `a private address or local name is rejected before the proxy is contacted`(host: String) async throws {
        let proxy = try ConnectProxy()
        let fixture = try Self.fixture(proxy)
        var request = try fixture.request(host: host)
        request.reach = .publicInternet
        let failure = try #require(await fixture.failure(request))

        #expect(failure.kind == .address)
        #expect(failure.description.contains("https_proxy"))
        #expect(proxy.targets.values.isEmpty)

        request.reach = .everywhere

        #expect(try await fixture.outbound.send(request).head.status == 200)
        #expect(proxy.targets.count == 1)
    }

    @Test func `a host in no_proxy bypasses the proxy, and its address is checked`() async throws {
        let proxy = try ConnectProxy()
        let fixture = try Self.fixture(proxy, noProxy: "other.example,localhost")
        var request = try fixture.request()

        #expect(try await fixture.outbound.send(request).head.status == 200)

        request.reach = .publicInternet

        #expect(await fixture.failure(request)?.kind == .address)
        #expect(proxy.targets.values.isEmpty)
    }

    @Test func `the error for a failing proxy names its variable and omits its password`() async throws {
        let proxy = try ConnectProxy(answering: 403)
        let fixture = try Self.fixture(proxy)
        var failure = try #require(await fixture.failure(try fixture.request(host: "hooks.example.com")))

        #expect(failure.kind == .proxy, "\(failure)")
        #expect(failure.description.contains("https_proxy"), "\(failure)")
        #expect(failure.description.contains("403"), "\(failure)")
        #expect(!failure.description.contains("secret"))

        let gone = try RefusingPort()
        var settings = OutboundSettings()
        settings.proxies = ProxyEnvironment(["ALL_PROXY": "http://user:secret@127.0.0.1:\(gone.number)"])
        let outbound = try Outbound(settings)
        let url = try OutboundURL("https://hooks.example.com/")
        do throws(OutboundFailure) {
            _ = try await outbound.send(OutboundRequest("GET", url))
            Issue.record("answered")
        } catch {
            failure = error
        }

        #expect(failure.kind == .proxy, "\(failure)")
        #expect(failure.description.contains("ALL_PROXY"), "\(failure)")
        #expect(!failure.description.contains("secret"))

        outbound.stop()
    }

    @Test func `a SOCKS proxy resolves names, and the gateway does so only if every address is allowed`() async throws {
        let proxy = try SocksProxy()
        let fixture = try OutboundFixture(
            names: ["DNS:hooks.example.com", "DNS:localhost"],
            proxies: ProxyEnvironment(["https_proxy": "socks5://127.0.0.1:\(proxy.port)"]),
            OutboundFixture.answering { _, connection in try connection.respond(200, text: "ok") })
        var request = try fixture.request(host: "hooks.example.com")
        request.reach = .publicInternet

        #expect(try await fixture.outbound.send(request).head.status == 200)
        #expect(try await fixture.outbound.send(try fixture.request(host: "localhost")).head.status == 200)
        #expect(proxy.targets.values == ["hooks.example.com", "127.0.0.1"])
    }

    /// Returns the failure of a request to a server through a TLS proxy.
    private static func failure(
        of fixture: OutboundFixture, at server: TLSFront? = nil, through front: TLSFront
    ) async throws -> OutboundFailure? {
        var settings = OutboundSettings()
        settings.authorities = fixture.certificates.authority
        settings.proxies = ProxyEnvironment(["https_proxy": "https://user:secret@127.0.0.1:\(front.port)"])
        let outbound = try Outbound(settings)
        defer {
            outbound.stop()
            withExtendedLifetime((fixture, server, front)) {}
        }
        var request = try fixture.request()
        request.url = try fixture.url(host: "hooks.example.com", port: server?.port)
        do throws(OutboundFailure) {
            _ = try await outbound.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a bad certificate is attributed to the proxy or the server that presented it`() async throws {
        let proxy = try ConnectProxy()
        let fixture = try OutboundFixture(
            names: ["DNS:hooks.example.com"],
            OutboundFixture.answering { _, connection in try connection.respond(200) })
        let front = try TLSFront(fixture.certificates.pair(), to: proxy.port)

        #expect(try await Self.failure(of: fixture, through: front) == nil)

        let expired = try TLSFront(fixture.certificates.pair(days: -1), to: proxy.port)
        let other = try TLSFront(fixture.certificates.pair(for: ["DNS:other.example"]), to: proxy.port)
        let authority = try TestCertificates()
        let strange = try TLSFront(authority.pair(), to: proxy.port)
        for (front, words) in [
            (expired, "has expired. Renew it"),
            (other, "is for another name. Get a certificate for the host that https_proxy names"),
            (strange, "SSL_CERT_FILE"),
        ] {
            let failure = try #require(try await Self.failure(of: fixture, through: front))
            #expect(failure.kind == .proxy, "\(failure)")
            #expect(failure.description.contains(words), "\(failure)")
            #expect(
                failure.description.hasPrefix("The certificate of the proxy for https://hooks.example.com"),
                "\(failure)")
            #expect(!failure.description.contains("secret"), "\(failure)")
        }

        #expect(proxy.targets.count == 1)

        let server = try TLSFront(fixture.certificates.pair(for: ["DNS:other.example"]), to: fixture.server.port)
        let failure = try await Self.failure(of: fixture, at: server, through: front)

        #expect(failure?.kind == .certificate(.otherName), "\(String(describing: failure))")
        #expect(failure?.description.hasPrefix("The certificate of https://hooks.example.com:") == true)

        withExtendedLifetime(authority) {}
    }

    @Test func `a proxy that lacks the required TLS is reported as a proxy failure`() async throws {
        let proxy = try TestServer { connection in
            _ = try connection.read()
            try connection.respond(400)
        }
        var settings = OutboundSettings()
        settings.proxies = ProxyEnvironment(["https_proxy": "https://127.0.0.1:\(proxy.port)"])
        let outbound = try Outbound(settings)
        defer { outbound.stop() }
        let request = OutboundRequest("GET", try OutboundURL("https://hooks.example.com/"))

        do throws(OutboundFailure) {
            _ = try await outbound.send(request)
            Issue.record("answered")
        } catch {
            #expect(error.kind == .proxy)
            #expect(error.description.hasPrefix("The TLS handshake with the proxy for https://hooks.example.com"))
        }
    }
}
