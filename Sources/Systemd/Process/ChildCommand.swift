/// What to start as a child process.
package struct ChildCommand: Sendable {
    /// The program and its arguments; a program without a slash is looked for on the gateway's own `PATH`.
    package var words: [String]
    /// The child's whole environment.
    package var environment: [String: String]
    /// The child's working directory.
    package var directory: String

    /// A command; `words` must not be empty.
    package init(words: [String], environment: [String: String], directory: String) {
        precondition(!words.isEmpty, "a command needs a program")
        self.words = words
        self.environment = environment
        self.directory = directory
    }
}
