// SPDX-License-Identifier: Apache-2.0

/// A request of the command `key`.
package enum KeyRequest: Sendable, Equatable {
    /// The values of a key as they were typed. A value that is nil was not given.
    package struct Values: Sendable, Equatable {
        /// The names of the projects that the key can open; empty if no project was named.
        package var projects: [String] = []
        /// Whether the key can open all projects from now on.
        package var opensAllProjects = false
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

        /// Creates values of which none was given.
        package init() {}
    }

    /// Create a key with this name.
    case create(name: String, Values)
    /// List all keys, or only their names.
    case list(onlyNames: Bool)
    /// Show the key with this name or id.
    case show(String)
    /// Change values of the key with this name or id.
    case change(String, Values)
    /// Revoke the key with this name or id.
    case revoke(String)
    /// Replace the secret of the key with this name or id.
    case rotate(String, keepOld: String?)
    /// Rename the key with this name or id.
    case rename(String, to: String)

    /// The flag or the argument of the command line for a value, by the value's name in the HTTP API.
    package static func argument(for value: String) -> String {
        value == "name" ? "the name" : value == "projects" ? "--project" : "--" + value.replacing("_", with: "-")
    }

    /// Parses the words after `key`, the values of its flags, and its flags without values.
    init(_ words: [String], _ values: [FlagValue], _ switches: [String]) throws(SettingError) {
        let command = Subcommand.key
        let usage = "see `\(GatewayVersion.program) help key`"
        guard let name = words.first else { throw SettingError("key has no action: \(usage).") }
        guard let action = command.actions.first(where: { $0.name == name }) else {
            let hint = NearestWord.hint(name, among: command.actions.map(\.name), else: usage)
            throw SettingError("\(SettingError.quoted(name)) is not an action of key: \(hint)")
        }
        let expected = action.arguments
        let example = (["\(GatewayVersion.program) key \(name)"] + expected).joined(separator: " ")
        let given = Array(words.dropFirst())
        guard given.count <= expected.count else {
            throw SettingError(
                "\(SettingError.quoted(given[expected.count])) is not expected after key \(name): write \(example).")
        }
        guard given.count == expected.count, !given.contains("") else {
            throw SettingError(
                "key \(name) has no \(expected[min(given.count, expected.count - 1)]): write \(example).")
        }
        let flags = try Self.flags(values, of: name)
        try Self.check(switches, of: name)
        switch name {
        case "create": self = .create(name: given[0], Values(flags))
        case "change":
            var values = Values(flags)
            values.opensAllProjects = switches.contains("--all-projects")
            guard values != Values() else {
                throw SettingError(
                    "key change has nothing to change: add a flag such as --allow, see "
                        + "`\(GatewayVersion.program) help key change`.")
            }
            guard !values.opensAllProjects || values.projects.isEmpty else {
                throw SettingError("--project and --all-projects contradict each other: remove one of them.")
            }
            self = .change(given[0], values)
        case "list":
            guard !switches.contains("--names") || !switches.contains("--json") else {
                throw SettingError("--names and --json contradict each other: remove one of them.")
            }
            self = .list(onlyNames: switches.contains("--names"))
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
                throw invalid(value.flag, for: action, validFor: flag?.actions ?? [])
            }
            guard flag.isRepeatable || flags[value.flag] == nil else {
                throw SettingError("\(value.flag) is given twice. Write it once.")
            }
            flags[value.flag, default: []].append(value.value)
        }
        return flags
    }

    private static func check(_ switches: [String], of action: String) throws(SettingError) {
        for flag in Subcommand.key.switches
        where switches.contains(flag.flag) && !flag.actions.isEmpty && !flag.actions.contains(action) {
            throw invalid(flag.flag, for: action, validFor: flag.actions)
        }
    }

    private static func invalid(_ flag: String, for action: String, validFor actions: [String]) -> SettingError {
        SettingError(
            "\(flag) is not valid for key \(action): it belongs to key \(actions.joined(separator: " and key ")). Remove it."
        )
    }
}

extension KeyRequest.Values {
    fileprivate init(_ flags: [String: [String]]) {
        projects = flags["--project"] ?? []
        allow = flags["--allow"]?.first
        rate = flags["--rate"]?.first
        streams = flags["--streams"]?.first
        expires = flags["--expires"]?.first
        identity = flags["--identity"]?.first
        note = flags["--note"]?.first
    }
}
