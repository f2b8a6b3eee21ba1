// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// Decides whether an event belongs to a project, while its JSON is being received.
///
/// An event belongs to the directory that it names. OpenCode writes the directory first, so the decision is usually
/// immediate. A `session.moved` event belongs to both the old and the new directory. An event that names only a session
/// belongs to the session's directory. An event that names only a project belongs to that project. Any other event
/// concerns the whole server and passes to all clients.
struct EventJudgement: Sendable {
    /// The decision about an event's bytes.
    enum Fate { case undecided, passes, isRemoved }

    /// The number of bytes that are read after the decision about an event, to find other information in the event.
    /// OpenCode writes a session and its directory at the beginning of an event.
    private static let afterthought = 1_024

    private(set) var fate = Fate.undecided
    /// Whether further data of the event is useful.
    private(set) var isReading = true
    private var reader = JSONStringReader(EventSubject.paths)
    private var subject = EventSubject()
    private var allowance = Self.afterthought

    /// Prepares for another event without releasing memory.
    mutating func reset() {
        reader.reset()
        subject = EventSubject()
        fate = .undecided
        isReading = true
        allowance = Self.afterthought
    }

    /// Decides to remove the event, because it cannot be evaluated.
    mutating func remove() { fate = .isRemoved }

    /// Reads the next bytes of the event's data.
    ///
    /// - Parameter hasPendingUpdates: Whether updates are missing (``EventSessionIndex/hasPendingUpdates``). While
    ///   updates are missing, no event is removed.
    mutating func scan(_ data: borrowing Span<UInt8>, in scope: DirectoryScope, hasPendingUpdates: Bool) {
        var index = 0
        while isReading, index < data.count {
            // Read a `session.moved` event to its end, because the new directory is always needed and can be anywhere
            // in the event.
            let isDecided = fate != .undecided && subject.kind != .moved
            let chunk = data.extracting(index..<(isDecided ? min(data.count, index + allowance) : data.count))
            var consumed = 0
            let finding = reader.next(chunk, &consumed)
            index += consumed
            if isDecided { allowance -= consumed }
            if let finding {
                subject.store(finding)
                decideEarly(in: scope, hasPendingUpdates)
            }
            if reader.hasEnded {
                isReading = false
                if fate == .undecided, subject.namesNoSubject { fate = .passes }
            } else if fate != .undecided {
                isReading = subject.isIncomplete && (allowance > 0 || subject.kind == .moved)
            }
        }
    }

    /// Ends the event: stores the event's information, and makes the decision. Returns the query that the decision
    /// needs, if any.
    mutating func finish(_ index: inout EventSessionIndex, in scope: DirectoryScope) -> EventSessionIndex.Query? {
        if let session = subject.session, let directory = subject.sessionDirectory {
            index.sessions.record(session, directory)
        }
        var query: EventSessionIndex.Query?
        if fate == .undecided {
            query = decide(index, in: scope)
            if fate != .passes, index.hasPendingUpdates { query = wait(.updates) }
        }
        if subject.mayChangeProject, fate != .isRemoved { index.projectMayHaveChanged() }
        return query
    }

    /// Makes the decision after a query was resolved or has failed. Returns a further query only after a query for the
    /// pending updates.
    mutating func settle(
        _ query: EventSessionIndex.Query, _ index: EventSessionIndex, in scope: DirectoryScope
    ) -> EventSessionIndex.Query? {
        let next = decide(index, in: scope)
        if query == .updates { return next }
        if next != nil { fate = .isRemoved }
        return nil
    }

    /// Makes the decision as soon as the values that have been read are sufficient.
    private mutating func decideEarly(in scope: DirectoryScope, _ hasPendingUpdates: Bool) {
        guard fate == .undecided, let known = fateByDirectory(in: scope), known == .passes || !hasPendingUpdates else {
            return
        }
        fate = known
    }

    /// Returns the decision about an event that names a directory. Returns nil if the event names no directory, or if a
    /// relevant value has not been read.
    private func fateByDirectory(in scope: DirectoryScope) -> Fate? {
        guard let directory = subject.directory else { return nil }
        if Self.isInScope(directory, scope) { return .passes }
        if subject.kind == .moved {
            return subject.newDirectory.map { Self.isInScope($0, scope) ? .passes : .isRemoved }
        }
        return subject.kind != nil || subject.isWrapped ? .isRemoved : nil
    }

    private mutating func decide(
        _ index: EventSessionIndex, in scope: DirectoryScope
    ) -> EventSessionIndex.Query? {
        fate = fateByDirectory(in: scope) ?? .isRemoved
        guard subject.directory == nil else { return nil }
        if let worktree = subject.worktree, !scope.isRelated(to: worktree[...]) { return nil }
        if let directory = subject.newDirectory {
            if Self.isInScope(directory, scope) { fate = .passes }
        } else if let session = subject.session {
            return decide(session, index, in: scope)
        } else if let project = subject.project {
            if index.project == project { fate = .passes }
            // A `project.updated` event may report that the folder now belongs to a different project. Query the
            // project before this event is removed.
            if index.project == nil || fate != .passes && subject.kind == .projectUpdated { return wait(.project) }
        } else {
            fate = .passes
        }
        return nil
    }

    private mutating func decide(
        _ session: [UInt8], _ index: EventSessionIndex, in scope: DirectoryScope
    ) -> EventSessionIndex.Query? {
        switch index.sessions[session] {
        case .directory(let directory): if Self.isInScope(directory, scope) { fate = .passes }
        case .nowhere: break
        case nil:
            guard SessionIdentifier.isValid(session), !index.unanswered.contains(session) else { return nil }
            return wait(.session(session))
        }
        return nil
    }

    private mutating func wait(_ query: EventSessionIndex.Query) -> EventSessionIndex.Query {
        fate = .undecided
        return query
    }

    private static func isInScope(_ directory: [UInt8], _ scope: DirectoryScope) -> Bool {
        directory.first == UInt8(ascii: "/") && scope.contains(directory[...])
    }
}

/// The known project and sessions of an instance. This information determines which directory an event belongs to if
/// the event names no directory.
package struct EventSessionIndex: Sendable {
    /// Information that is needed to evaluate an event. The instance provides all information except the updates.
    package enum Query: Sendable, Equatable {
        /// The updates that other threads published before the event was read (``hasPendingUpdates``).
        case updates
        /// The directory that this session belongs to.
        case session([UInt8])
        /// The project of the instance's folder.
        case project
    }

    /// The directory that each session belongs to.
    package var sessions = SessionDirectories()
    /// The sessions whose recent query to the instance failed. At present, events do not wait for queries for these
    /// sessions.
    package var unanswered: Set<[UInt8]> = []
    /// The id of the project of the instance's folder; nil if it must be queried.
    package var project: [UInt8]?
    /// Whether other threads have published updates that have not arrived yet. An update concerns new directories of
    /// the project, or the directory of a session. The thread that published the update has admitted a request, and the
    /// next events may result from this request. Therefore, no event is removed before the update arrives.
    package var hasPendingUpdates = false
    /// The number of events that reported a possible change of the project's id. The first commit of a repository
    /// changes the id.
    package private(set) var projectChanges = 0

    /// Creates an index without any information.
    package init() {}

    /// Records that the project's id may have changed.
    mutating func projectMayHaveChanged() {
        project = nil
        projectChanges &+= 1
    }
}
