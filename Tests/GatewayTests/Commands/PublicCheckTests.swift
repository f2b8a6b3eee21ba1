// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests `viberemote-gateway check --public-url`, which checks the gateway as its clients reach it, through TLS and a
/// proxy.
@Suite(.onTestThreads, .enabled(if: TLSFront.isAvailable, "python3 or openssl is missing")) struct PublicCheckTests {
    private let user: TemporaryDirectory
    private let certificates: TestCertificates

    init() throws {
        user = try TemporaryDirectory()
        try user.makeDirectory("projects/alpha")
        try user.write("#!/bin/sh\necho 1.18.33\n", to: "bin/opencode", mode: 0o755)
        certificates = try TestCertificates()
    }

    private func check(_ url: String, listen: UInt16 = 0, trusts: Bool = true) throws -> ProgramRun {
        try ProgramRun(
            ["check", "--public-url", url, "--listen", "127.0.0.1:\(listen)"],
            [
                "HOME": user.path, "HOME_DIR": "\(user.path)/projects", "PATH": "\(user.path)/bin:/usr/bin:/bin",
                "VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_SUPERVISOR": "process",
                "SSL_CERT_FILE": trusts ? certificates.authority : "/etc/ssl/certs/ca-certificates.crt",
            ])
    }

    /// Checks a stream that is good. Repeats the check if the comments waited for the processor, because that looks
    /// like a stream that is held back.
    private func checkGood(_ url: String, listen: UInt16 = 0) throws -> ProgramRun {
        var run = try check(url, listen: listen)
        for _ in 0..<8 where run.output.contains(where: { $0.contains("buffers streams") }) {
            run = try check(url, listen: listen)
        }
        return run
    }

    private func tls(_ port: UInt16, days: Int = 30) throws -> TLSFront {
        try TLSFront(certificates.pair(days: days), to: port)
    }

    private func wrong(_ run: ProgramRun) -> [String] { run.output.filter { $0.hasPrefix("  WRONG  ") } }

    private func has(_ run: ProgramRun, _ status: String, _ phrase: String) -> Bool {
        run.output.contains { $0.hasPrefix("  \(status)") && $0.contains(phrase) }
    }

    /// Starts a server that responds like a gateway. The test defines the stream and the abort.
    private static func fakeGateway(
        projects: String = "[]", requests: Recorded<ReceivedRequest> = Recorded(),
        stream: @escaping @Sendable (TestConnection) throws -> Void = { try $0.respond(404) },
        abort: @escaping @Sendable (TestConnection) throws -> Void = { try $0.respond(404) }
    ) throws -> TestServer {
        try TestServer { connection in
            while let request = try connection.readRequest(within: .seconds(60)) {
                requests.append(request)
                let isKnown = request.value(of: "Authorization") == "Bearer \(GatewayUnderTest.key)"
                switch request.target {
                case "/health":
                    try connection.respond(200, text: #"{"status":"ok","service":"viberemote-gateway"}"#)
                case _ where !isKnown: try connection.respond(401, text: "{}")
                case "/projects": try connection.respond(200, text: projects)
                case "/check/stream": try stream(connection)
                case "/check/stream?end=abort": try abort(connection)
                default: try connection.respond(404)
                }
            }
        }
    }

    /// Sends five comments as the gateway does.
    private static func comments(_ connection: TestConnection) throws {
        try connection.writeHead(
            200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
        for number in 1...5 {
            if number > 1 { try connection.pause(.milliseconds(200)) }
            try connection.writeChunk(": \(number)\n\n")
        }
        try connection.writeLastChunk()
    }

    @Test func `a gateway reached through TLS passes with its certificate and its stream`() throws {
        let requests = Recorded<ReceivedRequest>()
        let server = try Self.fakeGateway(requests: requests, stream: Self.comments)
        let front = try tls(server.port)
        let run = try checkGood("https://localhost:\(front.port)")

        #expect(run.status == .exited(0), "\(run.output)")

        for good in [
            "https://localhost:\(front.port) (--public-url): a gateway responds over HTTP/1.1",
            "more days", "over HTTP/1.1 without delay: 5 comments arrived one by one",
        ] { #expect(has(run, "ok ", good), "\(good): \(run.output)") }

        #expect(has(run, "note", "so https://localhost:\(front.port) may lead to another gateway"))
        // The check sends the key only to a server that has identified itself as a gateway, and never prints it.
        #expect(requests.values.first?.value(of: "Authorization") == nil)
        #expect(!run.output.contains { $0.contains(GatewayUnderTest.key) })
    }

    /// Debian's Caddy 2.6.2 behaves like this.
    @Test func `a proxy that completes an aborted stream is reported as a problem`() throws {
        let server = try Self.fakeGateway(
            stream: Self.comments,
            abort: { connection in
                try connection.writeHead(
                    200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
                try connection.writeChunk(": 1\n\n: 2\n\n")
                try connection.writeLastChunk()
            })
        let front = try tls(server.port)

        let run = try check("https://localhost:\(front.port)")

        #expect(run.status == .exited(1))
        #expect(wrong(run).count == 1)
        #expect(wrong(run).first?.contains("2.7.6") == true)
    }

    @Test func `an aborted stream that the proxy also aborts is not reported`() throws {
        let server = try Self.fakeGateway(
            stream: Self.comments,
            abort: { connection in
                try connection.writeHead(
                    200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
                try connection.writeChunk(": 1\n\n: 2\n\n")
                connection.close()
            })
        let front = try tls(server.port)

        let run = try checkGood("https://localhost:\(front.port)")

        #expect(run.status == .exited(0), "\(run.output)")
    }

    @Test func `a buffered stream and an aborted stream are reported as problems`() throws {
        let buffering = try Self.fakeGateway { connection in
            try connection.pause(.milliseconds(800))
            try connection.respond(200, text: (1...5).map { ": \($0)\n\n" }.joined())
        }
        var front = try tls(buffering.port)
        var run = try check("https://localhost:\(front.port)")

        #expect(run.status == .exited(1))
        #expect(wrong(run).count == 1)
        #expect(wrong(run).first?.contains("buffers streams") == true)
        #expect(wrong(run).first?.contains("proxy_buffering off") == true)

        let cutting = try Self.fakeGateway { connection in
            try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
            try connection.writeChunk(": 1\n\n")
            connection.close()
        }
        front = try tls(cutting.port)
        run = try check("https://localhost:\(front.port)")

        #expect(wrong(run).count == 1, "\(run.output)")
        #expect(wrong(run).first?.contains("ended after 1 of 5 comments") == true, "\(run.output)")
    }

    @Test func `a certificate that expires soon, has expired or is not trusted is reported as a problem`() throws {
        let server = try Self.fakeGateway(stream: Self.comments)
        for (days, phrase) in [(13, "days. Renew it"), (-1, "has expired. Renew it")] {
            let front = try tls(server.port, days: days)
            let run = try checkGood("https://localhost:\(front.port)")
            #expect(run.status == .exited(1))
            #expect(wrong(run).count == 1)
            #expect(wrong(run).first?.contains(phrase) == true, "\(run.output)")
        }
        let front = try tls(server.port)
        let run = try check("https://localhost:\(front.port)", trusts: false)

        #expect(wrong(run).first?.contains("SSL_CERT_FILE") == true, "\(run.output)")
    }

    @Test func `a server that is not a gateway is reported and receives no key`() throws {
        let requests = Recorded<ReceivedRequest>()
        for (status, fields, phrase) in [
            (200, [], "A program that is not a gateway responds to GET /health"),
            (502, [], "A proxy responds with 502"),
            (
                301, [("Location", "https://other.example/health")],
                "redirects clients to https://other.example. Set --public-url"
            ),
        ] as [(Int, [(String, String)], String)] {
            let server = try TestServer { connection in
                while let request = try connection.readRequest(within: .seconds(60)) {
                    requests.append(request)
                    try connection.respond(status, headers: fields, text: "hello")
                }
            }
            let front = try tls(server.port)
            let run = try check("https://localhost:\(front.port)")
            #expect(run.status == .exited(1), "\(run.output)")
            try #require(wrong(run).count == 1, "\(run.output)")
            #expect(wrong(run)[0].contains(phrase), "\(run.output)")
        }

        #expect(requests.values.map(\.target) == ["/health", "/health", "/health"])
        #expect(requests.values.allSatisfy { $0.value(of: "Authorization") == nil })

        let refusing = try RefusingPort()
        let run = try check("https://localhost:\(refusing.number)")

        try #require(wrong(run).count == 1, "\(run.output)")
        #expect(wrong(run)[0].contains("does not accept connections"), "\(run.output)")
    }

    @Test func `a public gateway must have the projects of this machine`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let own = try tls(gateway.port)
        let run = try checkGood("https://localhost:\(own.port)", listen: gateway.port)

        #expect(run.status == .exited(0), "\(wrong(run))")
        #expect(has(run, "ok ", "one by one"), "\(run.output)")
        #expect(
            has(run, "ok ", "leads to a gateway that accepts the key and has the projects of this machine"),
            "\(run.output)")

        let other = try Self.fakeGateway(projects: #"[{"name":"other"}]"#, stream: Self.comments)
        let otherFront = try tls(other.port)
        let second = try check("https://localhost:\(otherFront.port)", listen: gateway.port)

        #expect(second.status == .exited(1))
        #expect(wrong(second).first?.contains("leads to another gateway") == true, "\(second.output)")
    }

    @Test func `a rejected key is the only reported problem`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_AUTH_SECRET": "quite-another-key-0123456789"])
        let front = try tls(gateway.port)
        let run = try check("https://localhost:\(front.port)")

        #expect(run.status == .exited(1))
        #expect(wrong(run).count == 1)
        #expect(wrong(run).first?.contains("rejects the key of VIBE_AUTH_SECRET") == true, "\(run.output)")
    }

    @Test(.enabled(if: NginxFront.isAvailable, "nginx is missing"))
    func `an nginx that buffers is reported as a problem, and an nginx that does not buffer is accepted`() throws {
        let server = try Self.fakeGateway(stream: Self.comments)

        for (settings, isGood) in [("proxy_buffering off;", true), ("proxy_buffering on;", false)] {
            let nginx = try NginxFront(certificates.pair(), to: server.port, settings: settings)
            let url = "https://localhost:\(nginx.port)"
            let run = try isGood ? checkGood(url) : check(url)
            #expect(has(run, "ok ", "a gateway responds over HTTP/2"), "\(run.output)")
            let slow = "(--public-url) over HTTP/1.1: the 5 comments did not arrive one by one"
            #expect(has(run, "ok ", "over HTTP/1.1 without delay") == isGood, "\(settings) \(run.output)")
            #expect(has(run, "WRONG", slow) != isGood, "\(settings) \(run.output)")
            #expect(has(run, "ok ", "over HTTP/2 without delay"), "\(settings) \(run.output)")
        }
    }

    @Test func `a URL without TLS is noted and still checked`() throws {
        let server = try Self.fakeGateway(stream: Self.comments)
        let run = try checkGood("http://127.0.0.1:\(server.port)/")

        #expect(run.status == .exited(0), "\(run.output)")
        #expect(has(run, "note", "is not encrypted"))
        #expect(has(run, "ok ", "one by one"))
    }
}
