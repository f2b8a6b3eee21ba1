import TestKit

/// A stand-in instance of OpenCode 1 that says what a test wants on each stream of its events that is open at that moment, as
/// the real one does: who comes later has missed it.
final class FakeEventInstance: Sendable {
    private struct State {
        var said: [[UInt8]] = []
        /// How often all streams were ended, and how the last time.
        var ends = 0
        var end = End.close
        var refusal: Refusal?
        var isSilent = false
        /// What is answered to other requests, by their target.
        var answers: [String: String] = [:]
        /// What is waited for before that, by their target.
        var holds: [String: @Sendable () throws -> Void] = [:]
        /// How many streams of everything there were, and up to which of them nothing is said.
        var streams = 0
        var muted = 0
    }

    enum End: Sendable { case close, reset, clean }

    /// How it refuses a stream: with 500, by closing the connection, or by saying nothing at all.
    enum Refusal: Sendable { case error, close, hang }

    /// The gateway's own streams of everything.
    let subscriptions = Recorded<ReceivedRequestHead>("a stream of everything")
    /// Streams of one directory.
    let openings = Recorded<ReceivedRequestHead>("a stream of one directory")
    /// All other requests.
    let requests = Recorded<ReceivedRequestHead>("another request")
    let fake: FakeInstance
    private let state = Monitor(State())

    /// What it says first on each stream of everything.
    static let connected = #"{"payload":{"id":"evt_0","type":"server.connected","properties":{"simulator":1}}}"#
    /// The same on a stream of one directory.
    static let connectedHere = #"{"id":"evt_0","type":"server.connected","properties":{"simulator":1}}"#

    /// `version`: what its health says.
    init(version: String = "fake") throws {
        let (state, subscriptions, openings, requests) = (state, subscriptions, openings, requests)
        fake = try FakeInstance(.one(version: version)) { connection, head in
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

    /// Says these bytes, a frame or several.
    func say(_ frames: String) { state.withLock { $0.said.append(Array(frames.utf8)) } }

    /// Ends all streams of everything; later ones are opened as ever.
    func endStreams(_ end: End = .close) {
        state.withLock {
            $0.end = end
            $0.ends += 1
        }
    }

    /// Says nothing more on the streams that are open, and keeps them open.
    func mute() { state.withLock { $0.muted = $0.streams } }

    /// Says what is answered to requests for this target.
    func answer(_ target: String, _ body: String) { state.withLock { $0.answers[target] = body } }

    /// Says what is waited for before a request for this target is answered.
    func hold(_ target: String, until isFree: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.holds[target] = isFree }
    }

    /// Whether further streams of everything are refused.
    func refuse(_ isRefusing: Bool) { refuse(isRefusing ? .error : nil) }

    /// How further streams of everything are refused; nil: they are not.
    func refuse(_ refusal: Refusal?) { state.withLock { $0.refusal = refusal } }

    private static func refuse(_ refusal: Refusal, _ connection: TestConnection) throws {
        switch refusal {
        case .error: try connection.respond(500, text: "no")
        case .close: connection.close()
        case .hang: try connection.waitForEnd(within: .seconds(60))
        }
    }

    /// Whether it does not say that a stream has begun, though it takes the request.
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
        // Known before the first word of it is.
        subscriptions.append(head)
        if !isSilent { try connection.writeChunk("data: \(connected)\n\n") }
        while !connection.isClosed {
            let step = try? state.wait(for: "something to say", within: .milliseconds(200)) { state -> Step? in
                guard state.muted < number, state.said.count > sent || state.ends > ends || state.isSilent != isSilent
                else { return nil }
                // Piece by piece: `joined` goes byte by byte, and nobody can say anything meanwhile.
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
