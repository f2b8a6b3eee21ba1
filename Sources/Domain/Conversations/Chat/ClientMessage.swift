// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A message from a chat's client.
enum ClientMessage: Sendable, Equatable {
    case user(ConversationID, String)
    case new(ConversationID?)
    case load(ConversationID)
    case delete(ConversationID)
    case list
    case ping
    /// The conversation to cancel; nil means every session that the client watches.
    case cancel(ConversationID?)

    /// Whether the message is still processed after its client has disconnected.
    var outlastsClient: Bool {
        switch self {
        case .user, .delete, .cancel: true
        case .new, .load, .list, .ping: false
        }
    }

    /// The code and the text of an `error` message.
    struct Problem: Error, Sendable, Equatable {
        let code: String
        let message: String

        init(_ code: String, _ message: String) {
            self.code = code
            self.message = message
        }

        /// Creates the protocol's error for a refusal.
        init(_ refusal: ConversationError) {
            message = refusal.message
            switch refusal.kind {
            case .notFound: code = "STORAGE_ERROR"
            case .missing, .noProject: code = "MISSING_FIELD"
            case .noModel: code = "NO_API_KEY"
            case .invalid, .unavailable, .failed: code = "API_ERROR"
            }
        }
    }

    /// Parses a message of the client.
    static func parse(_ bytes: [UInt8]) -> Result<ClientMessage, Problem> {
        Result { () throws(Problem) in try ClientMessage(bytes) }
    }

    private init(_ bytes: [UInt8]) throws(Problem) {
        guard let json = JSONParser.parse(bytes), json.object != nil else {
            throw Problem(
                "INVALID_MESSAGE", "The message is not a JSON object. Send an object such as {\"type\":\"ping\"}.")
        }
        guard let type = json["type"]?.text else {
            throw Problem("INVALID_MESSAGE", "The message has no type. Send one, as in {\"type\":\"ping\"}.")
        }
        switch type {
        case "user_message":
            let id = try Self.id(json)
            guard let text = json["content"]?.text, !text.isEmpty else {
                throw Problem(
                    "MISSING_FIELD", "user_message has no content. Set content to a string that is not empty.")
            }
            self = .user(id, text)
        case "new_conversation": self = .new(try Self.optionalID(json))
        case "load_conversation": self = .load(try Self.id(json))
        case "delete_conversation": self = .delete(try Self.id(json))
        case "list_conversations": self = .list
        case "ping": self = .ping
        case "cancel_generation": self = .cancel(try Self.optionalID(json))
        default: throw Problem("UNKNOWN_TYPE", "The message type \(type.prefix(50)) is unknown.")
        }
    }

    private static func id(_ json: JSON) throws(Problem) -> ConversationID {
        guard let id = try optionalID(json) else {
            let type = json["type"]?.text ?? "The message"
            throw Problem("MISSING_FIELD", "\(type) has no conversationId. Set conversationId to a UUID.")
        }
        return id
    }

    private static func optionalID(_ json: JSON) throws(Problem) -> ConversationID? {
        guard let value = json["conversationId"], value != .null, value.text != "" else { return nil }
        guard let id = value.text.flatMap(ConversationID.init) else {
            throw Problem("INVALID_MESSAGE", "conversationId must be a UUID.")
        }
        return id
    }
}
