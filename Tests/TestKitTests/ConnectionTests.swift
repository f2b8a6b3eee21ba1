// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestThreads
import Testing

@testable import TestKit

@Suite("Connections distinguish a peer's close, reset and time-out", .onTestThreads)
struct ConnectionTests {
    @Test func `a clean close is an empty read`() throws {
        let server = try TestServer { try $0.write("bye") }
        let connection = try TestClient.connect(port: server.port)

        #expect(try connection.readExactly(3) == Array("bye".utf8))
        #expect(try connection.read() == [])
        #expect(try connection.readUntilEnd().ending == .closed)
    }

    @Test func `a reset is thrown as an error`() throws {
        let server = try TestServer { connection in
            _ = try connection.readExactly(1)
            connection.reset()
        }
        let connection = try TestClient.connect(port: server.port)
        try connection.write("x")

        #expect(throws: TestKitError.reset(during: "reading bytes")) { try connection.read() }
    }

    /// A program that another test starts has copies of all descriptors between its fork and its exec.
    @Test(arguments: [false, true])
    func `a close or reset reaches the peer even while a copy of the descriptor is open`(isReset: Bool) throws {
        let endings = Recorded<TestConnection.Ending>("an end")
        let server = try TestServer { endings.append(try $0.readUntilEnd().ending) }
        let connection = try TestClient.connect(port: server.port)
        let copy = try connection.use("dup") { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        defer { close(copy) }
        if isReset { connection.reset() } else { connection.close() }

        #expect(try endings.wait(forCount: 1) == [isReset ? .reset : .closed])
    }

    @Test func `a close with unread bytes is a reset`() throws {
        let server = try TestServer { connection in
            try connection.write("unread bytes")
            _ = try connection.readUntilClose()
        }
        let connection = try TestClient.connect(port: server.port)

        // The rest has arrived together with this byte and is in the kernel's buffer.
        #expect(try connection.readExactly(1) == Array("u".utf8))

        connection.close()

        #expect(try server.failures.wait(forCount: 1).first?.contains("(RST)") == true)
    }

    @Test func `a reset reaches the peer even while another thread reads`() throws {
        let server = try TestServer { _ = try $0.readUntilClose() }
        let connection = try TestClient.connect(port: server.port)
        let started = Latch()
        let outcome = Recorded<String>()
        let reader = try TestThread {
            started.open()
            do { _ = try connection.read() } catch { outcome.append("\(error)") }
        }
        try started.wait()
        connection.reset()
        reader.join()

        #expect(outcome.values.first?.contains("closed on this side") == true)
        #expect(try server.failures.wait(forCount: 1).first?.contains("(RST)") == true)
    }

    @Test func `the idle time before an arrival ends when bytes arrive and not when they are read`() throws {
        let (begins, ends) = (Latch(), Latch())
        let rests = Recorded<Duration>("a rest")
        let server = try TestServer { connection in
            try connection.write("answer")
            begins.open()
            try ends.wait()
            rests.append(try connection.waitBeforeArrival())
        }
        let start = ContinuousClock.now
        let connection = try TestClient.connect(port: server.port)
        try begins.wait()
        try connection.pause(.milliseconds(100))
        try connection.write("request")
        // This allows for the resolution of the kernel's clock, which may also lag by a tick.
        let longest = ContinuousClock.now - start + .milliseconds(150)
        try connection.pause(.milliseconds(300))
        ends.open()
        let measured = try rests.wait(forCount: 1)[0]

        #expect(measured >= .milliseconds(50), "\(measured)")
        #expect(measured <= longest, "\(measured)")
    }

    @Test func `a read from a silent peer times out`() throws {
        let done = Latch()
        let server = try TestServer { _ in try done.wait() }
        let connection = try TestClient.connect(port: server.port)
        let limit = Duration.milliseconds(30)

        #expect(throws: TestKitError.timedOut(after: limit, waitingFor: "an answer")) {
            try connection.read(within: limit, waitingFor: "an answer")
        }
        #expect(try connection.staysSilent(for: .milliseconds(10)))

        done.open()
    }

