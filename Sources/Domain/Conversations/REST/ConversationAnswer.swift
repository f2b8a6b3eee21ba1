// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Encodings
internal import JSONText

/// A complete response of the conversation protocol. If it has a body, its type is `application/json`.
package struct ConversationAnswer: Error, Sendable, Equatable {
    /// The HTTP status code of the response.
    package let status: Int
    /// The fields in addition to the fields of every response.
    package let fields: [String: String]
    /// The body; empty if there is none.
    package let body: [UInt8]

    init(_ status: Int = 200, json: JSON?) {
        self.status = status
        fields = [:]
        body = json?.bytes ?? []
    }

    /// Creates an error response in the protocol's format, which the gateway's own errors (401, 403, 503 and others)
    /// use as well.
    package init(_ status: Int, _ message: String, fields: [String: String] = [:]) {
        self.status = status
        self.fields = fields
        let json: JSON = ["error": ConversationAnswer.problem(Self.code(status), message)]
        body = json.bytes
    }

    /// Creates the response for a refusal.
    package init(_ refusal: ConversationError) {
        status = Self.status(refusal.kind)
        fields = [:]
        let json: JSON = ["error": Self.problem(Self.code(refusal), refusal.message)]
        body = json.bytes
    }

    static func problem(_ code: String, _ message: String) -> JSON {
        ["code": .string(code), "message": .string(message), "details": .null]
    }

    private static func status(_ kind: ConversationError.Kind) -> Int {
        switch kind {
        case .notFound: 404
        case .invalid, .missing, .noProject: 400
        case .noModel, .unavailable: 503
        case .failed: 500
        }
    }

    static func code(_ refusal: ConversationError) -> String {
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

/// Creates the JSON objects of the conversation protocol.
enum ConversationShapes {
    /// Returns a time in ISO 8601 format, without fractions of seconds.
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
    /// Returns a conversation as a JSON object of the protocol; nil if it no longer exists.
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
