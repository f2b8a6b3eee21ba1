// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPTypes
import TestKit
import Testing

@testable import HTTPClient

@Suite("Connections to an instance")
struct ConnectingTests {
    private final class RecordingDelegate: UpstreamDelegate, TimerHandler {
        private let loop: EventLoop
        private(set) var failure: UpstreamFailure?

        init(_ loop: EventLoop) { self.loop = loop }

        func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
            Issue.record("no server can have answered")
        }
        func answerBody(_ bytes: Span<UInt8>) -> Bool { true }
        func answerEnded(trailers: FieldList) { Issue.record("no server can have answered") }
        func answerFailed(_ failure: UpstreamFailure) {
            self.failure = failure
            loop.stop()
        }
        func answerSettled() {}
        func uploadHasRoom() {}
        func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {}
        func timerFired(_ timer: LoopTimer) { loop.stop() }
    }

    @Test(
        arguments: [Method.get, .post])
    func `a connection that waits in a full accept queue fails after the connect timeout`(method: Method) throws {
        // A deadline counts from the beginning of the loop's pass.
        let start = MonotonicTime.now
        let loop = try EventLoop()
        let anyPort = try #require(SocketAddress(host: "127.0.0.1", port: 0))
        let listener = try Listener(on: anyPort, backlog: 0)
        // This connection occupies the queue's only place.
        let waiting = try TestClient.connect(port: listener.address.port)
        defer { waiting.close() }
        let client = UpstreamClient(loop: loop, connectTimeout: .milliseconds(50))
        let delegate = RecordingDelegate(loop)
        let request = UpstreamRequest(
            instance: InstanceAddress(ip: .loopback, port: listener.address.port), method: method, methodName: "any",
            target: [UInt8(ascii: "/")],
            fields: FieldList(), body: .none)
        _ = client.start(request, delegate: delegate)
        let limit = loop.timer(delegate)
        loop.arm(limit, after: .seconds(10))
        try loop.run()

        #expect(delegate.failure == .refused)
        #expect(MonotonicTime.now - start >= .milliseconds(50))

        client.stop()
        loop.releaseHandlers()
    }
}
