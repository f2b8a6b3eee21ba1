// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// The queries to an instance for the sessions that one session created. OpenCode 1's list (`/session/ID/children`) has
/// one page. OpenCode 2's list (`/api/session?parentID=`) may have several pages.
package struct SessionChildren: Sendable {
    /// The number of sessions in one page.
    private static let pageSize = 1_000
    private static let paths = JSONPaths("data[].id", "cursor.next", "[].id")

    private let first: [UInt8]
    private let isPaged: Bool
    private var reader = JSONStringReader(Self.paths)
    private var count = 0
    private var cursor: [UInt8]?

    /// Creates the queries; nil if `session` cannot be a session's id.
    package init?(of session: [UInt8], family: APIFamily?) {
        guard SessionIdentifier.isValid(session) else { return nil }
        isPaged = family == .two
        first =
            isPaged
            ? Array("/api/session?parentID=".utf8) + session + Array("&limit=\(Self.pageSize)".utf8)
            : Array("/session/".utf8) + session + Array("/children".utf8)
    }

    /// The target of the first page.
    package var firstTarget: [UInt8] { first }

    /// Parses the next bytes of a page's body, which may be split anywhere, and passes each child's id to `onChild`.
    package mutating func parse(_ bytes: borrowing Span<UInt8>, onChild: (_ session: [UInt8]) -> Void) {
        var index = 0
        while let finding = reader.next(bytes, &index) {
            let text = finding.text ?? []
            switch finding.pathIndex {
            case 0 where isPaged, 2 where !isPaged:
                count += 1
                onChild(text)
            case 1: cursor = text
            default: break
            }
        }
    }

    /// Ends a page. Returns the target of the next page; nil if there is no next page.
    package mutating func nextTarget() -> [UInt8]? {
        defer {
            reader.reset()
            count = 0
            cursor = nil
        }
        // In OpenCode 2.0.15, the last page also has a cursor. Check the number of sessions as well.
        guard isPaged, let cursor, !cursor.isEmpty, count >= Self.pageSize else { return nil }
        return first + Array("&cursor=".utf8) + PercentEncoding.encode(cursor)
    }
}
