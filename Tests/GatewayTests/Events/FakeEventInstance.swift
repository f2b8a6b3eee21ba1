// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A fake instance of OpenCode 1 that sends events chosen by a test on each event stream that is open at that moment.
/// As with the real OpenCode, a client that connects later misses them.
final class FakeEventInstance: Sendable {
    private struct State {
        var said: [[UInt8]] = []
        /// The number of times that all streams were ended, and how the last time.
        var ends = 0
        var end = End.close
        var refusal: Refusal?
        var isSilent = false
        /// The bodies of the answers to other requests, by their targets.
        var answers: [String: String] = [:]
        /// The waits before those answers, by their targets.
        var holds: [String: @Sendable () throws -> Void] = [:]
        /// The number of global streams so far, and the last of them on which nothing is sent.
        var streams = 0
        var muted = 0
    }

    enum End: Sendable { case close, reset, clean }

    /// How the instance refuses a stream: with 500, by closing the connection, or by sending nothing at all.
    enum Refusal: Sendable { case error, close, hang }

    /// The gateway's own global streams.
    let subscriptions = Recorded<ReceivedRequestHead>("a stream of everything")
    /// The streams of one directory.
    let openings = Recorded<ReceivedRequestHead>("a stream of one directory")
    /// The heads of all other requests.
    let requests = Recorded<ReceivedRequestHead>("another request")
    let fake: FakeOpenCode.Server
    private let state = Monitor(State())

    /// The first event on each global stream.
    static let connected = #"{"payload":{"id":"evt_0","type":"server.connected","properties":{"simulator":1}}}"#
    /// The first event on a stream of one directory.
    static let connectedHere = #"{"id":"evt_0","type":"server.connected","properties":{"simulator":1}}"#

    /// Creates an instance whose health answer contains `version`.
    init(version: String = "fake") throws {
        let (state, subscriptions, openings, requests) = (state, subscriptions, openings, requests)
        fake = try FakeOpenCode(version: version).start { connection, head in
            switch head.path {
            case "/global/event":
                if let refusal = state.withLock({ $0.refusal }) { return try Self.refuse(refusal, connection) }
                try Self.stream(state, subscriptions, head, connection)
            case "/event":
                openings.append(head)
                if state.withLock({ $0.refusal }) == .hang { return try Self.refuse(.hang, connection) }
                try connection.writeHead(200, headers: Self.head)
                try connection.writeChunk("data: \(Self.connectedHere)\n\n")
                try connection.waitForEnd(within: .seconds(60))
            default:
                requests.append(head)
                _ = try connection.readBody(of: head)
                try state.withLock { $0.holds[head.target] }?()
                try connection.respond(200, text: state.withLock { $0.answers[head.target] } ?? head.target)
            }
        }
    }

    private static let head = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")]

    /// Sends these bytes, one or more frames.
    func say(_ frames: String) { state.withLock { $0.said.append(Array(frames.utf8)) } }

    /// Ends all global streams. Later ones open as usual.
    func endStreams(_ end: End = .close) {
        state.withLock {
            $0.end = end
            $0.ends += 1
        }
    }

    /// Sends nothing more on the streams that are open, and keeps them open.
    func mute() { state.withLock { $0.muted = $0.streams } }

    /// Sets the answer to requests for this target.
    func answer(_ target: String, _ body: String) { state.withLock { $0.answers[target] = body } }

    /// Delays the answers to requests for this target until the closure returns.
    func hold(_ target: String, until isFree: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.holds[target] = isFree }
    }

    /// Sets whether further global streams are refused.
    func refuse(_ isRefusing: Bool) { refuse(isRefusing ? .error : nil) }

    /// Sets how further global streams are refused; nil accepts them.
    func refuse(_ refusal: Refusal?) { state.withLock { $0.refusal = refusal } }

    private static func refuse(_ refusal: Refusal, _ connection: TestConnection) throws {
        switch refusal {
        case .error: try connection.respond(500, text: "no")
        case .close: connection.close()
        case .hang: try connection.waitForEnd(within: .seconds(60))
        }
    }

    /// Sets whether the first event of a stream is withheld although the request is accepted.
    func beSilent(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    private static func stream(
        _ state: Monitor<State>, _ subscriptions: Recorded<ReceivedRequestHead>, _ head: ReceivedRequestHead,
        _ connection: TestConnection
    ) throws {
        struct Step {
            var bytes: [UInt8]
            var count: Int
            var end: End?
            var isSilent: Bool
        }
        let ends = state.withLock { $0.ends }
        var (sent, isSilent, number) = state.withLock {
            $0.streams += 1
            return ($0.said.count, $0.isSilent, $0.streams)
        }
        try connection.writeHead(200, headers: Self.head)
        // Record the subscription before its first event is sent.
        subscriptions.append(head)
        if !isSilent { try connection.writeChunk("data: \(connected)\n\n") }
        while !connection.isClosed {
            let step = try? state.wait(for: "something to say", within: .milliseconds(200)) { state -> Step? in
                guard state.muted < number, state.said.count > sent || state.ends > ends || state.isSilent != isSilent
                else { return nil }
                // Append whole arrays: `joined` copies byte by byte and would block the test's calls while it holds the
                // lock.
                return Step(
                    bytes: state.said[sent...].reduce(into: []) { $0 += $1 }, count: state.said.count,
                    end: state.ends > ends ? state.end : nil, isSilent: state.isSilent)
            }
            guard let step else { continue }
            if isSilent, !step.isSilent { try connection.writeChunk("data: \(connected)\n\n") }
            (sent, isSilent) = (step.count, step.isSilent)
            if !step.bytes.isEmpty { try connection.writeChunk(step.bytes, within: .seconds(60)) }
            switch step.end {
            case .close?: return connection.close()
            case .reset?: return connection.reset()
            case .clean?: return try connection.writeLastChunk()
            case nil: break
            }
        }
    }
}
