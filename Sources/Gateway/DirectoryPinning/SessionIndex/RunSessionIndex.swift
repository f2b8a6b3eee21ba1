// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore
import HTTPClient
package import Instances
package import OpenCodeFamilies
internal import Projects

/// The session index of one run, on a loop that receives the run's events. The index itself sends the
/// queries that it needs.
///
/// All streams of the run on this loop share the index, so that the loop sends each query only once. When the first
/// stream whose events may omit their directory begins, the index reads the instance's own session list.
package final class RunSessionIndex {
    let project: ProjectName
    /// The endpoint of the run.
    package let endpoint: InstanceEndpoint
    /// The known sessions and the known project of the run's events.
    package var events = EventSessionIndex()
    /// The number up to which results of ``InstanceRegistry/openCodeProject(_:)`` may be outdated.
    private(set) var staleNumber: UInt64 = 0

    private unowned let loop: LoopSessionIndex
    private var route: RoutingTable.Route
    private var filters: [ObjectIdentifier: EventFilter] = [:]
    private var lookups: Set<[UInt8]> = []
    /// The streams that wait until this thread has received the messages that other threads have already sent.
    private var catchingUp: Set<ObjectIdentifier> = []
    /// The sessions that queries did not find, but that the session list may contain, while the index
    /// still reads the list.
    private var unknown: Set<[UInt8]> = []
    private var filling: SessionFilling?
    private var hasFilled = false
    private var isLookingUpProject = false
    private var reportedChanges = 0
    private var lastNumber: UInt64 = 0
    /// The number of the result in use, and the time since which the index has used this result.
    private var trusted: (number: UInt64, since: MonotonicTime) = (0, .now)
    /// The time after which the index repeats the queries that had no result.
    private var retryTime = MonotonicTime.distantFuture

    /// The time that must pass before the index repeats a query that had no result.
    private static let retry = Duration.seconds(5)
    /// The time for which the index uses a result before another query. The time is limited, because other users may
    /// open clones of the folder.
    private static let trust = Duration.seconds(60)

    init(_ loop: LoopSessionIndex, route: RoutingTable.Route, endpoint: InstanceEndpoint) {
        self.loop = loop
        self.route = route
        self.endpoint = endpoint
        project = route.name
    }

    var generation: UInt64 { endpoint.generation }

    /// Whether a stream receives the run's events, which report changes of the project.
    var isWatched: Bool { !filters.isEmpty }

    /// Adds a stream.
    ///
    /// - Parameter isNative: Whether the stream's events may omit their directory, unlike
    ///   the events of `/global/event`.
    func add(_ filter: EventFilter, isNative: Bool) {
        if filters.isEmpty {
            // While no stream was running, no events reported changes, so earlier results may be outdated.
            staleNumber = max(route.openCodeProject?.number ?? 0, lastNumber)
            events.project = nil
        }
        filters[ObjectIdentifier(filter)] = filter
        if let scope = route.scope { filter.follow(scope) }
        guard isNative, !hasFilled else { return }
        hasFilled = true
        filling = SessionFilling(endpoint, loop.owner.client) { [weak self] session, directory in
            // If events have reported a directory in the meantime, that directory is newer.
            if self?.events.sessions[session] == nil { self?.events.sessions.record(session, directory) }
        } finished: { [weak self] in
            self?.filled()
        }
        filling?.start()
    }

    /// Removes a stream that has ended.
    func remove(_ filter: EventFilter) {
        filters[ObjectIdentifier(filter)] = nil
        catchingUp.remove(ObjectIdentifier(filter))
    }

    /// Applies the project's route from a new routing table.
    func follow(_ route: RoutingTable.Route?) {
        guard let route else { return }
        self.route = route
        guard let scope = route.scope else { return }
        for filter in filters.values { filter.follow(scope) }
    }

    /// Records a session's directory, which another thread has found.
    func record(_ session: [UInt8], _ location: SessionDirectories.Location) {
        guard case .directory(let directory) = location else { return }
        events.sessions.record(session, directory)
        settle(.session(session))
    }

    /// Returns whether the index still trusts a published result.
    func trusts(_ openCodeProject: OpenCodeProject) -> Bool {
        guard isWatched, openCodeProject.number > staleNumber else { return false }
        if trusted.number != openCodeProject.number { trusted = (openCodeProject.number, loop.owner.loop.now) }
        guard loop.owner.loop.now - trusted.since < Self.trust else {
            staleNumber = openCodeProject.number
            return false
        }
        return true
    }

    // MARK: Queries of streams

    /// Prepares the index for the next bytes of a stream.
    func willFilter() {
        events.hasPendingUpdates = loop.owner.hasUnread
        guard !events.unanswered.isEmpty, loop.owner.loop.now > retryTime else { return }
        events.unanswered = []
    }

    /// Starts the query whose result a stream needs before it can continue.
    func filtered(_ filter: EventFilter) {
        reportProjectChange()
        switch filter.query {
        case .updates: catchUp(filter)
        case .session(let session): lookUpDirectory(for: session)
        case .project: lookUpProject()
        case nil: break
        }
    }

    /// Resumes a stream after this thread has received the pending messages. Each stream waits separately, because
    /// another stream's wait may have begun before the message that this stream needs was sent.
    private func catchUp(_ filter: EventFilter) {
        guard catchingUp.insert(ObjectIdentifier(filter)).inserted else { return }
        loop.catchUp { [weak self, weak filter] in
            guard let self, let filter, catchingUp.remove(ObjectIdentifier(filter)) != nil else { return }
            if filter.query == .updates { filter.resume() }
        }
    }

    private func reportProjectChange() {
        guard events.projectChanges != reportedChanges else { return }
        reportedChanges = events.projectChanges
        let number = max(route.openCodeProject?.number ?? 0, lastNumber)
        guard number > staleNumber else { return }
        staleNumber = number
        loop.reportChange(project, number: number)
    }

    private func lookUpProject() {
        guard !isLookingUpProject else { return }
        isLookingUpProject = true
        loop.lookUpProject(of: route, newerThan: staleNumber) { [weak self] openCodeProject in
            self?.projectAnswered(openCodeProject)
        }
    }

    private func projectAnswered(_ openCodeProject: OpenCodeProject?) {
        isLookingUpProject = false
        if let openCodeProject {
            lastNumber = max(lastNumber, openCodeProject.number)
            events.project = openCodeProject.id
        }
        settle(.project)
    }

    private func lookUpDirectory(for session: [UInt8]) {
        guard !unknown.contains(session), lookups.insert(session).inserted else { return }
        guard let target = SessionLookup.path(of: session, for: endpoint.family) else {
            return settle(.session(session))
        }
        let query = InstanceQuery(
            endpoint: endpoint, target: target, timeout: loop.owner.lookupTimeout)
        query.send(through: loop.owner.client) { [weak self] reply in self?.sessionAnswered(session, reply) }
    }

    private func sessionAnswered(_ session: [UInt8], _ reply: InstanceReply?) {
        lookups.remove(session)
        let location = reply.flatMap { SessionLookup.location(status: $0.status, body: $0.body, for: endpoint.family) }
        // If events or other loops have reported a directory in the meantime, that directory is newer.
        if events.sessions[session] == nil {
            switch location {
            case .directory(let directory)?: events.sessions.record(session, directory)
            case .nowhere?:
                guard filling == nil else {
                    unknown.insert(session)
                    return
                }
                events.sessions.recordMissing(session)
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
            if events.sessions[session] == nil { events.sessions.recordMissing(session) }
            settle(.session(session))
        }
    }

    /// Resumes the streams that wait for this query.
    private func settle(_ query: EventSessionIndex.Query) {
        for filter in filters.values where filter.query == query { filter.resume() }
    }
}
