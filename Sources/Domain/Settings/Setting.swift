// SPDX-License-Identifier: Apache-2.0

/// A row of the settings table, which is the source for parsing, help and the output of `check`.
package struct Setting: Sendable {
    /// A group of settings. The raw value is the group's heading in the help.
    package enum Group: String, Sendable, CaseIterable {
        case general = "Settings"
        case projects = "Projects"
        case access = "Access"
        case log = "Log"
        case instances = "Instances"
        case events = "Events"
        case chat = "Chat"
        case limits = "Limits"
    }

    /// The value of a setting that is not set.
    enum Default: Sendable {
        /// A value in the setting's own syntax.
        case text(String)
        /// A value that depends on the machine. Help shows the description instead of the value.
        case system(description: String, @Sendable (SystemDefaults) -> String)
        /// No value. Help shows the description.
        case unset(description: String)
    }

    /// The name of the flag without its hyphens, such as `listen`.
    package let name: String
    /// The name of the setting in the environment and in the configuration file.
    package let environment: String
    /// The help text of the setting.
    package let help: String
    /// The group under whose heading the help lists the setting.
    package let group: Group
    /// The placeholder for a value, such as `HOST:PORT`.
    package let placeholder: String
    /// Whether the value is a secret. A secret is never shown, and it is not accepted on the command line.
    package let isSecret: Bool
    /// The completions that a shell offers for the value.
    package let hint: ValueHint
    /// Whether the configuration file may contain the setting. The file may contain all settings except its own path.
    package private(set) var isReadFromFile = true
    /// Whether a reload applies the setting. Other settings require a restart.
    package private(set) var isReloaded = false
    let defaultValue: Default

    private let apply: @Sendable (String, inout Configuration) throws(InvalidValue) -> Void
    private let print: @Sendable (Configuration) -> String

    private let isEqual: @Sendable (Configuration, Configuration) -> Bool
    private let copy: @Sendable (Configuration, inout Configuration) -> Void

    init<Value: Sendable & Equatable>(
        _ name: String, environment: String, syntax: ValueSyntax<Value>,
        field: any WritableKeyPath<Configuration, Value> & Sendable,
        default defaultValue: Default, group: Group = .general, _ help: String
    ) {
        self.name = name
        self.environment = environment
        self.help = help
        self.group = group
        self.defaultValue = defaultValue
        placeholder = syntax.placeholder
        isSecret = syntax.isSecret
        hint = syntax.hint
        apply = { (text, configuration) throws(InvalidValue) in
            configuration[keyPath: field] = try syntax.parse(text)
        }
        print = { syntax.text($0[keyPath: field]) }
        isEqual = { $0[keyPath: field] == $1[keyPath: field] }
        copy = { $1[keyPath: field] = $0[keyPath: field] }
    }

    /// A copy of the setting that the configuration file may not contain.
    var notFromFile: Setting {
        var setting = self
        setting.isReadFromFile = false
        return setting
    }

    /// A copy of the setting that a reload applies.
    var reloaded: Setting {
        var setting = self
        setting.isReloaded = true
        return setting
    }

    /// The flag with its hyphens; nil for a secret.
    package var flag: String? { isSecret ? nil : "--\(name)" }

    /// The flag that turns off an `on|off` setting, such as `--no-access-log`; nil for other settings.
    package var offFlag: String? {
        flag != nil && placeholder == ValueSyntax<Bool>.onOff.placeholder ? "--no-\(name)" : nil
    }

    /// The default value as the help shows it.
    package var defaultText: String {
        switch defaultValue {
        case .text(let text): text
        case .system(let description, _): description
        case .unset(let description): description
        }
    }

    /// Returns the value in use, in the setting's own syntax. Returns a mask for a secret.
    package func text(in configuration: Configuration) -> String {
        print(configuration)
    }

    /// Stores a value in the configuration.
    ///
    /// - Parameters:
    ///   - text: The value in the setting's own syntax.
    ///   - origin: The source of the value, for later queries and for errors.
    func set(_ text: String, from origin: SettingOrigin, in configuration: inout Configuration) throws(SettingError) {
        do {
            try apply(text, &configuration)
        } catch {
            throw SettingError(source: source(origin), value: isSecret ? nil : text, error)
        }
        configuration.origins[name] = origin
    }

    /// Returns whether both configurations have the same value for the setting.
    func isSame(in left: Configuration, and right: Configuration) -> Bool { isEqual(left, right) }

    /// Copies the value and its origin from `old` to `new`.
    func carry(from old: Configuration, into new: inout Configuration) {
        copy(old, &new)
        new.origins[name] = old.origins[name]
    }

    /// Returns the beginning of an error about a value from this source.
    func source(_ origin: SettingOrigin) -> String {
        switch origin {
        case .default: "the default of \(flag ?? environment)"
        case .environment(let name): name
        case .flag(let flag): flag
        case .file(let path, let line, let name): "\(path), line \(line): \(name)"
        }
    }
}

/// Default values that depend on the machine.
package struct SystemDefaults: Sendable {
    /// The home directory of the gateway's user.
    package let home: String
    /// The directory for persistent data.
    package let stateFolder: String
    /// The number of processors that the program may use.
    package let processors: Int

    /// Creates the defaults from their values.
    package init(home: String, stateFolder: String, processors: Int) {
        self.home = home
        self.stateFolder = stateFolder
        self.processors = processors
    }
}
