// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import JSONText

/// Translates the events in one project's log from OpenCode 2's API to OpenCode 1's API, and determines the necessary
/// queries. Streams of text (``TranslatedEncoding``) and streams of values (``TranslatedEventReader``) both use this
/// type.
struct EventTranslation: Sendable {
    /// The result of translating an event.
    enum Outcome {
        case frames([Frame])
        /// The translation needs the result of this query. Pass the event again after ``resume(_:_:before:time:)``.
        case query(TranslationQuery)
    }

    /// The initial value and the minimum of ``limit``.
    private static let mostSessions = 256
    /// The time in milliseconds that must pass before a query without a result is repeated.
    private static let patience: UInt64 = 5_000
    private static let mostUnanswered = 64

    private var translator: StreamTranslator?
    private var defaults: InstanceDefaults?
    private var generation: UInt64?
    /// The sessions whose queries failed, each with the time of the event that needed the query.
    private var unanswered: [String: UInt64] = [:]
    /// The number of known sessions at which the translation forgets idle sessions.
    private var limit = Self.mostSessions

    /// Handles missing events by forgetting all sessions.
    mutating func interrupt() {
        translator = defaults.map(StreamTranslator.init)
        unanswered = [:]
    }

    /// Begins the events of a generation. A new generation may run another version of OpenCode, so the translation then
    /// forgets everything. Returns whether the generation is new.
    mutating func setGeneration(_ generation: UInt64) -> Bool {
        guard self.generation != generation else { return false }
        self.generation = generation
        translator = nil
        defaults = nil
        unanswered = [:]
        return true
    }

    /// Translates the next event.
    ///
    /// - Parameters:
    ///   - line: The data line of the event.
    ///   - time: The recorded time of the event, in milliseconds since 1970.
    mutating func translate(_ line: [UInt8], time: UInt64) -> Outcome {
        retryUnanswered(time)
        switch translator?.translate(line) {
        case .frames(let frames)?: return .frames(frames)
        case .needs(let session)?: return .query(.session(session))
        case nil: return .query(.defaults)
        }
    }

    /// Forgets all sessions of a directory.
    mutating func forget(directory: String) { translator?.forget(directory: directory) }

    /// Processes the result of a query.
    ///
    /// - Parameters:
    ///   - event: The line of the event that waits for the result.
    ///   - time: The time at which the event that waits for the result was recorded.
    mutating func resume(
        _ query: TranslationQuery, _ answer: TranslationAnswer, before event: [UInt8], time: UInt64
    ) {
        switch (query, answer) {
        case (.defaults, .defaults(let version, let configuration, let model)):
            start(
                InstanceDefaults(
                    version: version, configuration: JSONParser.parse(configuration), model: Self.data(model)))
        case (.defaults, _): start(InstanceDefaults(version: ""))
        case (.session(let id), .session(let session, let messages, let inbox, let active)):
            makeRoom()
            let isKnown = translator?.restore(
                session: Self.data(session) ?? .null, messages: Self.data(messages)?.array?.reversed() ?? [],
                inbox: Self.data(inbox)?.array ?? [], isRunning: Self.data(active)?[id] != nil, before: event)
            if isKnown != true { translator?.ignore(session: id) }
        case (.session(let id), .unknown): translator?.ignore(session: id)
        case (.session(let id), _):
            translator?.ignore(session: id)
            if unanswered.count >= Self.mostUnanswered { unanswered = [:] }
            unanswered[id] = time
        }
    }

    private mutating func start(_ known: InstanceDefaults) {
        defaults = known
        translator = StreamTranslator(known)
    }

    /// Returns the `data` field in the body of a response.
    private static func data(_ body: [UInt8]) -> JSON? { JSONParser.parse(body)?["data"] }

    private mutating func retryUnanswered(_ time: UInt64) {
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
}
