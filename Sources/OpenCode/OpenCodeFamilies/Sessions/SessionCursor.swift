// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// The `cursor` of a list of sessions. A cursor is base64-encoded JSON with the parameters of the list (`directory`,
/// `project`, …) and a position in the list. OpenCode 2.0.15 trusts the cursor, and ignores the other parameters of the
/// query.
struct SessionCursor {
    private static let paths = JSONPaths("directory", "project")

    /// The directories in the cursor. A cursor contains several directories only if a client constructed the cursor
    /// itself.
    private(set) var directories: [[UInt8]] = []
    /// The projects in the cursor.
    private(set) var projects: [[UInt8]] = []

    /// Parses a cursor; nil if the text is not base64.
    init?(_ text: [UInt8]) {
        guard let decoded = Base64Encoding.decode(text) else { return nil }
        for finding in JSONStringReader.findings(in: decoded, Self.paths) {
            let text = finding.text ?? []
            if finding.pathIndex == 0 { directories.append(text) } else { projects.append(text) }
        }
    }
}
