import EventLoop
import HTTPClient
internal import Instances
import OpenCode
internal import Projects

/// What one loop knows of one run of an instance whose events it carries, and what it asks for them.
///
/// All streams of the run on this loop share it, so that nothing is asked twice. An instance's own list fills it once, when
/// the first stream begins.
final class RunSessionIndex {
    let project: ProjectName
    let endpoint: InstanceEndpoint
    var events = EventSessionIndex()
    /// The greatest number of an answer to ``InstanceRegistry/ownProject(_:)`` that may be wrong by now.
    private(set) var staleNumber: UInt64 = 0

    private unowned let loop: LoopSessionIndex
    private var route: RoutingTable.Route
    private var filters: [ObjectIdentifier: EventFilter] = [:]
    private var lookups: Set<[UInt8]> = []
    /// The streams that wait for what other threads have told.
    private var catchingUp: Set<ObjectIdentifier> = []
    /// Sessions that the instance does not know and its list, which is being read, may still name.
    private var unknown: Set<[UInt8]> = []
    private var filling: SessionFilling?
    private var hasFilled = false
    private var isAskingProject = false
    private var lastNews = 0
    private var lastNumber: UInt64 = 0
    /// The number of the answer that is gone by, and since when.
    private var trusted: (number: UInt64, since: MonotonicTime) = (0, .now)
    /// When sessions are asked for again for which no answer came.
    private var retryTime = MonotonicTime.distantFuture

    /// How long a session is not asked for again for which no answer came.
    private static let retry = Duration.seconds(5)
    /// How long an answer is gone by without a question: clones of the folder may be opened by others.
    private static let trust = Duration.seconds(60)

    init(_ loop: LoopSessionIndex, _ route: RoutingTable.Route, _ endpoint: InstanceEndpoint) {
        self.loop = loop
        self.route = route
        self.endpoint = endpoint
        project = route.name
    }

    var generation: UInt64 { endpoint.generation }

    /// Whether a stream of its events runs, which tells of changes.
    var isWatched: Bool { !filters.isEmpty }

    /// A stream begins. `isNative`: its events are those that need not name their directory.
    func join(_ filter: EventFilter, isNative: Bool) {
        if filters.isEmpty {
            // What nobody watched may have changed.
            staleNumber = max(route.ownProject?.number ?? 0, lastNumber)
            events.project = nil
        }
        filters[ObjectIdentifier(filter)] = filter
        if let scope = route.scope { filter.follow(scope) }
        guard isNative, !hasFilled else { return }
        hasFilled = true
        filling = SessionFilling(endpoint, loop.owner.client) { [weak self] session, directory in
            // What events have said meanwhile is newer.
            if self?.events.sessions[session] == nil { self?.events.sessions.learn(session, directory) }
        } finished: { [weak self] in
            self?.filled()
        }
        filling?.begin()
    }

    /// A stream has ended.
    func leave(_ filter: EventFilter) {
        filters[ObjectIdentifier(filter)] = nil
        catchingUp.remove(ObjectIdentifier(filter))
    }

    /// The table has another route.
    func follow(_ route: RoutingTable.Route?) {
        guard let route else { return }
        self.route = route
        guard let scope = route.scope else { return }
        for filter in filters.values { filter.follow(scope) }
    }

    /// Where a session is was found out elsewhere.
    func learn(_ session: [UInt8], _ place: SessionDirectories.Place) {
        guard case .directory(let directory) = place else { return }
        events.sessions.learn(session, directory)
        settle(.session(session))
    }

    /// Whether what was published may be gone by.
    func trusts(_ own: OpenCodeProject) -> Bool {
        guard isWatched, own.number > staleNumber else { return false }
        if trusted.number != own.number { trusted = (own.number, loop.owner.loop.now) }
        guard loop.owner.loop.now - trusted.since < Self.trust else {
            staleNumber = own.number
            return false
        }
        return true
    }

    // MARK: Questions of streams

    /// A stream's next bytes are about to be looked at.
    func willFilter() {
        events.isBehind = loop.owner.hasUnread
        guard !events.unanswered.isEmpty, loop.owner.loop.now > retryTime else { return }
        events.unanswered = []
    }

    /// A stream has gone as far as it could.
    func filtered(_ filter: EventFilter) {
        noteNews()
        switch filter.question {
        case .news: catchUp(filter)
        case .session(let session): look(for: session)
        case .project: askProject()
        case nil: break
        }
    }

    /// Each stream for itself: what another one waits for may have been told before.
    private func catchUp(_ filter: EventFilter) {
        guard catchingUp.insert(ObjectIdentifier(filter)).inserted else { return }
        loop.catchUp { [weak self, weak filter] in
            guard let self, let filter, catchingUp.remove(ObjectIdentifier(filter)) != nil else { return }
            if filter.question == .news { filter.goOn() }
        }
    }

    private func noteNews() {
        guard events.projectNews != lastNews else { return }
        lastNews = events.projectNews
        let number = max(route.ownProject?.number ?? 0, lastNumber)
        guard number > staleNumber else { return }
        staleNumber = number
        loop.tellOfChange(project, number: number)
    }

    private func askProject() {
        guard !isAskingProject else { return }
        isAskingProject = true
        loop.askProject(of: route, newerThan: staleNumber) { [weak self] own in self?.projectAnswered(own) }
    }

    private func projectAnswered(_ own: OpenCodeProject?) {
        isAskingProject = false
        if let own {
            lastNumber = max(lastNumber, own.number)
            events.project = own.id
        }
        settle(.project)
    }

    private func look(for session: [UInt8]) {
        guard !unknown.contains(session), lookups.insert(session).inserted else { return }
        guard let target = SessionLookup.path(of: session, for: endpoint.family) else {
            return settle(.session(session))
        }
        let question = InstanceQuery(
            endpoint: endpoint, target: target, timeout: loop.owner.lookupTimeout)
        question.ask(loop.owner.client) { [weak self] reply in self?.sessionAnswered(session, reply) }
    }

    private func sessionAnswered(_ session: [UInt8], _ reply: InstanceReply?) {
        lookups.remove(session)
        let place = reply.flatMap { SessionLookup.place(status: $0.status, body: $0.body, for: endpoint.family) }
        // What events or other loops have said meanwhile is newer.
        if events.sessions[session] == nil {
            switch place {
            case .directory(let directory)?: events.sessions.learn(session, directory)
            case .nowhere?:
                guard filling == nil else {
                    unknown.insert(session)
                    return
                }
                events.sessions.learnMissing(session)
            case nil:
                events.unanswered.insert(session)
                retryTime = loop.owner.loop.now + Self.retry
            }
        }
        settle(.session(session))
    }

    private func filled() {
        filling = nil
        let unknown = unknown
        self.unknown = []
        for session in unknown {
            if events.sessions[session] == nil { events.sessions.learnMissing(session) }
            settle(.session(session))
        }
    }

    /// Lets go on who waits for this.
    private func settle(_ question: EventSessionIndex.Question) {
        for filter in filters.values where filter.question == question { filter.goOn() }
    }
}
