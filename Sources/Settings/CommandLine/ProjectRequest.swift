/// What `project` asks the running gateway.
package enum ProjectRequest: Sendable, Equatable {
    /// All projects.
    case list
    /// Start this project's instance.
    case start(String)
    /// Stop it.
    case stop(String)
    /// How it is.
    case status(String)
    /// What happened to it.
    case history(String)

    /// The project's name; nil where all are meant.
    package var name: String? {
        switch self {
        case .list: nil
        case .start(let name), .stop(let name), .status(let name), .history(let name): name
        }
    }

    /// Understands the words behind `project`.
    init(_ words: [String]) throws(SettingError) {
        let actions = Subcommand.project.words
        let usage = "write \(GatewayVersion.program) project \(Subcommand.project.usage)"
        guard let action = words.first else { throw SettingError("project has no action: \(usage).") }
        guard actions.contains(action) else {
            let hint = NearestWord.hint(action, among: actions, else: usage)
            throw SettingError("\(SettingError.quoted(action)) is no action of project: \(hint)")
        }
        let names = words.dropFirst()
        guard names.count <= (action == "list" ? 0 : 1) else {
            let rest = SettingError.quoted(names.last ?? "")
            throw SettingError("\(rest) is not expected behind project \(action): \(usage).")
        }
        guard action != "list" else {
            self = .list
            return
        }
        guard let name = names.first, !name.isEmpty else {
            throw SettingError("project \(action) has no name: write \(GatewayVersion.program) project \(action) NAME.")
        }
        switch action {
        case "start": self = .start(name)
        case "stop": self = .stop(name)
        case "history": self = .history(name)
        default: self = .status(name)
        }
    }
}

/// In which form `project` prints what it has heard.
package enum ProjectOutput: Sendable, Equatable {
    /// For people.
    case table
    /// The gateway's answer as it came.
    case json
    /// Names alone.
    case names
}
