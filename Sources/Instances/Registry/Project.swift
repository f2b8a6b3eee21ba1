package import Projects

/// A project as clients see it.
package struct Project: Sendable, Equatable {
    /// The folder.
    package let folder: ProjectFolder
    /// The state of its instance.
    package let state: InstanceState
    /// Whether the folder has gone while its instance goes on.
    package let isMissing: Bool

    /// A project in this state.
    package init(folder: ProjectFolder, state: InstanceState, isMissing: Bool = false) {
        self.folder = folder
        self.state = state
        self.isMissing = isMissing
    }

    /// The wire contract's JSON object; `"missing":true` is added where the folder has gone.
    package var json: String { "{\(members)}" }

    /// The fields, for a JSON object.
    var members: String {
        let port = state.port
        return folder.jsonMembers
            + (port.map { "\"is_running\":true,\"port\":\($0)" } ?? "\"is_running\":false,\"port\":null")
            + (isMissing ? ",\"missing\":true" : "")
    }

    /// A list of projects as the wire contract's bare JSON array.
    package static func json(_ projects: [Project]) -> String {
        "[" + projects.map(\.json).joined(separator: ",") + "]"
    }
}
