// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The queries to an OpenCode 2 instance that are needed to translate its events into OpenCode 1's API.
package enum TranslationQueries {
    /// The number of a session's last messages that are requested. It is larger than the usual number of messages in a
    /// turn.
    private static let messages = 50

    /// Returns the targets of the configuration and of the default model.
    ///
    /// - Parameter directory: The directory of the project.
    package static func defaults(in directory: [UInt8]) -> (configuration: [UInt8], model: [UInt8]) {
        let query = Array("?location%5Bdirectory%5D=".utf8) + PercentEncoding.encode(directory)
        return (Array("/api/config".utf8) + query, Array("/api/model/default".utf8) + query)
    }

    /// Returns the targets of a session, its last messages (newest first), its inbox, and the active sessions; nil if
    /// the text cannot be a session's id.
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
