/// What is known of an instance's project and sessions: by that events are judged that name no directory.
package struct EventKnowledge: Sendable {
    /// Something that has to be asked of the instance before an event can be judged.
    package enum Question: Sendable, Equatable {
        /// Which directory this session belongs to.
        case session([UInt8])
        /// Which project the instance's folder is.
        case project
    }

    /// Which directory each session belongs to.
    package var sessions = SessionDirectories()
    /// Sessions for which the instance was asked a moment ago and has not answered: nothing waits for them now.
    package var unanswered: Set<[UInt8]> = []
    /// The id of the project that the instance's folder is; nil: to be asked.
    package var project: [UInt8]?
    /// How often an event has told that this id may be another one now: the first commit of a repository changes it.
    package private(set) var projectNews = 0

    /// Nothing is known.
    package init() {}

    /// The project's id may be another one now.
    mutating func projectMayHaveChanged() {
        project = nil
        projectNews &+= 1
    }
}
