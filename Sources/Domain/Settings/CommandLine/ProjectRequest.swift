// SPDX-License-Identifier: Apache-2.0

/// A request that the command `project` sends to the running gateway.
package enum ProjectRequest: Sendable, Equatable {
    /// List the gateway's projects.
    case list
    /// Start the instance of this project.
    case start(String)
    /// Stop the instance of this project.
    case stop(String)
    /// Show the state of this project.
    case status(String)
    /// Show the events of this project's instance.
    case history(String)

    /// The project's name; nil for all projects.
    package var name: String? {
        switch self {
        case .list: nil
        case .start(let name), .stop(let name), .status(let name), .history(let name): name
        }
    }

    /// Parses the words after `project`.
    init(_ words: [String]) throws(SettingError) {
        let actions = Subcommand.project.words
        let usage = "write \(GatewayVersion.program) project \(Subcommand.project.usage)"
        guard let action = words.first else { throw SettingError("project has no action: \(usage).") }
        guard actions.contains(action) else {
            let hint = NearestWord.hint(action, among: actions, else: usage)
            throw SettingError("\(SettingError.quoted(action)) is not an action of project: \(hint)")
        }
        let names = words.dropFirst()
        guard names.count <= (action == "list" ? 0 : 1) else {
            let lastName = SettingError.quoted(names.last ?? "")
            throw SettingError("\(lastName) is not expected after project \(action): \(usage).")
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

/// The output format of the command `project`.
package enum ProjectOutput: Sendable, Equatable {
    /// A table for human readers.
    case table
    /// The gateway's response, unchanged.
    case json
    /// Only the names of the projects.
    case names
}
