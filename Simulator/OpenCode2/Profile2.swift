// SPDX-License-Identifier: Apache-2.0

/// The properties of the recorded version of OpenCode 2.
struct Profile2: Sendable {
    /// The version in `--version` and `/api/info`.
    let version: String
    let start: Profile.Start
    /// The time between two heartbeats of an event stream.
    let heartbeat: Duration
    /// The maximum idle time of a connection after a response. OpenCode announces 5 s, but the recording shows 5.3 s.
    let idleLimit: Duration

    /// The profile of OpenCode 2.0.15.
    static var recorded: Profile2 {
        Profile2(
            version: "2.0.15", start: .second, heartbeat: .seconds(15), idleLimit: .milliseconds(5300))
    }
}
