// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// One event of OpenCode 1 that results from an event of OpenCode 2.
package struct Frame: Sendable, Equatable {
    /// The content of a frame.
    package enum Content: Sendable, Equatable {
        case event(Event)
        /// The JSON of a `message.part.delta`.
        case written([UInt8])
    }

    /// The content of the frame.
    package let content: Content
    /// The directory whose event streams send the frame; nil: all.
    package let directory: String?

    init(_ content: Content, directory: String?) {
        self.content = content
        self.directory = directory
    }

    /// The parsed event of the frame.
    package var event: Event? {
        switch content {
        case .event(let event): event
        case .written(let bytes): JSONParser.parse(bytes).flatMap(Event.init(openCode1:))
        }
    }

    /// Whether the event reports that a session has become idle.
    package var isIdle: Bool {
        if case .event(let event) = content, case .status(_, .idle) = event.change { true } else { false }
    }

    /// Returns the event's JSON for clients of that edition; nil if they have no such event. `time`: as in
    /// ``Event/json(_:time:)``.
    package func bytes(_ edition: Edition = .current, time: Number? = nil) -> [UInt8]? {
        switch content {
        case .event(let event): event.json(edition, time: time)?.bytes
        case .written(let bytes): bytes
        }
    }
}

/// The result of translating an event.
package enum TranslationResult: Sendable, Equatable {
    /// The events to send, in order; there may be none.
    case frames([Frame])
    /// The session is unknown. The caller passes its state to
    /// ``StreamTranslator/learn(session:messages:inbox:isRunning:)``, or calls ``StreamTranslator/leaveOut(session:)``
    /// if OpenCode does not have it. It then translates the event again.
    case needs(sessionID: String)
}
