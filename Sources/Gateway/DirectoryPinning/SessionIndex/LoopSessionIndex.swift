// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore
package import Instances
package import OpenCodeFamilies
internal import Projects

/// The session index of one loop: the OpenCode project of each project's folder, and the directories of sessions. The
/// index is confined to its loop.
package final class LoopSessionIndex {
    unowned let owner: any SessionIndexOwner
    private var runs: [Int: RunSessionIndex] = [:]
    private var calls: [Int: (OpenCodeProject?) -> Void] = [:]
    private var scopeCalls: [Int: (DirectoryScope?) -> Void] = [:]
    private var catchUpCalls: [Int: () -> Void] = [:]
    private var callCount = 0
    /// The generation of the last run that is known to have opened the project's folder, by the instance's slot.
    private var openRuns: [Int: UInt64] = [:]
    /// The runs to which this loop has sent a request to open the folder.
    private var openings: Set<Run> = []
    /// The callbacks that wait until a run has opened the folder, by run.
    private var folderCalls: [Run: [() -> Void]] = [:]

    /// A run of an instance.
    private struct Run: Hashable {
        let slot: Int
        let generation: UInt64
    }

    /// Creates an index without any projects or sessions.
    package init(_ owner: any SessionIndexOwner) { self.owner = owner }

    /// Applies a message from another thread.
    package func receive(_ message: SessionIndexMessage) {
        switch message {
        case .openCodeProject(let call, let openCodeProject): calls.removeValue(forKey: call)?(openCodeProject)
        case .directories(let call, let scope): scopeCalls.removeValue(forKey: call)?(scope)
        case .caughtUp(let call): catchUpCalls.removeValue(forKey: call)?()
        case .opened(let slot, let generation): opened(Run(slot: slot, generation: generation))
        case .session(let slot, let generation, let id, let location):
            guard let run = runs[slot], run.generation == generation else { return }
            run.record(id, location)
        }
    }

    /// Applies a changed routing table: forgets runs that have ended, and updates the directories of the streams.
    package func follow(_ routes: RoutingTable) {
        for (slot, run) in runs where routes.route(to: run.project)?.endpoint?.generation != run.generation {
            runs[slot] = nil
        }
        for run in runs.values { run.follow(routes.route(to: run.project)) }
    }

    /// Returns the session index of the run at this endpoint; nil if this loop has no index of the run.
    func run(_ endpoint: InstanceEndpoint) -> RunSessionIndex? {
        guard let run = runs[endpoint.slot], run.generation == endpoint.generation else { return nil }
        return run
    }

    /// Returns the session index of a run, and creates the index if necessary. Called when a stream starts to follow
    /// the run's events.
    package func startRun(_ route: RoutingTable.Route, _ endpoint: InstanceEndpoint) -> RunSessionIndex {
        if let known = run(endpoint) { return known }
        let run = RunSessionIndex(self, route: owner.routes.route(to: route.name) ?? route, endpoint: endpoint)
        runs[endpoint.slot] = run
        return run
    }

    // MARK: Updates

    /// Calls `proceed` after this thread has received all messages that other threads sent before the call.
    func catchUp(proceed: @escaping () -> Void) {
        guard let post = owner.sessionIndexPost else { return proceed() }
        callCount += 1
        catchUpCalls[callCount] = proceed
        post(.caughtUp(call: callCount))
    }

    // MARK: Open folders

    /// The maximum time for an instance to open the project's folder. After this time, the gateway sends the waiting
    /// requests although the folder may not be open.
    private static let openingTimeout = Duration.seconds(5)

    /// Returns whether the run is known to have opened the project's folder. The first response to a request about the
    /// project shows that the folder is open.
    package func isOpen(_ endpoint: InstanceEndpoint) -> Bool { openRuns[endpoint.slot] == endpoint.generation }

    /// Records on all loops that the run has opened the project's folder.
    func markOpen(_ endpoint: InstanceEndpoint) {
        guard !isOpen(endpoint) else { return }
        openRuns[endpoint.slot] = max(openRuns[endpoint.slot] ?? 0, endpoint.generation)
        // The current loop also receives the message, and then calls the waiting callbacks.
        owner.broadcast(.opened(slot: endpoint.slot, generation: endpoint.generation))
    }

    private func opened(_ run: Run) {
        openRuns[run.slot] = max(openRuns[run.slot] ?? 0, run.generation)
        for proceed in folderCalls.removeValue(forKey: run) ?? [] { proceed() }
    }

    /// Waits until an OpenCode 1 instance has opened the project's folder.
    ///
    /// - Parameters:
    ///   - proceed: Called once, after the folder was opened or the time limit has passed.
    ///   - open: Called if the folder is not open and no other call waits for this run. The closure must cause one loop
    ///     to call ``openFolder(_:)``.
    func awaitFolder(_ endpoint: InstanceEndpoint, proceed: @escaping () -> Void, open: @escaping () -> Void) {
        catchUp { [weak self] in
            guard let self, !isOpen(endpoint) else { return proceed() }
            let run = Run(slot: endpoint.slot, generation: endpoint.generation)
            let isFirst = folderCalls[run] == nil
            folderCalls[run, default: []].append(proceed)
            if isFirst { open() }
        }
    }

    /// Makes an OpenCode 1 instance open the project's folder with `GET /path`. After any response or the time
    /// limit, reports to all loops that the folder is open. Call this method on one loop only, so that each
    /// run receives one request.
    func openFolder(_ endpoint: InstanceEndpoint) {
        let run = Run(slot: endpoint.slot, generation: endpoint.generation)
        // The loop that requested the opening may not have received the report yet, so repeat the report.
        guard !isOpen(endpoint) else { return owner.broadcast(.opened(slot: run.slot, generation: run.generation)) }
        guard openings.insert(run).inserted else { return }
        let query = InstanceQuery(endpoint: endpoint, target: Array("/path".utf8), timeout: Self.openingTimeout)
        query.send(through: owner.client) { [weak self] _ in
            self?.openings.remove(run)
            self?.markOpen(endpoint)
        }
    }

    // MARK: Directories

    /// Requests the current directories of a project.
    ///
    /// - Parameter proceed: Called once with the directories; nil if they are not available.
    func lookUpDirectories(of name: ProjectName, proceed: @escaping (DirectoryScope?) -> Void) {
        guard let post = owner.sessionIndexPost else { return proceed(nil) }
        callCount += 1
        let call = callCount
        scopeCalls[call] = proceed
        let control = owner.control
        Task { post(.directories(call: call, await control.directories(of: name))) }
    }

    // MARK: OpenCode projects

    /// Returns the OpenCode project of an instance's folder; nil if the project is not known. The project is known only
    /// while a stream on this loop follows the instance's events, because these events report changes of the project.
    package func knownProject(_ route: RoutingTable.Route) -> OpenCodeProject? {
        guard let openCodeProject = route.openCodeProject, let endpoint = route.endpoint, let run = run(endpoint),
            run.trusts(openCodeProject)
        else {
            return nil
        }
        return openCodeProject
    }

    /// Requests the OpenCode project of an instance's folder. Repeats the request if an event reports a change while
    /// the request is pending.
    ///
    /// - Parameters:
    ///   - number: The number of the result must be greater than this number.
    ///   - attempts: The maximum number of requests.
    ///   - proceed: Called once with the project; nil if it is not available.
    package func lookUpProject(
        of route: RoutingTable.Route, newerThan number: UInt64 = 0, attempts: Int = 3,
        proceed: @escaping (OpenCodeProject?) -> Void
    ) {
        guard let post = owner.sessionIndexPost else { return proceed(nil) }
        callCount += 1
        let call = callCount
        let run = route.endpoint.flatMap(run)
        let changeCount = run?.events.projectChanges
        calls[call] = { [unowned self] openCodeProject in
            guard let openCodeProject, let run, run.events.projectChanges != changeCount, attempts > 1 else {
                return proceed(openCodeProject)
            }
            lookUpProject(of: route, newerThan: openCodeProject.number, attempts: attempts - 1, proceed: proceed)
        }
        let query = ProjectLookup(
            name: route.name, isWatched: run?.isWatched ?? false, newerThan: max(number, run?.staleNumber ?? 0))
        let control = owner.control
        Task { post(.openCodeProject(call: call, await control.openCodeProject(query))) }
    }

    /// Reports to the control plane that the project in the result with this number may be outdated.
    func reportChange(_ project: ProjectName, number: UInt64) {
        let control = owner.control
        Task { await control.projectMayHaveChanged(of: project, number: number) }
    }

    // MARK: Sessions

    /// Sends the directory of a session to all loops, and then calls `proceed`, which removes the session. After the
    /// removal, the instance can no longer report the directory.
    func remember(_ session: [UInt8], of route: RoutingTable.Route, proceed: @escaping () -> Void) {
        guard let endpoint = route.endpoint, let target = SessionLookup.path(of: session, for: endpoint.family) else {
            return proceed()
        }
        if case .directory(let directory)? = run(endpoint)?.events.sessions[session] {
            notifyPeers(session, in: .directory(directory), of: endpoint)
            return proceed()
        }
        let query = InstanceQuery(endpoint: endpoint, target: target, timeout: owner.lookupTimeout)
        query.send(through: owner.client) { [weak self] reply in
            if let reply,
                case .directory(let directory)? = SessionLookup.location(
                    status: reply.status, body: reply.body, for: endpoint.family)
            {
                self?.notifyPeers(session, in: .directory(directory), of: endpoint)
            }
            proceed()
        }
    }

    /// Finds the directories of sessions. Asks the instance for each session that no event has reported.
    ///
    /// - Parameter proceed: Called once with the location of each session; nil if the instance has not reported it.
    package func locate(
        _ sessions: Set<[UInt8]>, at route: RoutingTable.Route,
        proceed: @escaping ([[UInt8]: SessionDirectories.Location?]) -> Void
    ) {
        guard let endpoint = route.endpoint, !sessions.isEmpty else { return proceed([:]) }
        let lookup = SessionLookups(count: sessions.count, proceed: proceed)
        for session in sessions {
            if let known = run(endpoint)?.events.sessions[session] {
                lookup.add(session, known)
                continue
            }
            guard let target = SessionLookup.path(of: session, for: endpoint.family) else {
                lookup.add(session, nil)
                continue
            }
            let query = InstanceQuery(endpoint: endpoint, target: target, timeout: owner.lookupTimeout)
            query.send(through: owner.client) { reply in
                lookup.add(
                    session,
                    reply.flatMap {
                        SessionLookup.location(status: $0.status, body: $0.body, for: endpoint.family)
                    })
            }
        }
    }

    /// The results of several look-ups.
    private final class SessionLookups {
        private var missing: Int
        private var locations: [[UInt8]: SessionDirectories.Location?] = [:]
        private let proceed: ([[UInt8]: SessionDirectories.Location?]) -> Void

        init(count: Int, proceed: @escaping ([[UInt8]: SessionDirectories.Location?]) -> Void) {
            missing = count
            self.proceed = proceed
        }

        func add(_ session: [UInt8], _ location: SessionDirectories.Location?) {
            locations[session] = .some(location)
            missing -= 1
            if missing == 0 { proceed(locations) }
        }
    }

    private func notifyPeers(
        _ session: [UInt8], in location: SessionDirectories.Location, of endpoint: InstanceEndpoint
    ) {
        owner.broadcast(.session(slot: endpoint.slot, generation: endpoint.generation, id: session, location))
    }
}
