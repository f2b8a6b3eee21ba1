// SPDX-License-Identifier: Apache-2.0

/// A setting of an earlier version. The gateway accepts the setting, ignores its value and reports one warning. An
/// upgrade therefore does not prevent a service from starting.
struct RetiredSetting: Sendable {
    /// The name of the setting's flag, without the hyphens.
    let name: String
    /// The name of the setting in the environment and in the configuration file.
    let environment: String
    /// The group that contained the setting. Commands that accept other settings of this group also accept this
    /// setting.
    let group: Setting.Group
    /// The end of the warning's sentence, which names the replacement.
    let instead: String

    /// The flag, with its hyphens.
    var flag: String { "--\(name)" }

    /// Returns the warning about the setting.
    ///
    /// - Parameter source: The flag or name that sets the setting.
    func notice(_ source: String) -> String { "\(source) no longer has an effect, so remove it: \(instead)." }
}

extension Settings {
    /// Returns the retired settings that a command with these settings accepts.
    static func retired(beside settings: [Setting]) -> [RetiredSetting] {
        retired.filter { retired in settings.contains { $0.group == retired.group } }
    }

    /// The retired settings. `--answer-timeout` replaces `--send-timeout`, and limits both the time in which a client
    /// reads nothing and the time in which an instance sends nothing. `--held-body` has no replacement, because
    /// buffering more than 64 KiB of a request costs memory and has no advantage.
    static let retired: [RetiredSetting] = [
        RetiredSetting(
            name: "send-timeout", environment: "VIBE_SEND_TIMEOUT", group: .limits,
            instead: "--answer-timeout limits the time between two bytes of an ordinary response in both directions"),
        RetiredSetting(
            name: "held-body", environment: "VIBE_HELD_BODY", group: .limits,
            instead: "request bodies of up to 64KiB are always buffered as a whole"),
    ]
}
