import Glibc
import Locking
import TestKit
import Testing

@testable import Outbound

@Suite("Requests to the outside and their answers", .enabled(if: TLSFront.isAvailable, "python3 or openssl is missing"))
struct ExchangeTests {
    @Test("A POST with fields and a body arrives as it was meant, and its answer comes back whole")
    func post() async throws {
        let received = Recorded<ReceivedRequest>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                received.append(request)
                try connection.respond(201, "Made", headers: [("X-One", "1"), ("x-one", "2")], text: "done")
            })
        var request = try fixture.request("POST", "/hook?a=b")
        request.fields = [OutboundField("Content-Type", "application/json"), OutboundField("X-Empty", "")]
        request.body = Array("{}".utf8)
        let answer = try await fixture.outbound.send(request)
        #expect(answer.head.status == 201 && answer.head.version == .one && answer.body == Array("done".utf8))
        #expect(answer.head.fields.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["1", "2"])
        #expect(answer.head["X-ONE"] == "1")
        let seen = try #require(received.values.first)
        #expect(seen.method == "POST" && seen.target == "/hook?a=b" && seen.text == "{}")
        #expect(seen.value(of: "Content-Type") == "application/json" && seen.value(of: "X-Empty") == "")
        #expect(seen.value(of: "Host") == "localhost:\(fixture.front.port)")
        #expect(seen.value(of: "User-Agent") == "viberemote-gateway" && seen.value(of: "Content-Length") == "2")
        #expect(
            seen.value(of: "Expect") == nil && seen.value(of: "Accept") == nil
                && seen.values(of: "Transfer-Encoding").isEmpty)
        let end = try #require(answer.head.certificateEnd)
        #expect(abs(end - (time(nil) + 30 * 86_400)) < 600)
    }

    @Test("Methods, with and without a body", arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"])
    func methods(method: String) async throws {
        let received = Recorded<ReceivedRequest>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                received.append(request)
                try connection.writeHead(200, headers: [("Content-Length", "2")])
                if request.method != "HEAD" { try connection.write("ok") }
            })
        let plain = try await fixture.outbound.send(try fixture.request(method))
        #expect(plain.head.status == 200 && plain.body.count == (method == "HEAD" ? 0 : 2))
        if method != "HEAD" {
            var request = try fixture.request(method)
            request.body = Array("body".utf8)
            _ = try await fixture.outbound.send(request)
        }
        #expect(received.values.allSatisfy { $0.method == method })
        #expect(received.values.map(\.text) == (method == "HEAD" ? [""] : ["", "body"]))
    }

    @Test("Bytes of a stream are told as they come")
    func stream() throws {
        let told = Recorded<String>()
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
            for number in 1...5 {
                try connection.writeChunk(": \(number)\n\n")
                // Send nothing more before this part has arrived.
                try told.wait(within: .seconds(20)) { $0.contains(": \(number)\n\n") }
            }
            try connection.writeLastChunk()
        }
        fixture.outbound.start(try fixture.request()) { event in
            switch event {
            case .head(let head): told.append("head \(head.status)")
            case .bytes(let bytes): told.append(String(decoding: bytes, as: UTF8.self))
            case .ended(let failure): told.append("end \(failure?.description ?? "")")
            }
        }
        let all = try told.wait(within: .seconds(20)) { $0.last?.hasPrefix("end") == true }
        #expect(all == ["head 200"] + (1...5).map { ": \($0)\n\n" } + ["end "])
    }

    @Test("An answer without an end, or of a length beyond the limit, is given up at 1 MiB", arguments: [true, false])
    func endless(isChunked: Bool) async throws {
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            try connection.writeHead(
                200, headers: [isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "1000000000000")])
            let piece = [UInt8](repeating: 0x2e, count: 64 * 1024)
            while true { if isChunked { try connection.writeChunk(piece) } else { try connection.write(piece) } }
        }
        var request = try fixture.request()
        request.longestAnswer = 1 << 30
        let failure = await fixture.failure(request)
        #expect(failure?.kind == .size && failure?.description.contains("1048576 bytes") == true)
    }

    @Test("What is exactly 1 MiB long is taken")
    func longest() async throws {
        let fixture = try OutboundFixture(
            OutboundFixture.answering { _, connection in
                try connection.respond(200, body: [UInt8](repeating: 1, count: 1 << 20))
            })
        #expect(try await fixture.outbound.send(try fixture.request()).body.count == 1 << 20)
    }

    @Test("Silence ends in time: before TLS, before the answer, within it", arguments: [0, 1, 2])
    func silence(stage: Int) async throws {
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            if stage == 2 { try connection.writeHead(200, headers: [("Content-Length", "5")]) }
            _ = try connection.waitForEnd(within: .seconds(30))
        }
        let silent = try TLSFront(
            fixture.certificates.pair(for: ["DNS:localhost"]), to: fixture.server.port, isSilent: true)
        var request = try fixture.request("POST")
        if stage == 0 { request.url = try fixture.url(port: silent.port) }
        var failure: OutboundFailure?
        // A busy machine needs more than 1.5 s to reach the server.
        for time in stage == 0 ? [300] : [1500, 6000, 24_000] where failure?.mayHaveArrived != (stage > 0) {
            request.timeout = .milliseconds(time)
            let begun = ContinuousClock.now
            failure = await fixture.failure(request)
            #expect(ContinuousClock.now - begun < request.timeout + .seconds(13))
        }
        #expect(failure?.kind == .time && failure?.mayHaveArrived == (stage > 0), "\(String(describing: failure))")
    }

    @Test("A port where nobody listens, and one where nobody speaks TLS")
    func noServer() async throws {
        let fixture = try OutboundFixture(OutboundFixture.answering { _, connection in try connection.respond(200) })
        let refusing = try RefusingPort()
        var request = try fixture.request()
        request.url = try fixture.url(port: refusing.number)
        var failure = try #require(await fixture.failure(request))
        #expect(failure.kind == .connection && !failure.mayHaveArrived)
        let plain = try TestServer { try $0.respond(400) }
        request.url = try fixture.url(port: plain.port)
        failure = try #require(await fixture.failure(request))
        #expect(failure.kind == .connection && failure.description.contains("TLS"), "\(failure)")
    }

    @Test("What is no HTTP is told as such")
    func nonsense() async throws {
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            try connection.write("SSH-2.0-OpenSSH_9.2\r\n\r\n")
        }
        #expect(await fixture.failure(try fixture.request())?.kind == .answer)
    }

    @Test("A request that is wrong is not sent")
    func faults() async throws {
        let fixture = try OutboundFixture(OutboundFixture.answering { _, connection in try connection.respond(200) })
        for (method, name, value) in [
            ("GET X", "A", "b"), ("", "A", "b"), ("GET", "A B", "c"), ("GET", "A", "b\r\nC: d"), ("GET", "A", "b\0"),
            ("GET", "Host", "x"), ("GET", "Content-Length", "3"), ("GET", "Transfer-Encoding", "chunked"),
        ] {
            var request = try fixture.request(method)
            request.fields = [OutboundField(name, value)]
            #expect(await fixture.failure(request)?.kind == .request, "\(method) \(name)")
        }
        #expect(fixture.server.connections.values.isEmpty)
    }

    @Test("A POST on a kept connection that closes is not sent again; a GET is")
    func keptConnection() async throws {
        let seen = Recorded<String>()
        let fixture = try OutboundFixture { connection in
            guard let first = try connection.readRequest(within: .seconds(60)) else { return }
            seen.append(first.target)
            try connection.respond(200)
            // The next request on this connection is read but never answered.
            if let second = try connection.readRequest(within: .seconds(60)) { seen.append(second.target) }
        }
        _ = try await fixture.outbound.send(try fixture.request("GET", "/1"))
        let failure = await fixture.failure(try fixture.request("POST", "/2"))
        #expect(failure?.kind == .connection && failure?.mayHaveArrived == true, "\(String(describing: failure))")
        _ = try await fixture.outbound.send(try fixture.request("GET", "/3"))
        _ = try await fixture.outbound.send(try fixture.request("GET", "/4"))
        #expect(seen.values == ["/1", "/2", "/3", "/4", "/4"])
    }

    @Test("HTTP/2 is spoken where the server does", .enabled(if: NginxFront.isAvailable, "nginx is missing"))
    func secondVersion() async throws {
        let received = Recorded<ReceivedRequest>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                received.append(request)
                try connection.respond(200, headers: [("X-Behind", "nginx")], text: "two")
            })
        let nginx = try NginxFront(fixture.certificates.pair(for: ["DNS:localhost"]), to: fixture.server.port)
        var request = try fixture.request("POST", "/h2")
        request.url = try fixture.url("/h2", port: nginx.port)
        request.body = Array("body".utf8)
        let answer = try await fixture.outbound.send(request)
        #expect(answer.head.version == .two && answer.head["x-behind"] == "nginx" && answer.body == Array("two".utf8))
        #expect(received.values.first?.text == "body")
        // The request does not use the existing connection.
        request.usesFirstVersion = true
        #expect(try await fixture.outbound.send(request).head.version == .one)
    }
}
