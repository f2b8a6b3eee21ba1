// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The values of one event that decide where it belongs, as far as it has been read.
///
/// OpenCode 1's `/global/event` wraps events as `{"directory":…,"payload":…}`; `/api/event` (1.18 and 2) has
/// `{"type":…,"location":{"directory":…},"data":…}`. Some of the latter have no `location`: those of a session's turn
/// as a whole name its session, `worktree.updated` and `project.updated` a project (recorded from 2.0.15).
struct EventSubject: Sendable {
    /// The kinds of events that are treated differently.
    enum Kind: Sendable, Equatable {
        /// `session.moved`: its location is the old folder's, the new one is in its data.
        case moved
        /// The event `project.updated`, which names a project.
        case projectUpdated
        /// `vcs.…`: a commit, another branch.
        case versionControl
        case other
    }

    /// The places of an event's JSON that are read, numbered as in ``places``.
    enum Member: Int {
        case directory, location, type, wrappedType, session, newDirectory, project, identifier, worktree,
            wrappedWorktree
    }

    static let places = JSONPlaces(
        "directory", "location.directory", "type", "payload.type", "data.sessionID", "data.location.directory",
        "data.projectID", "data.id", "data.worktree", "payload.properties.worktree")

    /// The kind of the event; nil before it was read.
    private(set) var kind: Kind?
    /// Whether the event is one of OpenCode 1's wrapped events, which name their directory or are about the whole
    /// server.
    private(set) var isWrapped = false
    /// The directory that the event belongs to, empty where its text is too long for a path; nil if it names none.
    private(set) var directory: [UInt8]?
    /// The id of the event's session, empty where the text is too long for one.
    private(set) var session: [UInt8]?
    /// The directory in the event's data: a new session's, or the new directory of a moved one.
    private(set) var newDirectory: [UInt8]?
    /// The root of the project that the event is about.
    private(set) var worktree: [UInt8]?
    private var namedProject: [UInt8]?
    private var identifier: [UInt8]?

    /// The id of the project that the event is about; nil where a root identifies the project.
    var project: [UInt8]? { worktree == nil ? namedProject ?? (kind == .projectUpdated ? identifier : nil) : nil }

    /// Whether the event names nothing that it could belong to.
    var isNobodys: Bool {
        directory == nil && session == nil && newDirectory == nil && worktree == nil && project == nil
    }

    /// The directory of the event's session from now on.
    var sessionDirectory: [UInt8]? { kind == .moved ? newDirectory : directory ?? newDirectory }

    /// Whether the event reports that the folder's project may have changed: the first commit of a repository changes
    /// its id.
    var tellsOfProject: Bool { kind == .projectUpdated || kind == .versionControl }

    /// Whether more of the event is worth reading after its fate is decided.
    var isIncomplete: Bool {
        guard let kind else { return true }
        return !isWrapped && (session == nil || kind == .moved && newDirectory == nil)
    }

    /// Stores the value found at a place.
    mutating func take(_ finding: JSONStringReader.Finding) {
        let text = finding.text ?? []
        switch Member(rawValue: finding.place) {
        case .directory, .location:
            if finding.place == Member.directory.rawValue { isWrapped = true }
            // Events of the whole server name "global" or nothing; their subject is found later.
            let isServers = finding.text?.isEmpty ?? false || text.elementsEqual("global".utf8)
            if directory == nil, !isServers { directory = text }
        case .type, .wrappedType:
            kind = Self.kind(text)
            if finding.place == Member.wrappedType.rawValue { isWrapped = true }
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
