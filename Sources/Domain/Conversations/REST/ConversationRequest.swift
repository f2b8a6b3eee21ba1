// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A request of the conversation protocol.
package struct ConversationRequest: Sendable {
    /// The method, in upper case.
    package let method: String
    /// The decoded segments of the path, beginning with `conversations` or `models`.
    package let path: [String]
    /// The decoded query parameters, in order.
    package let query: [(name: String, value: String)]
    /// The body; empty if there is none.
    package let body: [UInt8]

    /// Creates a request. The path and the query must be decoded. An empty segment at the end of the path is ignored.
    package init(_ method: String, _ path: [String], query: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.path = path.last == "" ? path.dropLast() : path
        self.method = method
        self.query = query
        self.body = body
    }

    /// An operation of the protocol with its parameters.
    enum Endpoint: Sendable, Equatable {
        case list(limit: Int, cursor: String?, search: String?)
        case create(Changes, firstMessage: String?)
        case get(ConversationID)
        case change(ConversationID, Changes)
        case delete(ConversationID)
        case duplicate(ConversationID)
        case messages(ConversationID, limit: Int, MessagePage.Position?)
        case send(ConversationID, String)
        case models
    }

    /// The properties of a conversation that a body sets.
    struct Changes: Sendable, Equatable {
        var title: String?
        var model: String?
        var isPinned: Bool?
    }

    /// The maximum number of items in a page.
    private static let largestPage = 100

    /// The requested operation, or the error response.
    var endpoint: Result<Endpoint, ConversationAnswer> {
        Result { () throws(ConversationAnswer) in try readEndpoint() }
    }

    private func readEndpoint() throws(ConversationAnswer) -> Endpoint {
        switch (path.count, path.first, path.last) {
        case (1, "models", _): return try only(["GET": .models])
        case (1, "conversations", _):
            if method == "GET" {
                return .list(limit: try limit(10), cursor: value("cursor"), search: value("search"))
            }
            try require(["GET", "POST"])
            let body = try object()
            return .create(try changes(body), firstMessage: try text(body, "firstMessage", "first_message"))
        case (2, "conversations", _):
            try require(["GET", "PATCH", "DELETE"])
            let id = try id()
            if method == "GET" { return .get(id) }
            return method == "DELETE" ? .delete(id) : .change(id, try changes(try object()))
        case (3, "conversations", "duplicate"):
            try require(["POST"])
            return .duplicate(try id())
        case (3, "conversations", "messages"):
            try require(["GET", "POST"])
            let id = try id()
            return method == "GET"
                ? .messages(id, limit: try limit(30), try pagePosition()) : .send(id, try promptText())
        default: throw ConversationAnswer(404, "This path does not exist. Use /conversations or /models.")
        }
    }

    // MARK: Parsing

    private func only(_ endpoints: [String: Endpoint]) throws(ConversationAnswer) -> Endpoint {
        try require(Array(endpoints.keys))
        guard let endpoint = endpoints[method] else { throw Self.wrongMethod(Array(endpoints.keys)) }
        return endpoint
    }

    private func require(_ methods: [String]) throws(ConversationAnswer) {
        guard methods.contains(method) else { throw Self.wrongMethod(methods) }
    }

    private static func wrongMethod(_ methods: [String]) -> ConversationAnswer {
        let all = methods.joined(separator: ", ")
        return ConversationAnswer(405, "This path supports only \(all).", fields: ["Allow": all])
    }

    private func id() throws(ConversationAnswer) -> ConversationID {
        guard let id = ConversationID(path[1]) else {
            throw Self.bad("The conversation id in the path must be a UUID.")
        }
        return id
    }

    private func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    private func limit(_ usual: Int) throws(ConversationAnswer) -> Int {
        guard let text = value("limit") else { return usual }
        guard let number = Int(text), number > 0 else { throw Self.bad("limit must be an integer of at least 1.") }
        return min(number, Self.largestPage)
    }

    private func pagePosition() throws(ConversationAnswer) -> MessagePage.Position? {
        guard let cursor = value("cursor"), !cursor.isEmpty else { return nil }
        guard let position = MessagePage.Position(cursor) else {
            throw Self.bad("cursor is invalid. Use the nextCursor of another page.")
        }
        return position
    }

    private func object() throws(ConversationAnswer) -> JSONObject {
        if body.isEmpty { return JSONObject() }
        guard let object = JSONParser.parse(body)?.object else { throw Self.bad("The body must be a JSON object.") }
        return object
    }

    /// Returns the text under the first of the given names that is present. A null value counts as absent.
    private func text(_ body: JSONObject, _ names: String...) throws(ConversationAnswer) -> String? {
        for name in names {
            guard let value = body[name], value != .null else { continue }
            guard let text = value.text else { throw Self.bad("\(name) must be a string.") }
            return text
        }
        return nil
    }

    private func changes(_ body: JSONObject) throws(ConversationAnswer) -> Changes {
        let title = try text(body, "title")
        guard title?.isEmpty != true else { throw Self.bad("title must not be empty.") }
        var changes = Changes(title: title, model: try text(body, "modelId", "model_id"))
        for name in ["isPinned", "is_pinned"] {
            guard let value = body[name], value != .null else { continue }
            guard let isPinned = value.bool else { throw Self.bad("\(name) must be true or false.") }
            changes.isPinned = isPinned
            break
        }
        return changes
    }

    private func promptText() throws(ConversationAnswer) -> String {
        let body = try object()
        guard try text(body, "role") ?? "user" == "user" else {
            throw Self.bad("role must be user, because only OpenCode writes answers.")
        }
        guard let text = try text(body, "text"), !text.isEmpty else {
            throw Self.bad("text must be a string that is not empty.")
        }
        return text
    }

    private static func bad(_ message: String) -> ConversationAnswer { ConversationAnswer(400, message) }
}