    @Test func `a half-close leaves the other direction open`() throws {
        let server = try TestServer { connection in
            let all = try connection.readUntilClose()
            try connection.write("\(all.count)")
        }
        let connection = try TestClient.connect(port: server.port)
        try connection.write("12345")
        try connection.shutdownWrite()

        #expect(try connection.readUntilClose() == Array("5".utf8))
    }

    @Test func `finish delivers the last response completely even if the request was not read`() throws {
        let server = try TestServer { connection in
            _ = try connection.readRequestHead()
            try connection.respond(413, "Content Too Large")
            try connection.finish()
        }
        let connection = try TestClient.connect(port: server.port)
        // The body is larger than the part that the server reads. With a plain close, the server would respond with a
        // reset.
        try connection.send("POST", "/", body: [UInt8](repeating: 0, count: 1 << 20))

        #expect(try connection.readResponseHead().status == 413)
        #expect(try connection.readUntilEnd().ending == .closed)
    }

    @Test func `a write to a connection that is closed on this side is an error`() throws {
        let server = try TestServer { _ = try $0.readUntilClose() }
        let connection = try TestClient.connect(port: server.port)
        connection.close()

        #expect(throws: TestKitError.closedHere(during: "writing")) { try connection.write("x") }
    }

    @Test func `a delimiter that spans several reads is found`() throws {
        let server = try TestServer { connection in
            try connection.writeSlowly("one\r\n\r\ntwo", partSize: 1, interval: .milliseconds(1))
        }
        let connection = try TestClient.connect(port: server.port)

        #expect(try connection.readThrough("\r\n\r\n", waitingFor: "a head") == Array("one\r\n\r\n".utf8))
        #expect(try connection.readUntilClose() == Array("two".utf8))
    }

    @Test func `a peer that does not read blocks the writer`() throws {
        let release = Latch()
        let server = try TestServer { _ in try release.wait() }
        let connection = try TestClient.connect(port: server.port)
        try connection.setSendBuffer(bytes: 8192)
        let taken = try connection.writeUntilFull(
            [UInt8](repeating: 1, count: 65_536), atMost: 1 << 30, stalledAfter: .milliseconds(50))

        #expect(taken < 1 << 28)
        #expect(throws: TestKitError.timedOut(after: .milliseconds(20), waitingFor: "room to write")) {
            try connection.write([UInt8](repeating: 1, count: 65_536), within: .milliseconds(20))
        }

        release.open()
    }

    @Test func `a refused connection is an error`() throws {
        let port = try RefusingPort()

        #expect(throws: TestKitError.self) { try TestClient.connect(port: port.number) }
    }

    @Test func `listening on a port that is in use is an error`() throws {
        let server = try TestServer { _ in }

        #expect(throws: TestKitError.self) { try TestServer(port: server.port) { _ in } }
    }

    @Test func `stopping a server ends handlers that block`() throws {
        let entered = Latch()
        let server = try TestServer { connection in
            entered.open()
            _ = try connection.read(within: .seconds(60))
        }
        let connection = try TestClient.connect(port: server.port)
        try entered.wait()
        server.stop()

        #expect(server.activeConnections == 0)
        #expect(try connection.readUntilEnd().bytes.isEmpty)
    }

    @Test func `a server handles 100 connections at once`() throws {
        let server = try TestServer { try $0.write(try $0.readExactly(1)) }
        let connections = try (0..<100).map { _ in try TestClient.connect(port: server.port) }
        try server.wait(forActiveConnections: 100)

        for (index, connection) in connections.enumerated() { try connection.write([UInt8(index)]) }
        for (index, connection) in connections.enumerated() {
            #expect(try connection.readUntilClose() == [UInt8(index)])
        }
        try server.wait(forActiveConnections: 0)
    }
}
