internal import TextCoding

/// The question to an instance which directory one session belongs to.
package enum SessionLookup {
    private static let places = JSONPlaces("directory", "data.location.directory")

    /// The path that is asked; nil for what can be no session's id.
    package static func path(of session: [UInt8], for family: APIFamily?) -> [UInt8]? {
        guard SessionIdentifier.isValid(session) else { return nil }
        switch family {
        case .two: return Array("/api/session/".utf8) + session
        case .one, nil: return Array("/session/".utf8) + session
        }
    }

    /// What the answer says; nil where it says nothing: the instance may be asked again.
    package static func place(status: Int, body: [UInt8], for family: APIFamily?) -> SessionDirectories.Place? {
        switch status {
        case 200:
            let wanted = family == .two ? 1 : 0
            let finding = JSONStringReader.findings(in: body, places).first { $0.place == wanted }
            return finding?.text.flatMap { $0.isEmpty ? nil : .directory($0) }
        case 404: return .nowhere
        default: return nil
        }
    }
}

/// An instance's own list of sessions, read page by page for where each of them is.
package struct SessionListing: Sendable {
    /// How many sessions are asked for at once.
    private static let pageSize = 1_000
    /// How many are read at most: those that were not touched for longest can still be asked for one by one.
    private static let most = SessionDirectories.capacity / 2

    private static let places = JSONPlaces(
        "data[].id", "data[].location.directory", "cursor.next", "[].id", "[].directory")

    private let family: APIFamily?
    private var reader = JSONStringReader(Self.places)
    private var total = 0
    private var count = 0
    private var cursor: [UInt8]?
    private var session: [UInt8]?
    private var directory: [UInt8]?

    /// A list of which nothing is read. OpenCode 1 is asked for the list that every 1.x has, of its own project.
    package init(family: APIFamily?) { self.family = family }

    /// The target of the first page.
    package var firstTarget: [UInt8] {
        Array("\(family == .two ? "/api/session" : "/session")?limit=\(Self.pageSize)".utf8)
    }

    /// Takes the next bytes of a page's body, split anywhere, and hands over each session with its directory.
    package mutating func read(
        _ bytes: borrowing Span<UInt8>, onSession: (_ session: [UInt8], _ directory: [UInt8]) -> Void
    ) {
        var index = 0
        while let finding = reader.next(bytes, &index) {
            let text = finding.text ?? []
            switch finding.place {
            // A session's id comes before its directory, which ends it here.
            case 0, 3:
                count += 1
                session = text
            case 1, 4:
                if let session { onSession(session, text) }
                session = nil
            case 2: cursor = text
            default: break
            }
        }
    }

    /// A page is whole; the target of the next one, nil where there is none.
    package mutating func nextTarget() -> [UInt8]? {
        defer {
            reader.reset()
            count = 0
            cursor = nil
            session = nil
        }
        total += count
        // The last page has a cursor, too (2.0.15).
        guard let cursor, !cursor.isEmpty, count >= Self.pageSize, total + Self.pageSize <= Self.most else {
            return nil
        }
        return firstTarget + Array("&cursor=".utf8) + PercentEncoding.encode(cursor)
    }
}
