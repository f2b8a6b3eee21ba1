// SPDX-License-Identifier: Apache-2.0

/// A request of the command `key`.
package enum KeyRequest: Sendable, Equatable {
    /// The values of a new key as they were typed. A value that is nil was not given.
    package struct Values: Sendable, Equatable {
        /// The names of the projects that the key can open; empty for all projects.
        package var projects: [String] = []
        /// The scope of the key.
        package var allow: String?
        /// The rate of requests.
        package var rate: String?
        /// The number of streams.
        package var streams: String?
        /// The time until the key expires.
        package var expires: String?
        /// The value of the identity header that selects the key.
        package var identity: String?
        /// A remark.
        package var note: String?
    }

    /// Create a key with this name.
    case create(name: String, Values)
    /// List all keys.
    case list
    /// Show the key with this name or id.
    case show(String)
    /// Revoke the key with this name or id.
    case revoke(String)
    /// Replace the secret of the key with this name or id.
    case rotate(String, keepOld: String?)
    /// Rename the key with this name or id.
    case rename(String, to: String)

    /// Parses the words after `key` and the values of its flags.
    init(_ words: [String], _ values: [FlagValue]) throws(SettingError) {
        let command = Subcommand.key
        let usage = "write \(GatewayVersion.program) key \(command.usage)"
        guard let action = words.first else { throw SettingError("key has no action: \(usage).") }
        guard command.words.contains(action) else {
            let hint = NearestWord.hint(action, among: command.words, else: usage)
            throw SettingError("\(SettingError.quoted(action)) is not an action of key: \(hint)")
        }
        let expected =
            action == "list" ? [] : action == "rename" ? ["KEY", "NAME"] : action == "create" ? ["NAME"] : ["KEY"]
        let example = (["\(GatewayVersion.program) key \(action)"] + expected).joined(separator: " ")
        let given = Array(words.dropFirst())
        guard given.count <= expected.count else {
            throw SettingError(
                "\(SettingError.quoted(given[expected.count])) is not expected after key \(action): write \(example).")
        }
        guard given.count == expected.count, !given.contains("") else {
            throw SettingError(
                "key \(action) has no \(expected[min(given.count, expected.count - 1)]): write \(example).")
        }
        let flags = try Self.flags(values, of: action)
        switch action {
        case "create":
            self = .create(
                name: given[0],
                Values(
                    projects: flags["--project"] ?? [], allow: flags["--allow"]?.first, rate: flags["--rate"]?.first,
                    streams: flags["--streams"]?.first, expires: flags["--expires"]?.first,
                    identity: flags["--identity"]?.first, note: flags["--note"]?.first))
        case "list": self = .list
        case "show": self = .show(given[0])
        case "revoke": self = .revoke(given[0])
        case "rotate": self = .rotate(given[0], keepOld: flags["--keep-old"]?.first)
        default: self = .rename(given[0], to: given[1])
        }
    }

    /// Returns the values of each flag. A flag that the action ignores is an error, because a restriction that has no
    /// effect would be dangerous.
    private static func flags(
        _ values: [FlagValue], of action: String
    ) throws(SettingError) -> [String: [String]] {
        var flags: [String: [String]] = [:]
        for value in values {
            let flag = Subcommand.key.valueFlags.first { $0.flag == value.flag }
            guard let flag, flag.actions.contains(action) else {
                throw SettingError(
                    "\(value.flag) is not valid for key \(action): it belongs to key "
                        + "\((flag?.actions ?? []).joined(separator: ", ")). Remove it.")
            }
            guard flag.isRepeatable || flags[value.flag] == nil else {
                throw SettingError("\(value.flag) is given twice. Write it once.")
            }
            flags[value.flag, default: []].append(value.value)
        }
        return flags
    }
}
