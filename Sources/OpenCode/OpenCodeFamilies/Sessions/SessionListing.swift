// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// The query to an instance for the directory of one session.
package enum SessionLookup {
    private static let paths = JSONPaths("directory", "data.location.directory")

    /// Returns the path of the query; nil if `session` cannot be a session's id.
    package static func path(of session: [UInt8], for family: APIFamily?) -> [UInt8]? {
        guard SessionIdentifier.isValid(session) else { return nil }
        switch family {
        case .two: return Array("/api/session/".utf8) + session
        case .one, nil: return Array("/session/".utf8) + session
        }
    }

    /// Returns the information in the response; nil if the response contains no information. In that case, the query
    /// can be repeated.
    package static func location(status: Int, body: [UInt8], for family: APIFamily?) -> SessionDirectories.Location? {
        switch status {
        case 200:
            let wanted = family == .two ? 1 : 0
            let finding = JSONStringReader.findings(in: body, paths).first { $0.pathIndex == wanted }
            return finding?.text.flatMap { $0.isEmpty ? nil : .directory($0) }
        case 404: return .nowhere
        default: return nil
        }
    }
}

/// The queries for the list of an instance's sessions. The list provides the directories of the sessions page by page.
package struct SessionListing: Sendable {
    /// The number of sessions in one page.
    private static let pageSize = 1_000
    /// The maximum number of sessions in a listing. The gateway queries older sessions individually.
    private static let most = SessionDirectories.capacity / 2

    private static let paths = JSONPaths(
        "data[].id", "data[].location.directory", "cursor.next", "[].id", "[].directory")

    private let family: APIFamily?
    private var reader = JSONStringReader(Self.paths)
    private var total = 0
    private var count = 0
    private var cursor: [UInt8]?
    private var session: [UInt8]?
    private var directory: [UInt8]?

    /// Creates a listing before the first page. From an OpenCode 1 instance, the listing requests the list that every
    /// 1.x supports. This list contains the sessions of the instance's own project.
    package init(family: APIFamily?) { self.family = family }

    /// The target of the first page.
    package var firstTarget: [UInt8] {
        Array("\(family == .two ? "/api/session" : "/session")?limit=\(Self.pageSize)".utf8)
    }

    /// Parses the next bytes of a page's body, which may be split anywhere, and passes each session with its directory
    /// to `onSession`.
    package mutating func parse(
        _ bytes: borrowing Span<UInt8>, onSession: (_ session: [UInt8], _ directory: [UInt8]) -> Void
    ) {
        var index = 0
        while let finding = reader.next(bytes, &index) {
            let text = finding.text ?? []
            switch finding.pathIndex {
            // A session's id precedes its directory, so report the session when its directory is found.
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

    /// Ends a page. Returns the target of the next page; nil if there is no next page or the listing has reached its
    /// maximum number of sessions.
    package mutating func nextTarget() -> [UInt8]? {
        defer {
            reader.reset()
            count = 0
            cursor = nil
            session = nil
        }
        total += count
        // In OpenCode 2.0.15, the last page also has a cursor. Check the number of sessions as well.
        guard let cursor, !cursor.isEmpty, count >= Self.pageSize, total + Self.pageSize <= Self.most else {
            return nil
        }
        return firstTarget + Array("&cursor=".utf8) + PercentEncoding.encode(cursor)
    }
}
