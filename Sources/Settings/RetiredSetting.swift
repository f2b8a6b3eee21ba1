/// A setting that there was once. It is accepted, has no effect and gets one warning, so that nobody's service fails to start
/// because of an upgrade.
struct RetiredSetting: Sendable {
    /// The name that its flag was made of.
    let name: String
    /// Its name in the environment and in the configuration file.
    let environment: String
    /// The heading under which it stood: commands that take others of these take this one.
    let group: Setting.Group
    /// What holds in its place, as the end of a sentence.
    let instead: String

    /// The flag.
    var flag: String { "--\(name)" }

    /// The warning. `source` is what sets it.
    func notice(_ source: String) -> String { "\(source) has no effect any more and can be removed: \(instead)." }
}

extension Settings {
    /// Those that a command with these settings accepts.
    static func retired(beside settings: [Setting]) -> [RetiredSetting] {
        retired.filter { retired in settings.contains { $0.group == retired.group } }
    }

    /// Those that nobody had a reason to set: a client that takes nothing of its answer and an OpenCode that sends nothing of
    /// it are waited for equally long, and what is held of a request costs memory and gains nothing above 64 KiB.
    static let retired: [RetiredSetting] = [
        RetiredSetting(
            name: "send-timeout", environment: "VIBE_SEND_TIMEOUT", group: .limits,
            instead: "--answer-timeout is the time without a byte of an ordinary answer in both directions"),
        RetiredSetting(
            name: "held-body", environment: "VIBE_HELD_BODY", group: .limits,
            instead: "request bodies of up to 64KiB are held whole"),
    ]
}
