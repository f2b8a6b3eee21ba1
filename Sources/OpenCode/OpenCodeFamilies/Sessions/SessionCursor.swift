// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// The `cursor` of a list of sessions. It is the base64 of JSON with the parameters of the list (`directory`,
/// `project`, …) and a position in the list. OpenCode trusts the cursor, and then ignores the rest of the query
/// (2.0.15).
struct SessionCursor {
    private static let paths = JSONPaths("directory", "project")

    /// The directories in the cursor. There is more than one only if a client constructed the cursor by hand.
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
