internal import Dialects
internal import JSONText
package import OpenCode
import TextCoding

/// Makes frames in OpenCode 1's words of one project's events, whichever OpenCode has said them, in one form.
///
/// What it makes of an event depends on the events before it and on what it was told of their sessions. Of a session whose
/// beginning is among the events it is told nothing; of another one, what the instance says now, put back to the event that
/// asked for it.
package struct TranslatedEncoding: Sendable {
    /// What an event has become.
    package struct Outcome: Sendable {
        /// The frames that are told now, in order.
        package var frames: [EncodedFrame] = []
        /// What it has to be told first; the event is then to be given again.
        package var question: TranslationQuery?
    }

    /// Sessions of which it knows more than this are forgotten where they do nothing.
    private static let mostSessions = 256
    /// After so many milliseconds without an answer a session is asked for again.
    private static let patience: UInt64 = 5_000
    private static let mostUnanswered = 64

    private var state: EncodingState
    private var counter = FrameCounter()
    private var translator: StreamTranslator?
    private var surroundings: InstanceDefaults?
    private var generation: UInt64?
    /// Sessions for which no answer came, and when.
    private var unanswered: [String: UInt64] = [:]
    /// How many sessions may be known before those that do nothing are forgotten.
    private var limit = Self.mostSessions

    /// Knows nothing yet.
    package init(_ form: EventEncoding) { state = EncodingState(form: form) }

    /// When ``due(now:)`` will have something to tell, in milliseconds since 1970; nil: nothing waits.
    package var deadline: UInt64? { state.deadline }

    /// What is due by `now`, in milliseconds since 1970.
    package mutating func due(now: UInt64) -> [EncodedFrame] { numbered(state.due(now: now)) }

    /// Events are missing here: tells what waits, and knows no session any more.
    package mutating func interrupt() -> [EncodedFrame] {
        translator = surroundings.map(StreamTranslator.init)
        unanswered = [:]
        return numbered(state.interrupt())
    }

    /// Takes the next event: its id, when it was recorded (milliseconds since 1970), what was read of it, its line, and
    /// where the event's own JSON stands in that.
    package mutating func take(
        id: EventID, time: UInt64, skeleton: EventSkeleton, line: borrowing Span<UInt8>, payload: Range<Int>
    ) -> Outcome {
        var outcome = Outcome()
        if generation != id.generation {
            outcome.frames = interrupt()
            // Another run may be another OpenCode.
            (generation, translator, surroundings) = (id.generation, nil, nil)
        }
        // What is due by then belongs to the event before.
        outcome.frames += due(now: time)
        guard payload.count == line.count else {
            // OpenCode 1 has said it: its events come in a wrapper.
            counter.begin(id)
            tell(skeleton, [UInt8](copying: line.extracting(payload)), id, time, endsTurn: false, &outcome)
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
                tell(skeleton, made, id, time, endsTurn: index == end, &outcome)
                if skeleton.isDispose, let directory = frame.directory { translator?.forget(directory: directory) }
            }
        }
        return outcome
    }

    /// Takes an answer in. `event` is the line of the event that waits for it, `time` when that was recorded.
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

    /// OpenCode 1's word that a stream has begun, made of OpenCode 2's.
    package static func connected(of line: [UInt8]) -> [UInt8]? {
        var translator = StreamTranslator(InstanceDefaults(version: ""))
        guard case .frames(let frames) = translator.translate(line) else { return nil }
        return frames.first?.bytes()
    }

    /// What stands in an answer.
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

    /// Adds what the form makes of an event in OpenCode 1's words.
    private mutating func tell(
        _ skeleton: EventSkeleton, _ payload: [UInt8], _ id: EventID, _ time: UInt64, endsTurn: Bool,
        _ outcome: inout Outcome
    ) {
        var own = Self.made(skeleton, payload)
        own.endsTurn = endsTurn
        guard state.form != .raw else {
            if let frame = counter.frame(own) { outcome.frames.append(frame) }
            return
        }
        for frame in state.take(id: id, time: time, skeleton: skeleton, payload: payload.span) {
            guard frame.made == nil else {
                if let frame = numbered(frame) { outcome.frames.append(frame) }
                continue
            }
            if let frame = counter.frame(own) { outcome.frames.append(frame) }
        }
    }

    /// What the form has made, with the number that it has here.
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

    private static func made(_ skeleton: EventSkeleton, _ payload: [UInt8]) -> EncodedFrame.Made {
        var made = EncodedFrame.Made(skeleton, payload: payload)
        made.isTranslated = true
        return made
    }
}
