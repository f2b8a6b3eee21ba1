// SPDX-License-Identifier: Apache-2.0

/// A setting of an earlier version. It is accepted, has no effect and causes one warning, so that no service fails to
/// start because of an upgrade.
struct RetiredSetting: Sendable {
    /// The name of its flag, without the hyphens.
    let name: String
    /// The name of the setting in the environment and in the configuration file.
    let environment: String
    /// The heading that contained it: commands that accept others of this group accept it.
    let group: Setting.Group
    /// The replacement, as the end of a sentence.
    let instead: String

    /// The flag, with its hyphens.
    var flag: String { "--\(name)" }

    /// Returns the warning; `source` is what sets it.
    func notice(_ source: String) -> String { "\(source) no longer has an effect, so remove it: \(instead)." }
}

extension Settings {
    /// Returns the retired settings that a command with these settings accepts.
    static func retired(beside settings: [Setting]) -> [RetiredSetting] {
        retired.filter { retired in settings.contains { $0.group == retired.group } }
    }

    /// The retired settings, which no user had a reason to set. A client that reads nothing of its response and an
    /// OpenCode that sends nothing of it have the same deadline. Holding more than 64 KiB of a request costs memory and
    /// gains nothing.
    static let retired: [RetiredSetting] = [
        RetiredSetting(
            name: "send-timeout", environment: "VIBE_SEND_TIMEOUT", group: .limits,
            instead: "--answer-timeout limits the time between two bytes of an ordinary response in both directions"),
        RetiredSetting(
            name: "held-body", environment: "VIBE_HELD_BODY", group: .limits,
            instead: "request bodies of up to 64KiB are always buffered as a whole"),
    ]
}
