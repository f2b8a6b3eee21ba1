// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests upgraded connections (RFC 9110 §7.8): bytes flow in both directions, and each direction ends independently.
@Suite(.onTestThreads) struct TunnelTests {
    private static let upgrade = TestConnection.webSocketUpgrade

    /// Opens an upgraded connection through the gateway. `early` is sent directly after the request.
    private static func open(_ fixture: ProxyFixture, early: String = "") throws -> TestConnection {
        let connection = try fixture.gateway.connect()
        let fields = ([GatewayUnderTest.authorization, ("Host", "x")] + upgrade).map { "\($0.0): \($0.1)\r\n" }.joined()
        try connection.write("GET \(ProxyFixture.target("/pty/1/connect")) HTTP/1.1\r\n\(fields)\r\n\(early)")
        let head = try ResponseReader(connection).readHead()
        #expect(head.status == 101)
        return connection
    }

    @Test func `an upgrade request reaches the instance, and its 101 reaches the client`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            try connection.waitForEnd()
        }
        let client = try fixture.gateway.connect()
        try client.send(
            "GET", ProxyFixture.target("/pty/1/connect?cursor=0"),
            headers: [GatewayUnderTest.authorization, ("X-Named", "1")]
                + Self.upgrade.map { $0.0 == "Connection" ? ($0.0, "keep-alive, Upgrade, X-Named") : $0 })
        let head = try ResponseReader(client).readHead()

        #expect(head.status == 101)
        #expect(head.values(of: "Upgrade") == ["websocket"])
        #expect(head.values(of: "Connection").map { $0.lowercased() } == ["upgrade"])
        #expect(head.values(of: "Sec-WebSocket-Accept") == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])

        let request = try #require(fixture.instance.requests.values.last)

        #expect(request.target == "/pty/1/connect?cursor=0")
        #expect(request.values(of: "Upgrade") == ["websocket"])
        #expect(request.values(of: "Connection") == ["Upgrade"])
        #expect(request.values(of: "Sec-WebSocket-Key") == ["dGhlIHNhbXBsZSBub25jZQ=="])
        #expect(request.values(of: "X-Named") == [])
        #expect(request.value(of: "Authorization")?.hasPrefix("Basic ") == true)
    }

    @Test func `a tunnel forwards bytes in both directions`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            while true {
                let bytes = try connection.read()
                if bytes.isEmpty { return }
                try connection.write(Array("<".utf8) + bytes + Array(">".utf8))
            }
        }
        let client = try Self.open(fixture)

        for text in ["a", "bc", "\u{0}\r\n\r\n"] {
            try client.write(text)
            #expect(try client.readExactly(text.utf8.count + 2) == Array("<\(text)>".utf8))
        }
    }

    @Test func `bytes sent directly after the upgrade request reach the instance`() throws {
        let got = Recorded<String>("the bytes that the instance received")
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            got.append(String(decoding: try connection.readExactly(5), as: UTF8.self))
        }
        _ = try Self.open(fixture, early: "early")

        #expect(try got.wait(forCount: 1) == ["early"])
    }

    @Test func `bytes sent directly after the 101 reach the client`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket(early: "early")
            try connection.waitForEnd()
        }

        for _ in 0..<5 {
            let client = try Self.open(fixture)
            #expect(try client.readExactly(5) == Array("early".utf8))
        }
    }

    @Test func `a client still receives after it has finished sending`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            let all = try connection.readUntilClose()
            try connection.write("you sent \(all.count)")
            connection.close()
        }
        let client = try Self.open(fixture)
        try client.write("hello")
        try client.shutdownWrite()

        #expect(try client.readUntilClose() == Array("you sent 5".utf8))
    }

    @Test func `an instance still receives after it has finished sending`() throws {
        let got = Recorded<String>("the bytes that the instance received")
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            try connection.write("bye")
            try connection.shutdownWrite()
            let (bytes, ending) = try connection.readUntilEnd()
            got.append("\(String(decoding: bytes, as: UTF8.self)), \(ending)")
        }
        let client = try Self.open(fixture)

        #expect(try client.readUntilClose() == Array("bye".utf8))

        try client.write("still here")
        client.close()
        let received = try got.wait(forCount: 1)

        #expect(received == ["still here, closed"])
    }

    @Test(arguments: [false, true])
    func `the instance's connection ends when the client closes or resets the tunnel`(byReset: Bool) throws {
        let ended = Recorded<TestConnection.Ending>("the end at the instance")
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            ended.append(try connection.waitForEnd())
        }
        let client = try Self.open(fixture)

        if byReset { client.reset() } else { client.close() }

        try ended.wait(forCount: 1)
    }

    @Test func `the client's connection ends when the instance resets the tunnel`() throws {
        let opened = Latch("the tunnel to be open")
        let fixture = try ProxyFixture { connection, head in
            guard head.path != "/x" else { return try connection.respond(200, text: "fine") }
            try connection.acceptWebSocket()
            try opened.wait()
            connection.reset()
        }
        let client = try Self.open(fixture)
        opened.open()
        try client.waitForEnd()

        #expect(try fixture.request("GET", "/x").text == "fine")
    }

    @Test(arguments: [401, 404, 200])
    func `a response other than 101 to an upgrade request reaches the client`(status: Int) throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(status, "No", headers: [("X-Why", "because")], text: "no terminal")
        }
        let client = try fixture.gateway.connect()

        for _ in 0..<2 {
            try client.send(
                "GET", ProxyFixture.target("/pty/1/connect"), headers: [GatewayUnderTest.authorization] + Self.upgrade)
            let answer = try ResponseReader(client).readAll()
            #expect(answer.status == status)
            #expect(answer.text == "no terminal")
            #expect(answer.values(of: "X-Why") == ["because"])
        }
    }

    @Test func `an Upgrade that Connection does not name is not forwarded`() throws {
        let fixture = try ProxyFixture { connection, _ in try connection.respond(200, text: "fine") }

        for fields in [[("Upgrade", "websocket")], [("Upgrade", "websocket"), ("Connection", "keep-alive")]] {
            #expect(try fixture.request("GET", "/x", headers: fields).text == "fine")
            let request = try #require(fixture.instance.requests.values.last)
            #expect(request.values(of: "Upgrade") == [])
            #expect(request.values(of: "Connection") == [])
        }
    }

    @Test func `an Upgrade in an HTTP/1.0 request is not forwarded`() throws {
        let fixture = try ProxyFixture { connection, _ in try connection.respond(200, text: "fine") }
        let client = try fixture.gateway.connect()
        try client.write(
            "GET \(ProxyFixture.target("/x")) HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Authorization: Bearer \(GatewayUnderTest.key)\r\n\r\n")

        #expect(try ResponseReader(client).readAll().text == "fine")
        #expect(fixture.instance.requests.values.last?.values(of: "Upgrade") == [])
    }

    @Test func `a tunnel forwards 8 MB in each direction at once`() throws {
        let size = 8_000_000
        let fromClient = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let fromInstance = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ ($0 >> 9)) }
        let got = Recorded<Bool>("the completeness of the instance's input")
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            let writer = try TestThread {
                try? connection.write(fromInstance)
                try? connection.shutdownWrite()
            }
            got.append(try connection.readUntilClose() == fromClient)
            writer.join()
        }
        let client = try Self.open(fixture)
        let writer = try TestThread {
            try? client.write(fromClient)
            try? client.shutdownWrite()
        }

        #expect(try isSame(client.readUntilClose(), fromInstance))

        writer.join()

        #expect(try got.wait(forCount: 1) == [true])
    }

    @Test func `a tunnel applies back-pressure to the instance while the client does not read`() throws {
        let stalled = Recorded<Int>("the number of bytes that the instance could send")
        let fixture = try ProxyFixture { connection, _ in
            try connection.acceptWebSocket()
            let fragment = [UInt8](repeating: 1, count: 65_536)
            stalled.append(
                try connection.writeUntilFull(fragment, atMost: 200_000_000, stalledAfter: .milliseconds(500)))
            connection.close()
        }
        let client = try Self.open(fixture)
        let sent = try stalled.wait(forCount: 1)[0]

        #expect(sent < 50_000_000)
        #expect(try client.readUntilEnd().bytes.count == sent)
    }

    @Test func `a tunnel that is silent for longer than --stream-timeout is closed`() throws {
        let ended = Latch("the gateway to leave the instance")
        let fixture = try ProxyFixture(flags: ["--stream-timeout", "300ms"]) { connection, _ in
            try connection.acceptWebSocket()
            try connection.waitForEnd()
            ended.open()
        }
        let client = try Self.open(fixture)

        try client.waitForEnd()
        try ended.wait()
    }
}
