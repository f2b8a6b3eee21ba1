import Access

/// For whom a project's OpenCode is asked.
enum Asker: Sendable {
    /// A client: the project is started for it where it does not run, and its history says who that was; nil: one that was let
    /// in without a key.
    case client(Principal?)
    /// The gateway by itself, for which no project is started.
    case gateway
}
