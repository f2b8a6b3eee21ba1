// SPDX-License-Identifier: Apache-2.0

extension FakeOpenCode {
    /// The event streams of a fake OpenCode server. The events that a test sends reach every stream that is open at
    /// that moment. As with the real OpenCode, a client that connects later misses them.
    package final class EventStreams: Sendable {
        /// How streams are ended: with FIN or RST within the body, or with the body's last chunk.
        package enum End: Sendable { case close, reset, clean }

        /// How the server refuses a stream: it responds with 500, closes the connection, or sends nothing at all.
        package enum Refusal: Sendable { case error, close, hang }

        private struct State {
            var sent: [[UInt8]] = []
            /// How often all streams were ended, and how they were ended the last time.
            var ends = 0
            var end = End.close
            var refusal: Refusal?
            var withholdsFirst = false
            /// The number of streams so far, and the number of the last stream that is muted.
            var streams = 0
            var muted = 0
        }

        /// The requests for streams that were accepted.
        package let openings = Recorded<ReceivedRequestHead>("an event stream")
        private let first: String
        private let replaysEvents: Bool
        private let state = Monitor(State())

        /// The first event of OpenCode 1 on a stream of all events.
        package static let connected =
            #"{"payload":{"id":"evt_0","type":"server.connected","properties":{"simulator":1}}}"#
        /// The first event of OpenCode 1 on a stream of one directory's events.
        package static let connectedHere = #"{"id":"evt_0","type":"server.connected","properties":{"simulator":1}}"#
        /// The first event of OpenCode 2.
        package static let connected2 = #"{"id":"evt_1","type":"server.connected","data":{}}"#

        /// Creates streams that begin with the given event. With `replaysEvents`, a client that connects later also
        /// receives the events that were sent before.
        package init(first: String, replaysEvents: Bool = false) {
            self.first = first
            self.replaysEvents = replaysEvents
        }

        /// Sends bytes on all open streams. Usually, the bytes are one or more frames.
        package func send(_ frames: String) { state.withLock { $0.sent.append(Array(frames.utf8)) } }

        /// Ends all streams. Streams that are requested later are opened as usual.
        package func close(_ end: End = .close) {
            state.withLock {
                $0.end = end
                $0.ends += 1
            }
        }

        /// Stops sending on the open streams, but keeps them open.
        package func mute() { state.withLock { $0.muted = $0.streams } }

        /// Sets how further streams are refused, or accepts them if the value is nil.
        package func refuse(_ refusal: Refusal?) { state.withLock { $0.refusal = refusal } }

        /// Sets whether the first event of a stream is withheld although the request is accepted.
        package func withholdFirst(_ withholds: Bool) { state.withLock { $0.withholdsFirst = withholds } }

        func serve(_ connection: TestConnection, _ head: ReceivedRequestHead) throws {
            switch state.withLock({ $0.refusal }) {
            case .error?: return try connection.respond(500, text: "no")
            case .close?: return connection.close()
            case .hang?:
                try connection.waitForEnd(within: .seconds(60))
                return
            case nil: break
            }
            let ends = state.withLock { $0.ends }
            var (sent, withholdsFirst, number) = state.withLock {
                $0.streams += 1
                return (replaysEvents ? 0 : $0.sent.count, $0.withholdsFirst, $0.streams)
            }
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            // Record the stream before sending its first event.
            openings.append(head)
            if !withholdsFirst { try connection.writeChunk("data: \(first)\n\n") }
            while !connection.isClosed {
                guard let step = next(after: sent, withheldFirst: withholdsFirst, stream: number, ends: ends) else {
                    continue
                }
                if withholdsFirst, !step.withholdsFirst { try connection.writeChunk("data: \(first)\n\n") }
                sent = step.count
                withholdsFirst = step.withholdsFirst
                if !step.bytes.isEmpty { try connection.writeChunk(step.bytes, within: .seconds(60)) }
                switch step.end {
                case .close?: return connection.close()
                case .reset?: return connection.reset()
                case .clean?: return try connection.writeLastChunk()
                case nil: break
                }
            }
        }

        /// The next action on a stream.
        private struct Step {
            var bytes: [UInt8]
            var count: Int
            var end: End?
            var withholdsFirst: Bool
        }

        /// Waits for the next action on the stream with this number. Returns nil after 200 ms.
        private func next(after sent: Int, withheldFirst: Bool, stream number: Int, ends: Int) -> Step? {
            try? state.wait(for: "something to send", within: .milliseconds(200)) { state -> Step? in
                guard
                    state.muted < number,
                    state.sent.count > sent || state.ends > ends || state.withholdsFirst != withheldFirst
                else { return nil }
                // Append whole arrays. `joined` copies byte by byte, and would block the calls of the test because the
                // lock is held.
                return Step(
                    bytes: state.sent[sent...].reduce(into: []) { $0 += $1 }, count: state.sent.count,
                    end: state.ends > ends ? state.end : nil, withholdsFirst: state.withholdsFirst)
            }
        }
    }
}
