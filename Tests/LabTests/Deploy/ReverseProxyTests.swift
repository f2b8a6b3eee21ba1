// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests the example configurations for TLS in front of the gateway with Debian's own nginx and Caddy.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct ReverseProxyTests {
    private static let cases = LabRoot.allCases.flatMap { root in ReverseProxy.allCases.map { (root, $0) } }

    @Test(arguments: cases) func `each reverse proxy forwards paths, client addresses, events, uploads and WebSockets`(
        _ root: LabRoot, _ proxy: ReverseProxy
    ) throws {
        let fixture = try ReverseProxyFixture(root, proxy)

        try fixture.expectPathsAsTheyCame()
        try fixture.expectTheClientsAddress()
        try fixture.expectEventsAtOnce()
        try fixture.expectSharedEventsAtOnce()
        try fixture.expectUploadsAtOnce()
        try fixture.expectWebSockets()
    }

    /// The proxies' default time-outs are one minute. A test that waits longer would prove little more than a test that
    /// reads the settings.
    @Test(arguments: [
        ("nginx.conf", ["proxy_read_timeout 24h;", "proxy_send_timeout 24h;"]),
        ("Caddyfile", ["read_timeout 24h", "write_timeout 24h", "response_header_timeout 24h"]),
    ]) func `each reverse proxy's configuration allows silent streams for 24 hours`(_ file: String, _ lines: [String])
        throws
    {
        let text = String(decoding: try FileTree.contents("\(Lab.checkout)/deploy/\(file)"), as: UTF8.self)
        let written = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
        for line in lines { #expect(written.contains(line[...])) }
    }
}

extension ReverseProxyFixture {
    private static let fields = [("Authorization", "Bearer \(key)"), ("Host", "gateway.example.com")]

    fileprivate func expectPathsAsTheyCame() throws {
        let connection = try connect()
        defer { connection.close() }
        let path = "/file/a%2Fb%20c?q=%2F+%C3%BC"
        let answer = try connection.exchange("GET", "/projects/demo/api\(path)", headers: Self.fields)
        #expect(answer.status == 200)
        #expect(answer.text == "answered")
        // The gateway's own requests are recorded, too.
        #expect(instance.requests.values.contains { $0.target == path })
        // The gateway, not the proxy, rejects a request without a key.
        let refusal = try connection.exchange("GET", "/projects", headers: [("Host", "gateway.example.com")])
        #expect(refusal.status == 401)
        #expect(refusal.text == #"{"detail":"Missing or invalid Authorization header"}"#)
    }

    fileprivate func expectTheClientsAddress() throws {
        let connection = try connect()
        defer { connection.close() }
        _ = try connection.exchange(
            "GET", "/projects/demo/api/whoami", headers: Self.fields + [("X-Forwarded-For", "192.0.2.66")])
        let request = try #require(instance.requests.values.last { $0.target == "/whoami" })
        let addresses = request.values(of: "X-Forwarded-For").joined(separator: ", ")
        #expect(addresses.split(separator: ",").first == Self.clientAddress[...])
        #expect(!addresses.contains("192.0.2.66"))
    }

    fileprivate func expectEventsAtOnce() throws {
        let connection = try connect()
        defer { connection.close() }
        try connection.send("GET", "/projects/demo/api/event?hub=0", headers: Self.fields)
        let events = EventStreamReader(connection)
        for number in 1...3 {
            #expect(try events.next() == "event \(number)")
            // The instance does not send the next event before this value is recorded.
            seen.append(number)
        }
        connection.close()
        // The proxy reports the client's disconnect to the gateway, and the gateway reports it to the instance.
        try streamEnded.wait(within: .seconds(10))
    }

    fileprivate func expectSharedEventsAtOnce() throws {
        let connection = try connect()
        defer { connection.close() }
        try connection.send("GET", "/projects/demo/api/global/event", headers: Self.fields)
        let events = EventStreamReader(connection)
        #expect(try events.next()?.contains("server.connected") ?? false)
        for number in 1...3 {
            // The instance does not send the next event before this value is recorded.
            shared.append(number)
            #expect(try events.next() == Self.event(number))
        }
    }

    fileprivate func expectUploadsAtOnce() throws {
        let half = [UInt8](repeating: 7, count: 100_000)
        let connection = try connect()
        defer { connection.close() }
        try connection.send(
            "POST", "/projects/demo/api/upload", headers: Self.fields + [("Content-Length", "\(2 * half.count)")])
        try connection.write(half)
        // The first half arrives before the second half is sent.
        try halfArrived.wait(within: .seconds(10))
        try connection.write(half)
        #expect(try ResponseReader(connection).readAll().text == "took 200000")
    }

    fileprivate func expectWebSockets() throws {
        let connection = try connect()
        defer { connection.close() }
        try connection.send(
            "GET", "/projects/demo/api/pty/1/connect",
            headers: Self.fields + TestConnection.webSocketUpgrade)
        let head = try ResponseReader(connection).readHead()
        #expect(head.status == 101)
        #expect(head.values(of: "Sec-WebSocket-Accept") == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
        for word in ["one", "two"] {
            try connection.write(Array(word.utf8))
            #expect(String(decoding: try connection.readExactly(word.utf8.count + 2), as: UTF8.self) == "<\(word)>")
        }
    }
}
