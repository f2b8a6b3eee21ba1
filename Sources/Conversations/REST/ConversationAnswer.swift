internal import Clocks
internal import Dialects
internal import JSONText

/// A whole answer of the conversations' protocol. A body is `application/json`.
package struct ConversationAnswer: Error, Sendable, Equatable {
    /// The status code.
    package let status: Int
    /// Fields besides those of every answer.
    package let fields: [String: String]
    /// Empty where there is none.
    package let body: [UInt8]

    init(_ status: Int = 200, json: JSON?) {
        (self.status, fields) = (status, [:])
        body = json?.bytes ?? []
    }

    /// A refusal in the protocol's form, the gateway's own (401, 403, 503 and others) included.
    package init(_ status: Int, _ message: String, fields: [String: String] = [:]) {
        (self.status, self.fields) = (status, fields)
        let json: JSON = ["error": ConversationAnswer.problem(Self.code(status), message)]
        body = json.bytes
    }

    /// Why something is not done.
    package init(_ refusal: Refusal) {
        status = Self.status(refusal.kind)
        fields = [:]
        let json: JSON = ["error": Self.problem(Self.code(refusal), refusal.message)]
        body = json.bytes
    }

    /// The body of a refusal whose sentence is a JSON string already, quotes included.
    package static func body(_ status: Int, quoted sentence: some Sequence<UInt8>) -> [UInt8] {
        Array(#"{"error":{"code":"\#(code(status))","message":"#.utf8) + sentence + Array(#","details":null}}"#.utf8)
    }

    static func problem(_ code: String, _ message: String) -> JSON {
        ["code": .string(code), "message": .string(message), "details": .null]
    }

    private static func status(_ kind: Refusal.Kind) -> Int {
        switch kind {
        case .notFound: 404
        case .invalid, .missing, .noProject: 400
        case .noModel, .unavailable: 503
        case .failed: 500
        }
    }

    static func code(_ refusal: Refusal) -> String {
        refusal.kind == .noModel ? "no_model" : code(status(refusal.kind))
    }

    private static func code(_ status: Int) -> String {
        switch status {
        case 400: "bad_request"
        case 401: "unauthorized"
        case 403: "forbidden"
        case 404: "not_found"
        case 405: "method_not_allowed"
        case 413: "too_large"
        case 415: "unsupported_media_type"
        case 429: "too_many_requests"
        case 503: "unavailable"
        default: "internal_error"
        }
    }
}

/// The protocol's objects.
enum ConversationShapes {
    /// ISO 8601 without fractions of seconds.
    static func date(_ milliseconds: Int64) -> JSON { .string(Timestamp.utc(milliseconds: milliseconds)) }

    static func message(_ entry: Entry) -> JSON {
        [
            "id": .string(entry.id), "role": .string(entry.role.rawValue), "text": .string(entry.text),
            "createdAt": date(entry.time), "isPinned": false, "isEdited": false,
        ]
    }

    static func messages(_ page: MessagePage) -> JSON {
        ["items": .array(page.entries.map(message)), "nextCursor": page.nextCursor.map(JSON.string) ?? .null]
    }

    static func model(_ model: Catalogue.Model) -> JSON {
        ["id": .string(model.id), "name": .string(model.name), "description": .string(model.provider)]
    }
}

extension ConversationState {
    /// A conversation as the protocol shows it; nil where it is gone.
    func shown(_ session: String, messages: [Entry]? = nil) -> JSON? {
        guard let known = known[session] else { return nil }
        let last = lastMessageTime(of: session)
        return [
            "id": .string(id(of: session).text), "title": .string(known.session.title),
            "modelId": .string(model(of: session)), "isPinned": .bool(isPinned(session)),
            "createdAt": ConversationShapes.date(known.session.createdAt),
            "updatedAt": ConversationShapes.date(max(known.session.updatedAt, last)),
            "lastMessageAt": ConversationShapes.date(last),
            "messageCount": .number(Number(lastCount(of: session) ?? messages?.count ?? 0)),
            "lastMessage": known.newest.map { ConversationShapes.message(written($0, in: session)) } ?? .null,
            "messages": messages.map { .array($0.map { ConversationShapes.message(written($0, in: session)) }) },
        ]
    }
}
