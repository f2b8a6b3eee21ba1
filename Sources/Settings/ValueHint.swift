/// What a shell can offer to complete a setting's value with.
package enum ValueHint: Sendable, Equatable {
    /// Nothing.
    case none
    /// One of these words.
    case words([String])
    /// A folder.
    case folder
    /// A file.
    case file
}
