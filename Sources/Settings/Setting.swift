/// One row of the settings table: from it come parsing, help and what `check` prints.
package struct Setting: Sendable {
    /// Under which heading help shows it.
    package enum Group: String, Sendable, CaseIterable {
        case general = "Settings"
        case access = "Access"
        case instances = "Instances"
        case log = "Log"
        case limits = "Limits"
    }

    /// What holds when nothing is set.
    enum Default: Sendable {
        /// A value in the setting's own form.
        case text(String)
        /// Found out by the caller: help shows the description.
        case system(description: String, @Sendable (SystemDefaults) -> String)
        /// There is none: the setting must be given. The fix ends the sentence that says so.
        case required(fix: String)
    }

    /// The name that the flag is made of, such as `listen`.
    package let name: String
    /// The name in the environment.
    package let environment: String
    /// What it does, in one or two sentences.
    package let help: String
    /// The heading that it stands under.
    package let group: Group
    /// What a value looks like, such as `HOST:PORT`.
    package let placeholder: String
    /// Whether its value is never shown and never taken from the command line.
    package let isSecret: Bool
    let defaultValue: Default

    private let apply: @Sendable (String, inout Configuration) throws(InvalidValue) -> Void
    private let print: @Sendable (Configuration) -> String

    init<Value: Sendable>(
        _ name: String, _ environment: String, _ form: ValueForm<Value>,
        _ field: any WritableKeyPath<Configuration, Value> & Sendable,
        default defaultValue: Default, group: Group = .general, _ help: String
    ) {
        self.name = name
        self.environment = environment
        self.help = help
        self.group = group
        self.defaultValue = defaultValue
        placeholder = form.placeholder
        isSecret = form.isSecret
        apply = { (text, configuration) throws(InvalidValue) in
            configuration[keyPath: field] = try form.parse(text)
        }
        print = { form.text($0[keyPath: field]) }
    }

    /// The flag; nil for a secret.
    package var flag: String? { isSecret ? nil : "--\(name)" }

    /// The default as help shows it.
    package var defaultText: String {
        switch defaultValue {
        case .text(let text): text
        case .system(let description, _): description
        case .required: "none: it must be set"
        }
    }

    /// The value in force, in the form in which it can be set; a secret's mask.
    package func text(in configuration: Configuration) -> String {
        print(configuration)
    }

    /// Puts `text` into the configuration. `origin` names the source in the error and is kept.
    func set(_ text: String, from origin: SettingOrigin, in configuration: inout Configuration) throws(SettingError) {
        do {
            try apply(text, &configuration)
        } catch {
            throw SettingError(source: source(origin), value: isSecret ? nil : text, error)
        }
        configuration.origins[name] = origin
    }

    private func source(_ origin: SettingOrigin) -> String {
        switch origin {
        case .default: "the default of \(flag ?? environment)"
        case .environment(let name): name
        case .flag(let flag): flag
        }
    }
}

/// What only the running machine knows, found out by the caller.
package struct SystemDefaults: Sendable {
    /// The user's home folder.
    package let home: String
    /// Processors that the program may use.
    package let processors: Int

    /// What was found out.
    package init(home: String, processors: Int) {
        self.home = home
        self.processors = processors
    }
}
