// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// Decides whether one event belongs to a project, while its JSON passes by.
///
/// An event belongs to the directory that it names. OpenCode writes the directory first, so the decision is mostly
/// immediate. For `session.moved` both the old directory and the new one count. An event without a directory belongs to
/// its session's directory, and an event about a project itself to that project. Every other event is about the whole
/// server, so it passes to all clients.
struct EventJudgement: Sendable {
    /// The decision about an event's bytes.
    enum Fate { case undecided, passes, isLeftOut }

    /// The number of bytes read of an event whose fate is decided, for the other information in it: sessions and their
    /// directories are at an event's beginning.
    private static let afterthought = 1_024

    private(set) var fate = Fate.undecided
    /// Whether the event's data are still worth reading.
    private(set) var isReading = true
    private var reader = JSONStringReader(EventSubject.places)
    private var subject = EventSubject()
    private var allowance = Self.afterthought

    /// Begins another event; keeps the memory.
    mutating func reset() {
        reader.reset()
        subject = EventSubject()
        fate = .undecided
        isReading = true
        allowance = Self.afterthought
    }

    /// Removes the event, which cannot be evaluated.
    mutating func leaveOut() { fate = .isLeftOut }

    /// Reads the next bytes of the event's data. `isBehind`: no event is removed yet (``EventSessionIndex/isBehind``).
    mutating func read(_ data: borrowing Span<UInt8>, in scope: DirectoryScope, isBehind: Bool) {
        var index = 0
        while isReading, index < data.count {
            // The new directory of a moved session is needed, wherever it is in the event.
            let isDecided = fate != .undecided && subject.kind != .moved
            let piece = data.extracting(index..<(isDecided ? min(data.count, index + allowance) : data.count))
            var taken = 0
            let finding = reader.next(piece, &taken)
            index += taken
            if isDecided { allowance -= taken }
            if let finding {
                subject.take(finding)
                decideEarly(in: scope, isBehind)
            }
            if reader.hasEnded {
                isReading = false
                if fate == .undecided, subject.isNobodys { fate = .passes }
            } else if fate != .undecided {
                isReading = subject.isIncomplete && (allowance > 0 || subject.kind == .moved)
            }
        }
    }

    /// Ends the event: stores the information in it, decides its fate, and returns the query that the decision needs.
    mutating func end(_ knowledge: inout EventSessionIndex, in scope: DirectoryScope) -> EventSessionIndex.Question? {
        if let session = subject.session, let directory = subject.sessionDirectory {
            knowledge.sessions.learn(session, directory)
        }
        var question: EventSessionIndex.Question?
        if fate == .undecided {
            question = decide(knowledge, in: scope)
            if fate != .passes, knowledge.isBehind { question = ask(.news) }
        }
        if subject.tellsOfProject, fate != .isLeftOut { knowledge.projectMayHaveChanged() }
        return question
    }

    /// Decides without another query, after a query was resolved or has failed. Only after the pending updates have
    /// arrived may another query be needed.
    mutating func settle(
        _ question: EventSessionIndex.Question, _ knowledge: EventSessionIndex, in scope: DirectoryScope
    ) -> EventSessionIndex.Question? {
        let next = decide(knowledge, in: scope)
        if question == .news { return next }
        if next != nil { fate = .isLeftOut }
        return nil
    }

    /// Decides as soon as the most important values have been read.
    private mutating func decideEarly(in scope: DirectoryScope, _ isBehind: Bool) {
        guard fate == .undecided, let known = fateByDirectory(in: scope), known == .passes || !isBehind else { return }
        fate = known
    }

    /// Returns the fate of an event that names a directory; nil where it names none, or where not all relevant values
    /// were read.
    private func fateByDirectory(in scope: DirectoryScope) -> Fate? {
        guard let directory = subject.directory else { return nil }
        if Self.isOwn(directory, scope) { return .passes }
        if subject.kind == .moved { return subject.newDirectory.map { Self.isOwn($0, scope) ? .passes : .isLeftOut } }
        return subject.kind != nil || subject.isWrapped ? .isLeftOut : nil
    }

    private mutating func decide(
        _ knowledge: EventSessionIndex, in scope: DirectoryScope
    ) -> EventSessionIndex.Question? {
        fate = fateByDirectory(in: scope) ?? .isLeftOut
        guard subject.directory == nil else { return nil }
        if let worktree = subject.worktree, !scope.isRelated(to: worktree[...]) { return nil }
        if let directory = subject.newDirectory {
            if Self.isOwn(directory, scope) { fate = .passes }
        } else if let session = subject.session {
            return decide(session, knowledge, in: scope)
        } else if let project = subject.project {
            if knowledge.project == project { fate = .passes }
            // The same event reports that the folder's own project is a different one now.
            if knowledge.project == nil || fate != .passes && subject.kind == .projectUpdated { return ask(.project) }
        } else {
            fate = .passes
        }
        return nil
    }

    private mutating func decide(
        _ session: [UInt8], _ knowledge: EventSessionIndex, in scope: DirectoryScope
    ) -> EventSessionIndex.Question? {
        switch knowledge.sessions[session] {
        case .directory(let directory): if Self.isOwn(directory, scope) { fate = .passes }
        case .nowhere: break
        case nil:
            guard SessionIdentifier.isValid(session), !knowledge.unanswered.contains(session) else { return nil }
            return ask(.session(session))
        }
        return nil
    }

    private mutating func ask(_ question: EventSessionIndex.Question) -> EventSessionIndex.Question {
        fate = .undecided
        return question
    }

    private static func isOwn(_ directory: [UInt8], _ scope: DirectoryScope) -> Bool {
        directory.first == UInt8(ascii: "/") && scope.holds(directory[...])
    }
}

/// The known project and sessions of an instance, which decide about events that name no directory.
package struct EventSessionIndex: Sendable {
    /// Information that must be known before an event can be evaluated: from the instance, except for updates.
    package enum Question: Sendable, Equatable {
        /// The updates that other threads published before the event was read (``isBehind``).
        case news
        /// The directory that this session belongs to.
        case session([UInt8])
        /// The project of the instance's folder.
        case project
    }

    /// The directory that each session belongs to.
    package var sessions = SessionDirectories()
    /// The sessions for which a recent query to the instance failed. No event waits for them now.
    package var unanswered: Set<[UInt8]> = []
    /// The id of the project of the instance's folder; nil if it must be queried.
    package var project: [UInt8]?
    /// Whether other threads have published an update that was not received yet. It may be about new directories of the
    /// project, or the directory of a session. The publishing thread has let a request continue that may cause the
    /// event, so no event is removed before the update arrives.
    package var isBehind = false
    /// The number of events that reported a possible change of this id: the first commit of a repository changes it.
    package private(set) var projectNews = 0

    /// Creates an index without any information.
    package init() {}

    /// Records that the project's id may have changed.
    mutating func projectMayHaveChanged() {
        project = nil
        projectNews &+= 1
    }
}
