// SPDX-License-Identifier: Apache-2.0

/// A query for data that the events do not contain. A translation needs the query's result before it continues.
package enum TranslationQuery: Sendable, Hashable {
    /// The instance's version, configuration files and default model.
    case defaults
    /// A session, its messages, its inbox, and whether the session is running.
    case session(String)
}

/// The result of a query: the JSON values of OpenCode 2's responses. A response that is not JSON counts as empty.
package enum TranslationAnswer: Sendable {
    /// The instance's version, its configuration files, and its default model.
    case defaults(version: String, configuration: [UInt8], model: [UInt8])
    /// The session, its last messages (newest first), its inbox, and the running sessions.
    case session([UInt8], messages: [UInt8], inbox: [UInt8], active: [UInt8])
    /// The instance does not have this session.
    case unknown
    /// The instance did not respond.
    case nothing
}
