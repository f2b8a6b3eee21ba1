// SPDX-License-Identifier: Apache-2.0

internal import COpenCode1API

/// The OpenAPI document that the gateway serves at `/doc` in front of an OpenCode 2 instance. The document is the
/// translated part of OpenCode 1.18.33's document (`scripts/bridge-document.py`).
enum OpenCode1Document {
    /// The document as JSON without white space, as OpenCode writes it. The embedded file has one line for each value,
    /// so that its changes can be reviewed. JSON strings contain no line feeds, so the line feeds can be removed
    /// safely.
    static let bytes: [UInt8] = {
        let text = EmbeddedFiles.document.utf8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            bytes += line.drop { $0 == UInt8(ascii: " ") }
        }
        return bytes
    }()
}

/// The files of `Sources/CLibraries/COpenCode1API` that are embedded in the program.
enum EmbeddedFiles {
    /// The text of `openapi.json`, the description of the OpenCode 1 API.
    static var document: String { String(cString: opencode1_document()) }

    /// The text of `routes.txt`, the list of OpenCode 1's routes.
    static var routes: String { String(cString: opencode1_routes()) }
}
