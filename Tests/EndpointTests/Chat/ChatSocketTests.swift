// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventHub
import FrameCases
import HTTPServer
import Logging
import TestKit
import Testing
import WebSockets

@testable import ConversationServing
@testable import GatewayCore
@testable import GatewayServer

/// Tests the behaviour of a chat's socket beyond its frames: pings, backlog, and end.
@Suite(.timeLimit(.minutes(2))) struct ChatSocketTests {
    @Test(arguments: FrameCase.all)
    func `each case of the Autobahn test suite passes over a real socket`(_ frameCase: FrameCase) async throws {
        var limits = ChatLimits()
        // Three hundred of these cases run at the same time.
        limits.closeWait = .seconds(30)
        let fixture = try await ChatFixture(limits)
        defer { fixture.plane.stop() }
        let frames = try await onThread {
            let client = try fixture.open()
            let writer = try TestThread {
                for fragment in frameCase.sent {
                    // The server may have closed the connection already.
                    guard (try? client.connection.write(fragment)) != nil else { return }
                }
            }
            var frames: [ServerFrame] = []
            while frames.last?.opcode != 8 { frames.append(try client.receive()) }
            writer.join()
            try client.connection.shutdownWrite()
            #expect(try client.connection.waitForEnd() == .closed)
            return frames
        }

        #expect(frameCase.isMet(by: frames), "\(frames.prefix(5))")

        _ = try fixture.received.wait("the end") { $0.last == "ended" }
    }

    @Test func `a client that stops responding to pings is disconnected without a close frame`() async throws {
        var limits = ChatLimits()
        // The client's thread may be much delayed by the three hundred cases above.
        limits.pingInterval = .seconds(2)
        let fixture = try await ChatFixture(limits)
        defer { fixture.plane.stop() }
        try await onThread {
            let client = try fixture.open()
            for _ in 0..<2 {
                let ping = try client.receive()
                #expect(ping.opcode == 9)
                try client.send(ClientFrame(10, ping.payload))
            }
            #expect(try client.receive().opcode == 9)
            // The client does not respond to this ping, so the connection ends without a close frame.
            #expect(try client.connection.readUntilEnd().bytes == [])
        }

        #expect(try fixture.received.wait(forCount: 2) == ["opened VIBE_AUTH_SECRET", "ended"])

        let lines = fixture.log.records.values.map { "\($0)" }

        #expect(lines.contains { $0.contains("silent_chat") })
    }

    @Test func `a client that does not read is reset without a close frame once its backlog is full`() async throws {
        var limits = ChatLimits()
        limits.backlog = 256 * 1024
        let fixture = try await ChatFixture(limits)
        defer { fixture.plane.stop() }
        try await onThread {
            let client = try fixture.open(receiveBuffer: 4096)
            try client.send("again 400")
            _ = try fixture.received.wait("the end", within: .seconds(20)) { $0.last == "ended" }
            let (bytes, ending) = try client.connection.readUntilEnd()
            #expect(ending == .reset)
            var remainder = bytes[...]
            var frames: [ServerFrame] = []
            while let frame = ServerFrame.parse(&remainder) { frames.append(frame) }
            #expect(bytes.first == 0x81, "\(bytes.count) bytes")
            #expect(frames.allSatisfy { $0.opcode == 1 })
        }
        let lines = fixture.log.records.values.map { "\($0)" }

        #expect(lines.contains { $0.contains("slow_chat") })
    }

    @Test func `a client that does not read the pongs to its pings is disconnected`() async throws {
        var limits = ChatLimits()
        limits.backlog = 64 * 1024
        let fixture = try await ChatFixture(limits)
        defer { fixture.plane.stop() }

        try await onThread {
            let client = try fixture.open(receiveBuffer: 4096)
            let pings = (0..<1000).flatMap { _ in ClientFrame(9, [UInt8](repeating: 1, count: 125)).bytes }

            do {
                while true { try client.connection.write(pings, within: .seconds(20)) }
            } catch {
                _ = try fixture.received.wait("the end", within: .seconds(20)) { $0.last == "ended" }
            }
        }
    }

    @Test func `a slow client within the backlog limit stays connected and receives everything`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }

        try await onThread {
            let client = try fixture.open(receiveBuffer: 4096)
            // The messages total 3.8 MiB, so that the backlog stays below 4 MiB regardless of the size of the kernel's
            // buffers.
            try client.send("again 60")

            #expect(try !client.connection.staysSilent(for: .seconds(20)))
            for _ in 0..<60 { #expect(try client.receive().payload.count == 64 * 1024) }
            #expect(try client.echo("and on") == "and on")
            try client.close()
        }
    }

    @Test func `a draining gateway closes a chat with 1001 and waits for the client's close frame`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }
        let plane = fixture.plane
        try await onThread {
            let client = try fixture.open()
            #expect(try client.echo("hello") == "hello")
            let drained = Recorded<Bool>("the drain's end")
            Task {
                await plane.drain(within: .seconds(30))
                drained.append(true)
            }
            #expect(try client.receive().closeCode == 1001)
            #expect(drained.count == 0)
            try client.send(.close(1001))
            #expect(try client.connection.waitForEnd() == .closed)
            client.connection.close()
            _ = try drained.wait(forCount: 1)
        }

        #expect(fixture.received.values.last == "ended")
    }

    @Test func `a client that does not respond to a close frame is disconnected`() async throws {
        var limits = ChatLimits()
        limits.closeWait = .milliseconds(100)
        let fixture = try await ChatFixture(limits)
        defer { fixture.plane.stop() }

        try await onThread {
            let client = try fixture.open()
            try fixture.lines.wait(forCount: 1)[0].close(CloseStatus(.goingAway, "for the test"))

            #expect(try client.receive().closeCode == 1001)
            try client.connection.waitForEnd()
        }

        _ = try fixture.received.wait("the end") { $0.last == "ended" }
    }

    @Test func `a revoked key closes its own chats with 1008 and no others`() async throws {
        let keys = [(name: "one", key: "the first key is long enough"), (name: "two", key: "the second key is long")]
        let fixture = try await ChatFixture(isOpen: true, policy: ChatFixture.policy(keys))
        defer { fixture.plane.stop() }

        try await onThread {
            let clients = try keys.map { try fixture.open([("Authorization", "Bearer \($0.key)")]) }
            let open = try ChatClient(port: fixture.chatPort, "/", [])
            for client in clients + [open] { #expect(try client.echo("hello") == "hello") }

            // The first key now has another name, and the second name has another key.
            fixture.plane.apply(
                ChatFixture.policy([(name: "uno", key: keys[0].key), (name: "two", key: "another key that is long")]))

            #expect(try clients[1].receive().closeCode == 1008)
            #expect(fixture.received.values.filter { $0 == "revoked" }.count == 1)
            #expect(try clients[0].echo("still here") == "still here")
            #expect(try open.echo("still here") == "still here")
        }
    }

    @Test func `a chat beyond the limit is closed at once with 1013`() async throws {
        var limits = ChatLimits()
        limits.sockets = 2
        let fixture = try await ChatFixture(limits)
        defer { fixture.plane.stop() }
        try await onThread {
            let clients = try (0..<2).map { _ in try fixture.open() }
            for client in clients { #expect(try client.echo("hello") == "hello") }
            #expect(try fixture.open().receive().closeCode == 1013)
            try clients[0].close()
            _ = try fixture.received.wait("an end") { $0.contains("ended") }
            #expect(try fixture.open().echo("hello") == "hello")
            #expect(try clients[1].echo("hello") == "hello")
        }

        #expect(fixture.received.values.filter { $0.hasPrefix("opened") }.count == 3)
    }

    @Test func `chats are limited to half of the connections, and requests are still answered`() async throws {
        var gatewayLimits = GatewayLimits.ofTests
        gatewayLimits.server.maximumConnections = 4
        let policy = Policy(
            keys: KeyTable(keys: [(name: "k", secret: Array(ChatFixture.key.utf8))]),
            failedTries: .init(burst: 0, interval: .seconds(1)), trustedProxies: .init([]), origins: .none,
            pinsDirectories: true, isOpenCode1Compatible: true, limits: gatewayLimits, eventEncoding: .raw,
            accessLog: false
        )
        let fixture = try await ChatFixture(policy: policy)
        defer { fixture.plane.stop() }

        try await onThread {
            let clients = try (0..<2).map { _ in try fixture.open() }
            for client in clients { #expect(try client.echo("hello") == "hello") }

            // Half of the connections are reserved for requests.
            let third = try fixture.open()
            #expect(try third.receive().closeCode == 1013)
            #expect(try TestClient.request(port: fixture.port, "GET", "/health").status == 200)
        }
    }

    @Test func `any thread can send to and close a chat, and sending to a closed one has no effect`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }

        try await onThread {
            let clients = try (0..<3).map { _ in try fixture.open() }
            let lines = try fixture.lines.wait(forCount: 3)
            let frame = Frame.text(Array("for all".utf8))
            for line in lines { line.send([frame, .text(Array("of them".utf8))]) }
            ChatLine.send([.text(Array("at once".utf8)), frame], over: lines)

            for client in clients {
                for text in ["for all", "of them", "at once", "for all"] { #expect(try client.receiveText() == text) }
            }

            lines[0].close(CloseStatus(.normal, "done"))
            #expect(try clients[0].receive().closeCode == 1000)
            try clients[0].send(.close(1000))
            #expect(try clients[0].connection.waitForEnd() == .closed)

            lines[0].send([frame])
            ChatLine.send([frame], over: lines)

            #expect(try clients[1].receiveText() == "for all")
            #expect(try clients[1].echo("hello") == "hello")
        }
    }

    @Test func `a client that closes, resets or half-closes its connection ends the chat`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }

        try await onThread {
            let ends = try [fixture.open(), fixture.open(), fixture.open()]
            ends[0].connection.close()
            ends[1].connection.reset()
            try ends[2].connection.shutdownWrite()

            _ = try fixture.received.wait("the ends") { $0.filter { $0 == "ended" }.count == 3 }
        }
    }

    @Test func `a binary message to a text-only chat closes it with 1003`() async throws {
        let fixture = try await ChatFixture { _ in .accepted(Listening()) }
        defer { fixture.plane.stop() }
        let code = try await onThread {
            let client = try fixture.open()
            try client.send(ClientFrame(2, [1, 2, 3]))
            return try client.receive().closeCode
        }

        #expect(code == 1003)
    }

    @Test func `an ended chat is logged with its path, status and bytes`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }
        try await onThread {
            let client = try fixture.open([("Sec-WebSocket-Protocol", "chat"), ChatFixture.authorization])
            #expect(try client.echo("hello") == "hello")
            try client.close()
            _ = try fixture.received.wait("the end") { $0.last == "ended" }
        }
        // A text of five bytes and a close frame with a code.
        let wanted = [
            LogField("path", .bytes(Array("/chat".utf8)[...])), LogField("status", .integer(101)),
            LogField("bytes", .integer(7 + 4)),
        ]
        let lines = fixture.log.records.values.filter { $0.message == "request" }

        #expect(lines.contains { line in wanted.allSatisfy(line.fields.contains) }, "\(lines)")
    }
}
