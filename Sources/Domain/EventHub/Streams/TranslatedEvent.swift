// SPDX-License-Identifier: Apache-2.0

package import Dialects
internal import JSONText
internal import OpenCodeFamilies

/// A change of OpenCode 1's model that a project's instance sent, whichever OpenCode version it runs.
package struct TranslatedEvent: Sendable {
    /// The content of a translated event.
    package enum Content: Sendable {
        case event(Event)
        /// Events are missing here; the receiver must request its whole state again.
        case gap(EventGap)
    }

    /// The position after which reading continues.
    package let id: EventID
    /// The directory that the event belongs to; nil for the whole server.
    package let directory: String?
    /// The change, or the gap.
    package let content: Content
}

extension EncodedStreams {
    /// Returns the changes after a position (nil for everything that is kept), approximately `bytes` bytes of them, and
    /// whether there are no more at present. `now` is in milliseconds since 1970. If there is a query, no change
    /// follows until it is answered (``learn(for:query:answer:)``).
    package mutating func changes(
        _ log: EventLog, after id: EventID?, atMost bytes: Int, now: Int64
    ) -> (changes: [TranslatedEvent], isAtEnd: Bool, question: TranslationQuery?) {
        let kind = EncodingKind(form: .raw, isOpenCode1Compatible: true)
        let (steps, ids, isAtEnd, question) = withTrack(kind, of: log, after: id) { track in
            let (steps, ids, isAtEnd) = track.steps(after: id, log, atMost: bytes, now: now)
            return (steps, ids, isAtEnd, track.question)
        }
        let changes = zip(steps, ids).compactMap { step, id -> TranslatedEvent? in
            switch step {
            case .gap(let gap): return TranslatedEvent(id: id, directory: nil, content: .gap(gap))
            case .frame(let frame, _):
                guard let made = frame.made, let event = JSONParser.parse(made.payload).flatMap(Event.init(openCode1:))
                else { return nil }
                let directory = made.skeleton.directory.map { String(decoding: $0, as: UTF8.self) }
                return TranslatedEvent(id: id, directory: directory, content: .event(event))
            }
        }
        return (changes, isAtEnd, steps.isEmpty ? question : nil)
    }
}
