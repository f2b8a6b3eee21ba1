package import JSONText

/// One event of OpenCode 1 that an event of OpenCode 2 has become.
package struct Frame: Sendable, Equatable {
    /// What is told.
    package enum Content: Sendable, Equatable {
        case event(Event)
        /// A `message.part.delta`, already written.
        case written([UInt8])
    }

    /// What is told.
    package let content: Content
    /// The directory whose streams tell it; nil: all.
    package let directory: String?

    init(_ content: Content, directory: String?) { (self.content, self.directory) = (content, directory) }

    /// The event.
    package var event: Event? {
        switch content {
        case .event(let event): event
        case .written(let bytes): JSONParser.parse(bytes).flatMap(Event.init(openCode1:))
        }
    }

    /// Whether it says that a session has nothing to do any more.
    package var isIdle: Bool {
        if case .event(let event) = content, case .status(_, .idle) = event.change { true } else { false }
    }

    /// The event's JSON for clients of that edition; nil where they have no such event. `time`: as ``Event/json(_:time:)``.
    package func bytes(_ edition: Edition = .current, time: Number? = nil) -> [UInt8]? {
        switch content {
        case .event(let event): event.json(edition, time: time)?.bytes
        case .written(let bytes): bytes
        }
    }
}

/// What a translator makes of an event.
package enum Outcome: Sendable, Equatable {
    /// The events to tell, in order; there may be none.
    case frames([Frame])
    /// It has to learn about a session first (``StreamTranslator/learn(session:messages:inbox:isRunning:)``, or
    /// ``StreamTranslator/leaveOut(session:)`` where OpenCode knows none), and then asks for the event again.
    case needs(sessionID: String)
}
