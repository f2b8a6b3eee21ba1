// SPDX-License-Identifier: Apache-2.0

internal import Dialects
import Encodings
internal import JSONText
package import OpenCodeFamilies

/// Makes translated frames (OpenCode 1's API) from one project's events in one encoding, whichever OpenCode version
/// sent them.
///
/// The frames of an event depend on the events before it and on the answers about their sessions. A session whose
/// beginning is among the events needs no query. For any other session, the instance returns the present state, and the
/// translation reverts it to the event that caused the query.
package struct TranslatedEncoding: Sendable {
    /// The frames for an event, or the query that must be answered first.
    package struct EncodingResult: Sendable {
        /// The frames to send now, in order.
        package var frames: [EncodedFrame] = []
        /// The query that must be answered first; the event must then be taken again.
        package var question: TranslationQuery?
    }

    /// The number of known sessions above which idle sessions are forgotten.
    private static let mostSessions = 256
    /// The time after which a session without an answer is queried again, in milliseconds.
    private static let patience: UInt64 = 5_000
    private static let mostUnanswered = 64

    private var state: EncodingState
    private var counter = FrameCounter()
    private var translator: StreamTranslator?
    private var surroundings: InstanceDefaults?
    private var generation: UInt64?
    /// The sessions for which no answer came, and the times.
    private var unanswered: [String: UInt64] = [:]
    /// The number of sessions that may be known before idle ones are forgotten.
    private var limit = Self.mostSessions

    /// Creates an encoding that knows no sessions.
    package init(_ form: EventEncoding) { state = EncodingState(form: form) }

    /// The time at which ``due(now:)`` will return frames, in milliseconds since 1970; nil if nothing is pending.
    package var deadline: UInt64? { state.deadline }

    /// Returns the frames that are due by `now`, in milliseconds since 1970.
    package mutating func due(now: UInt64) -> [EncodedFrame] { numbered(state.due(now: now)) }

    /// Handles missing events: returns the pending frames and forgets all sessions.
    package mutating func interrupt() -> [EncodedFrame] {
        translator = surroundings.map(StreamTranslator.init)
        unanswered = [:]
        return numbered(state.interrupt())
    }

    /// Takes the next event: its id, the time at which it was recorded (milliseconds since 1970), its skeleton, its
    /// line, and the range of the event's own JSON in the line.
    package mutating func take(
        id: EventID, time: UInt64, skeleton: EventSkeleton, line: borrowing Span<UInt8>, payload: Range<Int>
    ) -> EncodingResult {
        var outcome = EncodingResult()
        if generation != id.generation {
            outcome.frames = interrupt()
            // Another run of the instance may be another OpenCode version.
            generation = id.generation
            translator = nil
            surroundings = nil
        }
        // Frames that are due by then belong to the previous event.
        outcome.frames += due(now: time)
        guard payload.count == line.count else {
            // OpenCode 1 sent the event: its events have a wrapper.
            counter.begin(id)
            emit(
                EncodedFrame.Made(skeleton, payload: [UInt8](copying: line.extracting(payload))), id: id, time: time,
                into: &outcome)
            return outcome
        }
        let bytes = [UInt8](copying: line)
        askAgain(time)
        guard let result = translator?.translate(bytes) else {
            outcome.question = .surroundings
            return outcome
        }
        switch result {
        case .needs(let session): outcome.question = .session(session)
        case .frames(let frames):
            counter.begin(id)
            let end = frames.lastIndex(where: \.isIdle)
            for (index, frame) in frames.enumerated() {
                guard let made = frame.bytes() else { continue }
                var skeleton = EventSkeleton(line: made.span, family: .one)
                skeleton.directory = frame.directory.map { Array($0.utf8) }
                var own = EncodedFrame.Made(skeleton, payload: made)
                own.endsTurn = index == end
                own.completesTurn = end.map { $0 < index } ?? false && skeleton.type == Self.idle
                emit(own, id: id, time: time, into: &outcome)
                if skeleton.isDispose, let directory = frame.directory { translator?.forget(directory: directory) }
            }
        }
        return outcome
    }

    /// Takes an answer. `event` is the line of the event that waits for it, and `time` is the time at which that event
    /// was recorded.
    package mutating func learn(
        _ question: TranslationQuery, _ answer: TranslationAnswer, before event: [UInt8], time: UInt64
    ) {
        switch (question, answer) {
        case (.surroundings, .surroundings(let version, let configuration, let model)):
            begin(
                InstanceDefaults(
                    version: version, configuration: JSONParser.parse(configuration), model: Self.data(model)))
        case (.surroundings, _): begin(InstanceDefaults(version: ""))
        case (.session(let id), .session(let session, let messages, let inbox, let active)):
            makeRoom()
            let isKnown = translator?.learn(
                session: Self.data(session) ?? .null, messages: Self.data(messages)?.array?.reversed() ?? [],
                inbox: Self.data(inbox)?.array ?? [], isRunning: Self.data(active)?[id] != nil, before: event)
            if isKnown != true { translator?.leaveOut(session: id) }
        case (.session(let id), .unknown): translator?.leaveOut(session: id)
        case (.session(let id), _):
            translator?.leaveOut(session: id)
            if unanswered.count >= Self.mostUnanswered { unanswered = [:] }
            unanswered[id] = time
        }
    }

    private mutating func begin(_ known: InstanceDefaults) {
        surroundings = known
        translator = StreamTranslator(known)
    }

    /// Returns OpenCode 1's event for the beginning of a stream, made from OpenCode 2's event.
    package static func connected(of line: [UInt8]) -> [UInt8]? {
        var translator = StreamTranslator(InstanceDefaults(version: ""))
        guard case .frames(let frames) = translator.translate(line) else { return nil }
        return frames.first?.bytes()
    }

    /// Returns the data of an answer.
    private static func data(_ body: [UInt8]) -> JSON? { JSONParser.parse(body)?["data"] }

    private mutating func askAgain(_ time: UInt64) {
        guard !unanswered.isEmpty else { return }
        for (id, since) in unanswered where time > since + Self.patience {
            unanswered[id] = nil
            translator?.forget(session: id)
        }
    }

    private mutating func makeRoom() {
        guard let count = translator?.count, count >= limit else { return }
        translator?.forgetQuiet(downTo: Self.mostSessions / 2)
        limit = max(Self.mostSessions, 2 * (translator?.count ?? 0))
    }

    /// Adds the frames that the encoding makes of a translated event.
    private mutating func emit(
        _ event: EncodedFrame.Made, id: EventID, time: UInt64, into outcome: inout EncodingResult
    ) {
        var own = event
        own.isTranslated = true
        guard state.form != .raw else {
            if let frame = counter.frame(own) { outcome.frames.append(frame) }
            return
        }
        for frame in state.take(id: id, time: time, skeleton: event.skeleton, payload: event.payload.span) {
            guard frame.made == nil else {
                if let frame = numbered(frame) { outcome.frames.append(frame) }
                continue
            }
            if let frame = counter.frame(own) { outcome.frames.append(frame) }
        }
    }

    /// Returns the frames of the encoding with the frame numbers of this stream.
    private mutating func numbered(_ frames: [EncodedFrame]) -> [EncodedFrame] {
        var all: [EncodedFrame] = []
        for frame in frames { if let frame = numbered(frame) { all.append(frame) } }
        return all
    }

    private mutating func numbered(_ frame: EncodedFrame) -> EncodedFrame? {
        guard var made = frame.made else { return nil }
        made.isTranslated = true
        return counter.frame(made)
    }

    private static let idle = Array("session.idle".utf8)
}
