/// What a translation has to be told before it goes on: events do not repeat it.
package enum TranslationQuery: Sendable, Hashable {
    /// What the instance says of itself.
    case surroundings
    /// A session, its messages, what waits in its inbox, and whether it is at work.
    case session(String)
}

/// What an instance has answered: the JSON of OpenCode 2's answers. What is no JSON counts as nothing.
package enum TranslationAnswer: Sendable {
    /// Its version, its configuration files, and the model that it takes by itself.
    case surroundings(version: String, configuration: [UInt8], model: [UInt8])
    /// The session, its last messages with the newest first, its inbox, and the sessions that are at work.
    case session([UInt8], messages: [UInt8], inbox: [UInt8], active: [UInt8])
    /// It has no such session.
    case unknown
    /// Nobody has answered.
    case nothing
}
