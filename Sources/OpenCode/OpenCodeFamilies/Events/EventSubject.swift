// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The values of an event that determine which directory the event belongs to, as far as they have been read.
///
/// OpenCode 1's `/global/event` wraps events as `{"directory":…,"payload":…}`. `/api/event` (1.18 and 2) sends
/// `{"type":…,"location":{"directory":…},"data":…}`. Some events of `/api/event` have no `location`. Events about a
/// session's whole turn name the session, and `worktree.updated` and `project.updated` name a project (recorded from
/// OpenCode 2.0.15).
struct EventSubject: Sendable {
    /// The kinds of events that are treated differently.
    enum Kind: Sendable, Equatable {
        /// The event `session.moved`. The event's location is the old directory, and the event's data contains the new
        /// directory.
        case moved
        /// The event `project.updated`.
        case projectUpdated
        /// An event of a type that begins with `vcs.`, such as the event about a commit or a change of the branch.
        case versionControl
        case other
    }

    /// The members of an event's JSON that are read, in the order of ``paths``.
    enum Member: Int {
        case directory, location, type, wrappedType, session, newDirectory, project, identifier, worktree,
            wrappedWorktree
    }

    static let paths = JSONPaths(
        "directory", "location.directory", "type", "payload.type", "data.sessionID", "data.location.directory",
        "data.projectID", "data.id", "data.worktree", "payload.properties.worktree")

    /// The kind of the event; nil until the event's type has been read.
    private(set) var kind: Kind?
    /// Whether the event is one of OpenCode 1's wrapped events. A wrapped event names its directory or concerns the
    /// whole server.
    private(set) var isWrapped = false
    /// The directory that the event names; nil if the event names no directory. An empty array means that the text in
    /// the event is too long for a path.
    private(set) var directory: [UInt8]?
    /// The id of the event's session; nil if the event names no session. An empty array means that the text in the
    /// event is too long for an id.
    private(set) var session: [UInt8]?
    /// The directory in the event's data: the directory of a new session, or the new directory of a moved session.
    private(set) var newDirectory: [UInt8]?
    /// The root directory of the project that the event concerns.
    private(set) var worktree: [UInt8]?
    private var namedProject: [UInt8]?
    private var identifier: [UInt8]?

    /// The id of the project that the event concerns; nil if the root directory identifies the project.
    var project: [UInt8]? { worktree == nil ? namedProject ?? (kind == .projectUpdated ? identifier : nil) : nil }

    /// Whether the event names no directory, no session and no project.
    var namesNoSubject: Bool {
        directory == nil && session == nil && newDirectory == nil && worktree == nil && project == nil
    }

    /// The directory of the event's session after the event.
    var sessionDirectory: [UInt8]? { kind == .moved ? newDirectory : directory ?? newDirectory }

    /// Whether the event reports that the folder's project may have changed. The first commit of a repository changes
    /// the project's id.
    var mayChangeProject: Bool { kind == .projectUpdated || kind == .versionControl }

    /// Whether the remainder of the event is useful after the decision about the event.
    var isIncomplete: Bool {
        guard let kind else { return true }
        return !isWrapped && (session == nil || kind == .moved && newDirectory == nil)
    }

    /// Stores a value that was found in the event.
    mutating func store(_ finding: JSONStringReader.Finding) {
        let text = finding.text ?? []
        switch Member(rawValue: finding.pathIndex) {
        case .directory, .location:
            if finding.pathIndex == Member.directory.rawValue { isWrapped = true }
            // An event that concerns the whole server names the directory "global" or no directory. Do not store
            // "global", because other members contain the subject of such an event.
            let isServers = finding.text?.isEmpty ?? false || text.elementsEqual("global".utf8)
            if directory == nil, !isServers { directory = text }
        case .type, .wrappedType:
            kind = Self.kind(text)
            if finding.pathIndex == Member.wrappedType.rawValue { isWrapped = true }
        case .session: session = text
        case .newDirectory: newDirectory = text
        case .project: namedProject = text
        case .identifier: identifier = text
        case .worktree, .wrappedWorktree: worktree = text
        case nil: break
        }
    }

    private static func kind(_ type: [UInt8]) -> Kind {
        if type.elementsEqual("session.moved".utf8) { return .moved }
        if type.elementsEqual("project.updated".utf8) { return .projectUpdated }
        return type.starts(with: "vcs.".utf8) ? .versionControl : .other
    }
}
