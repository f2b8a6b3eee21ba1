/// What differs between the versions of OpenCode that the twin can play, as data.
struct Profile: Sendable {
    /// What `--version` and `/global/health` tell.
    let version: String
    /// Whether a warning stands before the banner when no password is set.
    let warnsWithoutPassword: Bool
    /// Whether OPENCODE_SERVER_PASSWORD is honoured.
    let honoursPassword: Bool
    /// The time between two heartbeats of an event stream.
    let heartbeat: Duration
    /// Whether the JSON of an event begins with its `id`.
    let eventsHaveIdentifiers: Bool
    /// Whether `/global/event` repeats stored changes as `sync` events.
    let sendsSyncEvents: Bool
    /// The answer to a body that is no JSON. As text: Leak Sanitizer does not see through a JSON value in a global.
    let malformedBody: (status: Int, reason: String, text: String)
    /// Whether `prompt_async` to a session that does not exist is 404; before it was 204 and silence.
    let refusesPromptToMissingSession: Bool

    /// The newest recorded version, and the default.
    static let newest = Profile(
        version: "1.18.33", warnsWithoutPassword: true, honoursPassword: true, heartbeat: .seconds(10),
        eventsHaveIdentifiers: true, sendsSyncEvents: true,
        malformedBody: (400, "Bad Request", #"{"_tag":"BadRequest"}"#), refusesPromptToMissingSession: true)

    /// All that can be asked for with TWIN_PROFILE.
    static let all = [newest]

    /// The profile of a version, the default one for nil; nil for a version that is not known.
    static func chosen(_ version: String?) -> Profile? {
        guard let version else { return newest }
        return all.first { $0.version == version }
    }
}
