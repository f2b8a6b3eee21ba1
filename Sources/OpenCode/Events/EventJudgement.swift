/// Judges whether one event is a project's, while its JSON passes by.
///
/// An event belongs to the directory that it names, which OpenCode writes first, so that is mostly known at once. Of
/// `session.moved` the old directory and the new one both count. An event without a directory belongs to its session's, one
/// that is about a project as such to that project; everything else is the whole server's, and so everybody's.
struct EventJudgement: Sendable {
    /// What becomes of an event's bytes.
    enum Fate { case undecided, passes, isLeftOut }

    /// How much is read of an event whose fate is known, for what else it tells: sessions and their directories stand at an
    /// event's beginning.
    private static let afterthought = 1_024

    private(set) var fate = Fate.undecided
    /// Whether the event's data are still worth reading.
    private(set) var isReading = true
    private var reader = JSONStringReader(EventSubject.places)
    private var subject = EventSubject()
    private var allowance = Self.afterthought

    /// Begins with another event; keeps its memory.
    mutating func reset() {
        reader.reset()
        subject = EventSubject()
        fate = .undecided
        isReading = true
        allowance = Self.afterthought
    }

    /// The event can't be judged.
    mutating func leaveOut() { fate = .isLeftOut }

    /// Takes the next bytes of the event's data. `isBehind`: nothing is left out yet (``EventSessionIndex/isBehind``).
    mutating func read(_ data: borrowing Span<UInt8>, in scope: DirectoryScope, isBehind: Bool) {
        var index = 0
        while isReading, index < data.count {
            // Where a session has moved to is wanted wherever that stands.
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

    /// The event is whole: what it tells is kept, and whose it is decided; answers what has to be asked for that.
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

    /// What was asked for is known now, or will not be: decides without asking again. Only behind the news that were waited for
    /// something else may have to be asked.
    mutating func settle(
        _ question: EventSessionIndex.Question, _ knowledge: EventSessionIndex, in scope: DirectoryScope
    ) -> EventSessionIndex.Question? {
        let next = decide(knowledge, in: scope)
        if question == .news { return next }
        if next != nil { fate = .isLeftOut }
        return nil
    }

    /// Decides as soon as what counts most has been read.
    private mutating func decideEarly(in scope: DirectoryScope, _ isBehind: Bool) {
        guard fate == .undecided, let known = fateByDirectory(in: scope), known == .passes || !isBehind else { return }
        fate = known
    }

    /// What becomes of an event that names a directory; nil where it names none, or not all that counts was read.
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
            // That the folder's own project is another one now is told by the same event.
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

/// What is known of an instance's project and sessions: by that events are judged that name no directory.
package struct EventSessionIndex: Sendable {
    /// Something that has to be known before an event can be judged: of the instance, but for the news.
    package enum Question: Sendable, Equatable {
        /// What other threads have told before the event was read (``isBehind``).
        case news
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
    /// Whether other threads have told something that was not received yet. It may be of new directories of the project's, or where
    /// a session is, and whoever has told it let a request go on that the event may come of: nothing is left out before.
    package var isBehind = false
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
