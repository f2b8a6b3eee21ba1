// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The queries to an OpenCode 2 instance that the translation of the instance's events to OpenCode 1 requires.
package enum TranslationQueries {
    /// The number of a session's last messages that the gateway requests. A turn usually has fewer messages.
    private static let messages = 50

    /// Returns the targets of the queries for the configuration and the default model.
    ///
    /// - Parameter directory: The directory of the project.
    package static func defaults(in directory: [UInt8]) -> (configuration: [UInt8], model: [UInt8]) {
        let query = Array("?location%5Bdirectory%5D=".utf8) + PercentEncoding.encode(directory)
        return (Array("/api/config".utf8) + query, Array("/api/model/default".utf8) + query)
    }

    /// Returns the targets of the queries for a session, its last messages (newest first), its inbox, and the active
    /// sessions. Returns nil if `id` cannot be a session's id.
    package static func session(_ id: String) -> (
        session: [UInt8], messages: [UInt8], inbox: [UInt8], active: [UInt8]
    )? {
        guard let path = SessionLookup.path(of: Array(id.utf8), for: .two) else { return nil }
        return (
            path, path + Array("/message?order=desc&limit=\(messages)".utf8), path + Array("/inbox".utf8),
            Array("/api/session/active".utf8)
        )
    }
}
