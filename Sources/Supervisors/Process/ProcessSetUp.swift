/// What a ``ProcessSupervisor`` starts, and with what.
package struct ProcessSetUp: Sendable {
    /// The program with its first arguments, such as `["opencode"]`; never empty.
    package let command: [String]
    /// The gateway's own environment.
    package let environment: [String: String]
    /// The user's own home folder, where the environment files are.
    package let userHome: String
    /// The folder whose sub-folders are the projects.
    package let projects: String
    /// Whether each server asks for a random password of its own.
    package let givesPasswords: Bool
    /// Where running servers are written down.
    package let records: InstanceRecordStore

    /// A set-up.
    package init(
        command: [String], environment: [String: String], userHome: String, projects: String,
        givesPasswords: Bool = true, records: InstanceRecordStore
    ) {
        precondition(!command.isEmpty, "the command of OpenCode needs a program")
        self.command = command
        self.environment = environment
        self.userHome = userHome
        self.projects = projects
        self.givesPasswords = givesPasswords
        self.records = records
    }
}
