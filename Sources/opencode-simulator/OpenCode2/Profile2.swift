/// What the recorded OpenCode 2 is, as data.
struct Profile2: Sendable {
    /// What `--version` and `/api/info` tell.
    let version: String
    let start: Profile.Start
    /// The time between two heartbeats of an event stream.
    let heartbeat: Duration
    /// How long a connection stays open behind an answer. It says 5 s; recorded are 5.3.
    let idleLimit: Duration

    /// OpenCode 2.0.15.
    static var recorded: Profile2 {
        Profile2(
            version: "2.0.15", start: .second, heartbeat: .seconds(15), idleLimit: .milliseconds(5300))
    }
}
