import TestKit
import Testing

@testable import Outbound

@Suite("Requests through the environment's proxy", .enabled(if: TLSFront.isAvailable, "python3 or openssl is missing"))
struct ProxyTests {
    private static func rig(_ proxy: ConnectProxy, noProxy: String = "") throws -> OutboundRig {
        try OutboundRig(
            names: ["DNS:hooks.example.com", "DNS:localhost", "IP:127.0.0.1"],
            proxies: ProxyEnvironment([
                "https_proxy": "http://user:secret@127.0.0.1:\(proxy.port)", "no_proxy": noProxy,
            ]),
            OutboundRig.answering { _, connection in try connection.respond(200, text: "ok") })
    }

    @Test("The proxy looks the name up; the certificate is checked here, and TLS goes through")
    func name() async throws {
        let proxy = try ConnectProxy()
        let rig = try Self.rig(proxy)
        var request = try rig.request(host: "hooks.example.com")
        request.reach = .publicInternet
        #expect(try await rig.outbound.send(request).body == Array("ok".utf8))
        #expect(proxy.asked.values == ["hooks.example.com:\(rig.front.port)"])
    }

    @Test(
        "Private addresses and local names are refused before the proxy hears of them",
        arguments: ["127.0.0.1", "localhost"])
    func literal(host: String) async throws {
        let proxy = try ConnectProxy()
        let rig = try Self.rig(proxy)
        var request = try rig.request(host: host)
        request.reach = .publicInternet
        let failure = try #require(await rig.failure(request))
        #expect(failure.kind == .address && failure.description.contains("https_proxy"))
        #expect(proxy.asked.values.isEmpty)
        request.reach = .everywhere
        #expect(try await rig.outbound.send(request).head.status == 200)
        #expect(proxy.asked.count == 1)
    }

    @Test("What no_proxy names goes without, and is judged by its address")
    func exception() async throws {
        let proxy = try ConnectProxy()
        let rig = try Self.rig(proxy, noProxy: "other.example,localhost")
        var request = try rig.request()
        #expect(try await rig.outbound.send(request).head.status == 200)
        request.reach = .publicInternet
        #expect(await rig.failure(request)?.kind == .address)
        #expect(proxy.asked.values.isEmpty)
    }

    @Test("A proxy that refuses, and one that is not there, are named by their variable and never shown")
    func refusals() async throws {
        let proxy = try ConnectProxy(answering: 403)
        let rig = try Self.rig(proxy)
        var failure = try #require(await rig.failure(try rig.request(host: "hooks.example.com")))
        #expect(
            failure.kind == .proxy && failure.description.contains("https_proxy")
                && failure.description.contains("403"), "\(failure)")
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
        #expect(failure.kind == .proxy && failure.description.contains("ALL_PROXY") && failure.isPassing, "\(failure)")
        #expect(!failure.description.contains("secret"))
        outbound.stop()
    }
}
