package import Dialects
internal import JSONText
internal import OpenCode

/// What a project's instance has said, as a change of OpenCode 1's model, whichever OpenCode it is.
package struct ConversationEvent: Sendable {
    /// What is told.
    package enum Content: Sendable {
        case event(Event)
        /// Something is missing here: what is known has to be asked for anew.
        case gap(EventGap)
    }

    /// Where to go on behind it.
    package let id: EventID
    /// The directory that it belongs to; nil: the whole server.
    package let directory: String?
    /// What is told.
    package let content: Content
}

extension EncodedStreams {
    /// The changes behind a place (nil: all that is kept), of about so many bytes, and whether there are no more now; `now` in
    /// milliseconds since 1970. With a question nothing comes before that is answered (``learn(_:_:_:)``).
    package mutating func changes(
        _ log: EventLog, behind id: EventID?, atMost bytes: Int, now: Int64
    ) -> (changes: [ConversationEvent], isAtEnd: Bool, question: TranslationQuery?) {
        let kind = EncodingKind(form: .raw, isOpenCode1Compatible: true)
        let (steps, ids, isAtEnd, question) = withTrack(kind, log, behind: id) { track in
            let (steps, ids, isAtEnd) = track.steps(behind: id, log, atMost: bytes, now: now)
            return (steps, ids, isAtEnd, track.question)
        }
        let changes = zip(steps, ids).compactMap { step, id -> ConversationEvent? in
            switch step {
            case .gap(let gap): return ConversationEvent(id: id, directory: nil, content: .gap(gap))
            case .frame(let frame, _):
                guard let made = frame.made, let event = JSONParser.parse(made.payload).flatMap(Event.init(openCode1:))
                else { return nil }
                let directory = made.skeleton.directory.map { String(decoding: $0, as: UTF8.self) }
                return ConversationEvent(id: id, directory: directory, content: .event(event))
            }
        }
        return (changes, isAtEnd, steps.isEmpty ? question : nil)
    }
}
