// SPDX-License-Identifier: Apache-2.0

/// The filter and the start position of a list of sessions.
struct SessionQuery2: Equatable {
    enum Order: String {
        case ascending = "asc"
        case descending = "desc"
    }

    /// The session that precedes or follows a page.
    struct Anchor: Equatable {
        enum Direction: String {
            case previous, next
        }

        let id: String
        let time: Int
        let direction: Direction
    }

    /// The maximum length of a list if the request sets no limit.
    private static let standardLimit = 50
    /// The names of the filter parameters, in the order of OpenCode's API document.
    private static let names = ["order", "search", "parentID", "directory", "project", "subpath"]

    /// The given filter parameters, by name.
    private(set) var members: [String: String]
    private(set) var anchor: Anchor?
    let limit: Int

    /// Parses a request's query. A cursor contains the parameters of the first page, and overrides all other parameters
    /// except `limit`.
    init(_ query: [String: String]) throws(RequestError) {
        limit = query["limit"].flatMap { Int($0) } ?? SessionQuery2.standardLimit
        if limit < 1 { throw .invalid("Expected a value greater than 0\n  at [\"limit\"]", "Query") }
        guard let cursor = query["cursor"] else {
            members = query.filter { SessionQuery2.names.contains($0.key) }
            if let order = members["order"], Order(rawValue: order) == nil {
                throw .invalid("Expected \"asc\" | \"desc\"\n  at [\"order\"]", "Query")
            }
            return
        }
        guard let json = Cursor2.decode(cursor), let anchor = Anchor(json["anchor"]) else { throw .invalidCursor }
        self.anchor = anchor
        members = [:]
        for name in SessionQuery2.names { members[name] = json[name]?.text }
    }

    private var order: Order { members["order"].flatMap { Order(rawValue: $0) } ?? .descending }

    /// Returns a page of sessions with the cursors of the adjacent pages.
    func page(of sessions: [Session2]) -> JSON {
        let isBefore: (Session2, Session2) -> Bool = { first, second in
            let keys = ((first.updated, first.id), (second.updated, second.id))
            return order == .ascending ? keys.0 < keys.1 : keys.0 > keys.1
        }
        let matching = sessions.filter(matches).sorted(by: isBefore)
        let page: ArraySlice<Session2>
        switch anchor?.direction {
        case nil: page = matching.prefix(limit)
        case .next: page = matching.filter { isAfterAnchor($0) }.prefix(limit)
        case .previous: page = matching.filter { isBeforeAnchor($0) }.suffix(limit)
        }
        return [
            "data": .array(page.map(\.json)),
            "cursor": [
                "previous": cursor(to: page.first, .previous), "next": cursor(to: page.last, .next),
            ],
        ]
    }

    private func matches(_ session: Session2) -> Bool {
        if let directory = members["directory"], session.directory != directory { return false }
        if let project = members["project"], session.project.id != project { return false }
        if let subpath = members["subpath"], session.subpath != subpath { return false }
        if let parent = members["parentID"], (session.parentID ?? "null") != parent { return false }
        guard let search = members["search"] else { return true }
        return session.title?.lowercased().contains(search.lowercased()) == true
    }

    private func isAfterAnchor(_ session: Session2) -> Bool {
        guard let anchor else { return true }
        let keys = ((session.updated, session.id), (anchor.time, anchor.id))
        return order == .ascending ? keys.0 > keys.1 : keys.0 < keys.1
    }

    private func isBeforeAnchor(_ session: Session2) -> Bool {
        guard let anchor else { return true }
        return !isAfterAnchor(session) && session.id != anchor.id
    }

    private func cursor(to session: Session2?, _ direction: Anchor.Direction) -> JSON {
        guard let session else { return .null }
        let given = SessionQuery2.names.compactMap { name in members[name].map { (name, JSON.string($0)) } }
        let anchor: JSON = [
            "id": .string(session.id), "time": .integer(session.updated), "direction": .string(direction.rawValue),
        ]
        return .string(Cursor2.encode(JSON.object([]).adding(given + [("anchor", anchor)])))
    }
}

extension SessionQuery2.Anchor {
    fileprivate init?(_ json: JSON?) {
        guard let id = json?["id"]?.text, case .integer(let time)? = json?["time"],
            let direction = Direction(rawValue: json?["direction"]?.text ?? "")
        else { return nil }
        self.init(id: id, time: time, direction: direction)
    }
}

/// Encodes a position in a list as JSON in base64url (RFC 4648 §5) without padding.
enum Cursor2 {
    static func encode(_ json: JSON) -> String {
        Base64.encode(Array(json.encoded.utf8), padding: false).replacing("+", with: "-").replacing("/", with: "_")
    }

    static func decode(_ text: String) -> JSON? {
        Base64.decode(text).flatMap { try? JSONParser.parse($0) }
    }
}

extension RequestError {
    static var invalidCursor: RequestError {
        RequestError(.error(400, "Bad Request", tag: "InvalidCursorError", members: [("message", "Invalid cursor")]))
    }
}
