internal import TextCoding

/// What an OpenCode 2 is asked for so that its events can be told in OpenCode 1's words.
package enum TranslationQueries {
    /// How many of a session's last messages are asked for: more than a turn mostly has.
    private static let messages = 50

    /// The configuration, and the model that it takes by itself; `directory`: the project's own.
    package static func surroundings(in directory: [UInt8]) -> (configuration: [UInt8], model: [UInt8]) {
        let query = Array("?location%5Bdirectory%5D=".utf8) + PercentEncoding.encode(directory)
        return (Array("/api/config".utf8) + query, Array("/api/model/default".utf8) + query)
    }

    /// A session, its last messages, newest first, its inbox, and the sessions that are at work; nil for what can be no
    /// session's id.
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
