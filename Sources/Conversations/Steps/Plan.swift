package import Dialects
internal import JSONText

/// What to ask OpenCode, in OpenCode 1's words, and what its answers mean: a value that says it, for whoever has the
/// sockets. The project is started before the first question, where it does not run.
package indirect enum Plan<Value: Sendable>: Sendable {
    /// Ask and go on with the answer.
    case ask(ClientRequest, @Sendable (OpenCodeAnswer) -> Plan<Value>)
    /// Go on in so many milliseconds.
    case pause(milliseconds: Int, @Sendable () -> Plan<Value>)
    /// Note that what runs in a session is about to be aborted, and continue (``ConversationState/abort(_:)``).
    case aborting(session: String, @Sendable () -> Plan<Value>)
    /// Continue when what was aborted in a session has ended, or after ``Abort/patience``.
    case ended(session: String, @Sendable () -> Plan<Value>)
    /// Store what OpenCode has to offer (``ConversationState/catalogue``), and continue.
    case learned(Catalogue, @Sendable () -> Plan<Value>)
    /// What came of it.
    case done(Value)
    /// Why nothing came of it.
    case refused(Refusal)

    /// Goes on with what this one gives.
    func then<Next>(_ next: @escaping @Sendable (Value) -> Plan<Next>) -> Plan<Next> {
        switch self {
        case .ask(let request, let answered): .ask(request) { answered($0).then(next) }
        case .pause(let milliseconds, let go): .pause(milliseconds: milliseconds) { go().then(next) }
        case .aborting(let session, let go): .aborting(session: session) { go().then(next) }
        case .ended(let session, let go): .ended(session: session) { go().then(next) }
        case .learned(let catalogue, let go): .learned(catalogue) { go().then(next) }
        case .done(let value): next(value)
        case .refused(let refusal): .refused(refusal)
        }
    }
}

/// An answer in OpenCode 1's words. Where no answer came (the project does not start, the instance breaks off), the
/// status is the one that the gateway gives for that (502, 503, 504), and the body its sentence.
package struct OpenCodeAnswer: Sendable {
    /// The status code.
    package let status: Int
    /// The field `X-Next-Cursor`, where a list goes on.
    package let nextCursor: String?
    /// Empty where there is none.
    package let body: [UInt8]

    /// An answer; `nextCursor` is the field `X-Next-Cursor`.
    package init(_ status: Int, nextCursor: String? = nil, _ body: [UInt8]) {
        (self.status, self.nextCursor, self.body) = (status, nextCursor, body)
    }

    var isGood: Bool { (200..<300).contains(status) }
    var json: JSON? { JSONParser.parse(body) }

    /// OpenCode's or the gateway's own sentence, where it has one.
    private var sentence: String? {
        let json = json
        return json?["data"]?["message"]?.text ?? json?["message"]?.text ?? json?["error"]?["message"]?.text
            ?? json?["error"]?.text
    }

    /// Why a good answer was awaited in vain.
    var refusal: Refusal {
        switch status {
        case 404: Refusal(.notFound, sentence ?? "OpenCode does not know it.")
        case 400, 422: Refusal(.invalid, sentence ?? "OpenCode refused the request.")
        case 502, 503, 504: Refusal(.unavailable, sentence ?? "OpenCode can't be reached.")
        default: Refusal(.failed, sentence ?? "OpenCode answered with \(status).")
        }
    }
}

/// Why something is not done.
package struct Refusal: Error, Sendable, Equatable {
    /// What kind of reason it is; each protocol has its own word for it.
    package enum Kind: String, Sendable {
        /// There is no such conversation.
        case notFound
        /// The request can't be understood.
        case invalid
        /// Something is missing in the request.
        case missing
        /// OpenCode has no model at all.
        case noModel
        /// No project is named, and there is not just one.
        case noProject
        /// The project's OpenCode does not run and can't be started, or does not answer.
        case unavailable
        /// OpenCode, or the model's provider, failed.
        case failed
    }

    /// What kind of reason it is.
    package let kind: Kind
    /// A sentence for people.
    package let message: String

    /// A reason and its sentence.
    package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    static let noConversation = Refusal(.notFound, "There is no such conversation.")
    static let strange = Refusal(.failed, "OpenCode's answer can't be understood.")
    static let noModel = Refusal(
        .noModel, "OpenCode has no model: log in to a provider with `opencode auth login`, or configure one.")
}
