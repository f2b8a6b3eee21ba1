// SPDX-License-Identifier: Apache-2.0

import Addresses
import TestKit
import Testing

@testable import Outbound

@Suite(
    "Certificates and addresses that outbound requests accept",
    .enabled(if: TLSFront.isAvailable, "python3 or openssl is missing"))
struct TrustTests {
    private static let ok = OutboundFixture.answering { _, connection in try connection.respond(200, text: "ok") }

    @Test func `a certificate that is untrusted, expired or for another name is rejected with its reason`() async throws
    {
        let received = Recorded<ReceivedRequest>("a request")
        let handler = OutboundFixture.answering { request, connection in
            received.append(request)
            try connection.respond(200, text: "ok")
        }

        for (fixture, fault, words) in [
            (try OutboundFixture(isTrusted: false, handler), .unknownIssuer, "SSL_CERT_FILE"),
            (try OutboundFixture(days: -1, handler), .expired, "Renew it"),
            (try OutboundFixture(names: ["DNS:other.example"], handler), .otherName, "Get a certificate for localhost"),
        ] as [(OutboundFixture, OutboundFailure.CertificateFault, String)] {
            let failure = await fixture.failure(try fixture.request())
            #expect(failure?.kind == .certificate(fault), "\(String(describing: failure))")
            #expect(failure?.mayHaveArrived == false, "\(String(describing: failure))")
            #expect(failure?.description.contains(words) == true, "\(String(describing: failure))")
            #expect(received.values.isEmpty)
        }
    }

    @Test(
        arguments: ["127.0.0.1", "localhost"])
    func `this machine's address is rejected for a client's URL even if a name resolves to it`(host: String)
        async throws
    {
        let fixture = try OutboundFixture(Self.ok)
        var request = try fixture.request(host: host)
        request.reach = .publicInternet
        let failure = try #require(await fixture.failure(request))

        #expect(failure.kind == .address, "\(failure)")
        #expect(failure.description.contains("is this machine itself"), "\(failure)")

        request.reach = .publicInternet(and: AddressRanges([try AddressRange("10.0.0.0/8")]))

        #expect(await fixture.failure(request)?.kind == .address)
        // No connection was opened.
        #expect(fixture.server.connections.values.isEmpty)

        request.reach = .publicInternet(and: AddressRanges([try AddressRange("127.0.0.1")]))

        #expect(try await fixture.outbound.send(request).head.status == 200)
    }

    @Test func `a request with fewer rights does not reuse the connection of one with more`() async throws {
        let requests = Recorded<String>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                requests.append(request.target)
                try connection.respond(200)
            })
        var request = try fixture.request()
        _ = try await fixture.outbound.send(request)
        request.reach = .publicInternet

        #expect(await fixture.failure(request)?.kind == .address)
        #expect(fixture.server.connections.count == 1)
        #expect(requests.count == 1)
    }

    @Test func `a redirect to a disallowed address is not followed`() async throws {
        let paths = Recorded<String>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                paths.append(request.target)
                let port = request.value(of: "Host")?.split(separator: ":").last ?? ""
                try connection.respond(302, headers: [("Location", "https://127.0.0.2:\(port)/inside")])
            })
        let inside = try TLSFront(fixture.certificates.pair(for: ["IP:127.0.0.2"]), to: fixture.server.port)
        var request = try fixture.request("GET", "/outside")
        request.reach = .publicInternet(and: AddressRanges([try AddressRange("127.0.0.1")]))
        let failure = try #require(await fixture.failure(request))

        #expect(failure.kind == .address, "\(failure)")
        #expect(failure.description.contains("127.0.0.2"), "\(failure)")
        #expect(paths.values == ["/outside"])

        withExtendedLifetime(inside) {}
    }

    @Test func `a redirect from https to another scheme or to a URL with a user is not followed`() async throws {
        for target in ["http://localhost:1/", "ftp://localhost/", "file:///etc/passwd", "//user@localhost/"] {
            let fixture = try OutboundFixture(
                OutboundFixture.answering { _, connection in
                    try connection.respond(301, headers: [("Location", target)])
                })
            var request = try fixture.request()
            request.schemes = .httpToo
            let failure = try #require(await fixture.failure(request))
            #expect(failure.kind == .redirect, "\(target): \(failure)")
            #expect(failure.mayHaveArrived, "\(target): \(failure)")
        }
    }

    @Test func `redirects are followed by method and up to the limit, and a limit of 0 returns them`() async throws {
        let seen = Recorded<String>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                seen.append("\(request.method) \(request.target) \(request.text)")
                let status = Int(request.target.dropFirst().prefix(3)) ?? 0
                if request.target.hasSuffix("end") { return try connection.respond(200, text: "end") }
                let next = request.target.hasSuffix("loop") ? request.target : "/\(status)end"
                try connection.respond(status, headers: [("Location", next)], text: "moved")
            })

        #expect(try await fixture.outbound.send(try fixture.request("GET", "/302")).body == Array("end".utf8))

        var post = try fixture.request("POST", "/307")
        post.body = Array("x".utf8)
        let answer = try await fixture.outbound.send(post)

        #expect(answer.body == Array("end".utf8))
        #expect(answer.head.url.text.hasSuffix("/307end"))

        post.url = try fixture.url("/302")

        #expect(try await fixture.outbound.send(post).head.status == 302)
        #expect(
            seen.values == ["GET /302 ", "GET /302end ", "POST /307 x", "POST /307end x", "POST /302 x"],
            "\(seen.values)")

        var loop = try fixture.request("GET", "/301loop")
        loop.mostRedirects = 3

        #expect(await fixture.failure(loop)?.kind == .redirect)
        #expect(seen.count == 9)

        loop.mostRedirects = 0

        #expect(try await fixture.outbound.send(loop).head.status == 301)
    }

    @Test func `fields that may be secret are not sent to another origin after a redirect`() async throws {
        let seen = Recorded<[String]>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                seen.append(request.fields.map { $0.name.lowercased() })
                let port = request.value(of: "Host")?.split(separator: ":").last ?? ""
                if request.target == "/end" { return try connection.respond(200) }
                let host = request.target == "/same" ? "localhost" : "127.0.0.1"
                try connection.respond(307, headers: [("Location", "https://\(host):\(port)/end")])
            })
        for path in ["/same", "/other"] {
            var request = try fixture.request("POST", path)
            request.fields = ["Authorization", "X-Key", "Content-Type"].map { OutboundField($0, "x") }
            _ = try await fixture.outbound.send(request)
        }
        let values = seen.values

        try #require(values.count == 4)

        for index in [0, 1, 2] {
            #expect(values[index].contains("authorization"))
            #expect(values[index].contains("x-key"))
        }

        #expect(!values[3].contains("authorization"))
        #expect(!values[3].contains("x-key"))
        #expect(values[3].contains("content-type"))
    }
}
