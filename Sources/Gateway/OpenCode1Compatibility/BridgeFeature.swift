// SPDX-License-Identifier: Apache-2.0

import Dialects
package import DirectoryPinning
import EventLoop
package import EventStreaming
package import GatewayCore
import HTTPServer
internal import Instances
import OpenCodeFamilies

/// A loop's part of the bridge, with the requests that it currently serves. The feature is confined to its loop.
package final class BridgeFeature {
    /// A task to start or resume.
    struct Resumption {
        let run: Int
        let transport: LoopTransport
        /// Whether the task may compute for a millisecond or more before it suspends again.
        let isLong: Bool
        let start: () -> Void
    }

    unowned let owner: GatewayLoop
    let executor: BridgeExecutor
    let threads: BridgeThreads
    let pinning: DirectoryPinningFeature
    /// The loop's event streams; nil if the hub is off.
    let events: EventStreamFeature?
    private var runs: [Int: BridgeRun] = [:]
    private var count = 0
    /// The tasks that the loop starts or resumes at the end of the pass.
    private var resumptions: [Resumption] = []
    /// The requests whose bodies are still arriving.
    private var arriving: [ObjectIdentifier: BridgeExchange] = [:]

    /// Creates the feature.
    ///
    /// - Parameter events: The loop's event streams; nil if the hub is off.
    package init(
        _ owner: GatewayLoop, _ threads: BridgeThreads, pinning: DirectoryPinningFeature, events: EventStreamFeature?
    ) {
        self.owner = owner
        self.threads = threads
        executor = BridgeExecutor(threads)
        self.pinning = pinning
        self.events = events
        events?.turnReached = { [unowned self] in runs[$0]?.streamed() }
    }

    /// Registers a run. Returns its number.
    func add(_ run: BridgeRun) -> Int {
        count += 1
        runs[count] = run
        return count
    }

    func remove(_ number: Int) { runs[number] = nil }

    /// Starts or resumes the task of a run at the end of the pass, when no other object is processing an event.
    func resumeAtEndOfPass(_ resumption: Resumption) {
        if resumptions.isEmpty { owner.loop.atEndOfPass(self) }
        resumptions.append(resumption)
    }

    /// Records whether a request's body is still arriving.
    func arrives(_ exchange: BridgeExchange, _ isArriving: Bool) {
        arriving[ObjectIdentifier(exchange)] = isArriving ? exchange : nil
    }

    func receive(_ message: BridgeMessage) {
        switch message {
        case .perform(let number, let operation): operation(self, runs[number])
        case .locked(let number, let session):
            if let run = runs[number] { run.locked(session) } else { threads.locks.release(session) }
        }
    }
}

extension BridgeFeature: InstanceRequestHandler {
    /// Serves a request in OpenCode 1's API to an OpenCode 2 instance, unless the request must be forwarded.
    package func handle(_ request: inout InstanceRequest) -> Bool {
        let policy = request.policy
        guard request.route.isOpenCode2, policy.isOpenCode1Compatible, BridgeRequest.isPossible(request.target),
            let handling = BridgeRequest.parse(
                request.connection.head, request.target, of: request.route, isPinned: policy.pinsDirectories,
                hasHub: events != nil)
        else { return false }
        switch handling {
        case .bridged(let translated, let namesDirectory):
            let wantsProject = !namesDirectory || translated["scope"] == "project" || translated["path"] != nil
            if wantsProject, policy.pinsDirectories, translated.path == ["session"], translated.method == "GET" {
                list(translated, request)
            } else {
                BridgeExchange(self, request, translated: translated).start()
            }
            return true
        case .terminal(let target):
            request.target = target[...]
            request.withholdsDirectory = true
            return false
        case .refused(let error):
            owner.answer(request.connection, OpenCode1Error.answer(to: error))
            return true
        }
    }

    /// Lists the sessions of the whole project, including subdirectories and worktrees, for a client that names no
    /// directory or requests the scope `project`. If the gateway cannot distinguish the project's sessions from other
    /// projects' sessions, the request remains unchanged.
    private func list(_ translated: ClientRequest, _ request: InstanceRequest) {
        if let openCodeProject = pinning.sessions.knownProject(request.route) {
            return BridgeExchange(self, request, translated: Self.list(translated, of: openCodeProject)).start()
        }
        let held = owner.hold(request)
        pinning.sessions.lookUpProject(of: request.route) { [unowned self] openCodeProject in
            guard let request = held.release() else { return }
            BridgeExchange(self, request, translated: Self.list(translated, of: openCodeProject)).start()
        }
    }

    private static func list(_ request: ClientRequest, of openCodeProject: OpenCodeProject?) -> ClientRequest {
        guard let openCodeProject, !openCodeProject.isShared else { return request }
        var request = request
        request.project = String(decoding: openCodeProject.id, as: UTF8.self)
        return request
    }

    /// Checks all runs against a new routing table.
    package func routesChanged() {
        for run in Array(runs.values) { run.routesChanged() }
    }

    /// Ends all requests after the time limit of the gateway's shutdown.
    package func endRequests() {
        for run in Array(runs.values) { run.failAtShutdown() }
        for exchange in Array(arriving.values) { exchange.giveUp() }
    }
}

extension BridgeFeature: PassHandler {
    /// Starts and resumes the tasks of this pass.
    package func passEnded() {
        let tasks = resumptions
        resumptions.removeAll(keepingCapacity: true)
        for task in tasks {
            if task.isLong {
                executor.resume(isLong: true, task.start)
            } else {
                let operations = task.transport.operations {
                    executor.resume(isLong: false, task.start)
                    executor.runJobs()
                }
                for operation in operations { operation(self, runs[task.run]) }
            }
        }
    }
}
