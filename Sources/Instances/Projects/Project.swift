internal import JSONText

/// A project as clients see it.
package struct Project: Sendable, Equatable {
    /// The folder.
    package let folder: ProjectFolder
    /// The state of its instance.
    package let state: InstanceState

    /// A project in this state.
    package init(folder: ProjectFolder, state: InstanceState) {
        self.folder = folder
        self.state = state
    }

    /// The wire contract's JSON object.
    package var json: String { "{\(members)}" }

    /// The fields, for a JSON object.
    var members: String {
        """
        "name":\(JSONText.quoted(folder.name.string)),"path":\(JSONText.quoted(folder.path)),\
        "has_git":\(folder.hasGit),"has_package_json":\(folder.hasPackageJSON),\
        "is_running":\(state.port != nil),"port":\(state.port.map { String($0) } ?? "null")
        """
    }

    /// A list of projects as the wire contract's bare JSON array.
    package static func json(_ projects: [Project]) -> String {
        "[" + projects.map(\.json).joined(separator: ",") + "]"
    }
}
