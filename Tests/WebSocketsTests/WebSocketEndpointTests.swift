// SPDX-License-Identifier: Apache-2.0

import FrameCases
import Testing

@testable import WebSockets

/// Tests the behaviour and the memory use of the endpoint in addition to the cases of the Autobahn suite.
@Suite struct WebSocketEndpointTests {
    private static func events(_ endpoint: WebSocketEndpoint, _ frames: [ClientFrame]) -> [WebSocketEndpoint.Event] {
        var events: [WebSocketEndpoint.Event] = []
        endpoint.receive(frames.flatMap(\.bytes)) { events.append($0) }
        return events
    }

    @Test func `an unmasked frame fails the connection with 1002`() {
        let endpoint = WebSocketEndpoint(limit: 1024)
        var frame = ClientFrame(1, "hello")
        frame.isMasked = false
        let events = Self.events(endpoint, [frame])

        #expect(events == [.failed(CloseStatus(.protocolError, "a client's frames must be masked"))])
        #expect(endpoint.takeFrames().map(\.closeCode) == [1002])
    }

    @Test(arguments: [(2, 5), (8, 5), (8, 65_535)])
    func `each length that is not in its shortest form fails the connection with 1002`(_ form: (Int, Int)) {
        let endpoint = WebSocketEndpoint(limit: 1 << 20)
        var frame = ClientFrame(1, [UInt8](repeating: 0x61, count: form.1))
        frame.lengthBytes = form.0
        _ = Self.events(endpoint, [frame])

        #expect(endpoint.phase == .ended)
        #expect(endpoint.takeFrames().map(\.closeCode) == [1002])
    }

    @Test func `a message at the size limit is accepted, and one more byte fails the connection with 1009`() {
        let endpoint = WebSocketEndpoint(limit: 10)
        let ten = Array("0123456789".utf8)

        #expect(Self.events(endpoint, [ClientFrame(1, ten)]) == [.message(Message(isText: true, bytes: ten))])

        let parts = [ClientFrame(1, Array(ten[..<6]), final: false), ClientFrame(0, Array(ten[..<5]))]
        let events = Self.events(endpoint, parts)

        #expect(events == [.failed(CloseStatus(.messageTooBig, "a message may have at most 10 bytes"))])
        #expect(endpoint.takeFrames().map(\.closeCode) == [1009])
    }

    @Test func `a frame with an excessive length is rejected with 1009 before its payload arrives`() {
        let endpoint = WebSocketEndpoint(limit: 1024)
        var frame = ClientFrame(1, "a")
        frame.announced = Int.max
        _ = Self.events(endpoint, [frame])

        #expect(endpoint.takeFrames().map(\.closeCode) == [1009])
    }

    @Test func `messages are neither sent nor delivered after a close frame is sent`() {
        let endpoint = WebSocketEndpoint(limit: 1024)
        endpoint.close(CloseStatus(.goingAway, "the gateway ends"))
        endpoint.send(.text(Array("late".utf8)))
        endpoint.close(CloseStatus(.normal))

        #expect(endpoint.phase == .closing)

        let frames = endpoint.takeFrames()

        #expect(frames.map(\.closeCode) == [1001])
        #expect(frames.first.map { String(decoding: $0.payload[2...], as: UTF8.self) } == "the gateway ends")

        let events = Self.events(endpoint, [ClientFrame(1, "too late"), ClientFrame(9, "?"), .close(1001)])

        #expect(events == [.closed(CloseStatus(.goingAway))])
        #expect(endpoint.phase == .ended)
        #expect(endpoint.outgoing.isEmpty)
    }

    @Test func `a long close reason is truncated between characters`() {
        let endpoint = WebSocketEndpoint(limit: 1024)
        endpoint.close(CloseStatus(.policyViolation, String(repeating: "é", count: 100)))
        let payload = endpoint.takeFrames().first?.payload ?? []

        #expect(payload.count == 124)
        #expect(String(validating: payload[2...], as: UTF8.self)?.count == 61)
    }

    @Test func `the reply to a message precedes the replies to the frames after it`() {
        let endpoint = WebSocketEndpoint(limit: 1024)
        let frames = [ClientFrame(1, "a"), ClientFrame(9, "b"), ClientFrame.close(1000)]
        endpoint.receive(frames.flatMap(\.bytes)) { event in
            if case .message(let message) = event { endpoint.send(.text(message.bytes)) }
        }

        #expect(endpoint.takeFrames().map(\.opcode) == [1, 10, 8])
    }

    @Test func `an endpoint is idle unless it holds a part of a frame`() {
        let endpoint = WebSocketEndpoint(limit: 1024)

        #expect(endpoint.isIdle)

        let bytes = ClientFrame(1, "hello").bytes
        for cut in 1..<bytes.count {
            endpoint.receive(Array(bytes[..<cut]))
            #expect(!endpoint.isIdle, "\(cut) bytes of a frame wait for the others")
            endpoint.receive(Array(bytes[cut...]))
            #expect(endpoint.isIdle)
        }
    }

    @Test func `the number of waiting bytes excludes the message that is being sent`() {
        let endpoint = WebSocketEndpoint(limit: 1024)
        let large = Frame.text([UInt8](repeating: 0x61, count: 100_000))

        #expect(endpoint.outgoing.waiting == 0)

        endpoint.send(large)

        #expect(endpoint.outgoing.waiting == 0)

        for _ in 0..<3 { endpoint.send(large) }
        let size = large.bytes.count

        #expect(endpoint.outgoing.waiting == 3 * size)

        endpoint.sent(size - 1)

        #expect(endpoint.outgoing.waiting == 3 * size)

        endpoint.sent(1)

        #expect(endpoint.outgoing.waiting == 2 * size)

        endpoint.sent(2 * size + 5)

        #expect(endpoint.outgoing.waiting == 0)
        #expect(!endpoint.outgoing.isEmpty)

        endpoint.sent(size - 5)

        #expect(endpoint.outgoing.isEmpty)
    }

    @Test func `many small frames are sent in order`() {
        let endpoint = WebSocketEndpoint(limit: 1024)
        var next = 0
        var sent: [ServerFrame] = []
        for round in 0..<50 {
            for _ in 0..<10 {
                endpoint.send(.text(Array("\(next)".utf8)))
                next += 1
            }
            // Take up to three frames, so that some frames remain each time.
            sent += Self.frames(endpoint.takeNext())
            if round % 3 == 2 { sent += endpoint.takeFrames() }
        }
        sent += endpoint.takeFrames()

        #expect(sent.map { String(decoding: $0.payload, as: UTF8.self) } == (0..<500).map(String.init))
    }

    private static func frames(_ bytes: [UInt8]) -> [ServerFrame] {
        var remainder = bytes[...]
        var frames: [ServerFrame] = []
        while let frame = ServerFrame.parse(&remainder) { frames.append(frame) }
        return frames
    }
}
