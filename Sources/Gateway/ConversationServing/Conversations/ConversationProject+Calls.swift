// SPDX-License-Identifier: Apache-2.0

import Access
import Conversations
import Dialects
import Encodings
import EventLoop
import EventStreaming
import GatewayCore
import HTTPServer
internal import Instances
import OpenCode1Compatibility
import OpenCodeFamilies
internal import Projects

/// The requests to the project's OpenCode, and the other waits of the project's tasks.
extension ConversationProject: ConversationTransport {
    nonisolated var executor: any TaskExecutor { context.executor }

    var now: Int64 { WallClock.milliseconds }

    func random() -> UInt64 { UInt64.random(in: 0...UInt64.max) }

    // MARK: Suspension

    /// Suspends the task until ``resume(_:_:)`` is called with the task's number.
    ///
    /// - Parameters:
    ///   - limit: The time limit; nil if another component limits the time.
    ///   - isCancellable: Whether the cancellation of the task resumes it.
    ///   - start: Starts the operation that the task waits for, and receives the number of the task.
    func suspend(
        _ reason: SuspendedTasks.Reason, atMost limit: Duration?, isCancellable: Bool = true,
        start: (Int) -> Void = { _ in }
    ) async -> SuspendedTasks.Cause {
        guard !Task.isCancelled, !hasEnded else { return .ended }
        let number = nextNumber()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let deadline = limit.map { later($0) { $0.resume(number, .deadline) } }
                suspended.add(
                    SuspendedTasks.Suspension(reason: reason, continuation: continuation, deadline: deadline),
                    number: number)
                start(number)
            }
        } onCancel: {
            // The handler may run on any thread.
            if isCancellable { post { $0.resume(number, .ended) } }
        }
    }

    /// Resumes a task, unless it was resumed before.
    func resume(_ number: Int, _ cause: SuspendedTasks.Cause) {
        guard let suspension = suspended.remove(number) else { return }
        if let deadline = suspension.deadline { context.executor.cancel(deadline) }
        suspension.continuation.resume(returning: cause)
    }

    /// Resumes the tasks that wait for a condition that the state meets now.
    func resumeMetConditions() {
        let met = suspended.numbers { reason in
            if case .state(let isMet) = reason { isMet(state) } else { false }
        }
        for number in met { resume(number, .event) }
    }

    func wait(until isMet: @escaping (ConversationState) -> Bool, atMost limit: Duration)
        async throws(ConversationFailure) -> Bool
    {
        let deadline = MonotonicTime.now + limit
        // The state may have changed again before the resumed task runs.
        while !isMet(state) {
            switch await suspend(.state(isMet), atMost: max(.zero, deadline - .now)) {
            case .event, .reply: continue
            case .deadline: return false
            case .ended: throw .ended
            }
        }
        return true
    }

    /// Suspends the task until all earlier changes are committed. ``CommitQueue/tick()`` limits the time.
    func awaitCommits() async {
        _ = await suspend(.commit, atMost: nil) { number in
            commits.add { self.resume(number, .event) }
        }
    }

    /// Suspends the task until the project has started (``whenReady(_:)``). ``Limits/start`` limits the time.
    func awaitStart() async {
        guard !isReady else { return }
        _ = await suspend(.start, atMost: nil)
    }

    // MARK: Requests

    /// Sends a request to the project's OpenCode, and records its action in the audit log. If OpenCode is not running, a
    /// client's request starts OpenCode. The request then waits until the routing table contains the instance and the hub
    /// receives the instance's events.
    func send(_ request: ClientRequest, for initiator: RequestInitiator)
        async throws(ConversationFailure) -> OpenCodeAnswer
    {
        let entry = auditEntry(of: request, for: initiator)
        do throws(ConversationFailure) {
            let answer = try await sendUnrecorded(request, for: initiator)
            record(entry, status: answer.status)
            return answer
        } catch {
            record(entry, status: 0)
            throw error
        }
    }

    private func sendUnrecorded(_ request: ClientRequest, for initiator: RequestInitiator)
        async throws(ConversationFailure) -> OpenCodeAnswer
    {
        var hasStarted = false
        // The deadline for a started instance to appear in the routing table; nil before the start.
        var routeDeadline: MonotonicTime?
        // The deadline for the hub to receive the instance's events; nil while the request does not wait for the hub.
        var eventsDeadline: MonotonicTime?
        while true {
            guard !Task.isCancelled, !hasEnded else { throw .ended }
            if let route = routes.route(to: name), route.isReachable {
                // A request that only reads causes no events, so it does not wait for the hub.
                if request.method != "GET", let feed, !feed.receives(route) {
                    let deadline = eventsDeadline ?? .now + limits.events
                    eventsDeadline = deadline
                    if .now < deadline {
                        try await awaitRoute(until: deadline)
                        continue
                    }
                }
                // Any other result means that the loop already has a newer routing table, without a route to the
                // instance. This thread receives that table next.
                if case .answer(let answer) = try await sendOverLoop(request) { return answer }
            }
            if let routeDeadline, .now < routeDeadline {
                try await awaitRoute(until: routeDeadline)
                continue
            }
            guard case .client(let principal, _) = initiator, !hasStarted else {
                return unavailable(InstanceMessage.notRunning(name.string))
            }
            hasStarted = true
            // The control plane limits the time of a start.
            let time = now
            let start = await context.control.start(name, for: principal)
            recordStart(start, for: initiator, at: time)
            switch start {
            case .started, .alreadyRunning: routeDeadline = .now + limits.route
            case .pending(let state): return unavailable(InstanceMessage.stillStarting(name.string, state))
            case .notFound: return unavailable(InstanceMessage.projectNotFound(name.string))
            case .failed(let sentence): return unavailable(sentence)
            }
        }
    }

    private func unavailable(_ message: String) -> OpenCodeAnswer { OpenCodeAnswer(503, message: message) }

    private func awaitRoute(until deadline: MonotonicTime) async throws(ConversationFailure) {
        if case .ended = await suspend(.route, atMost: deadline - .now) { throw .ended }
    }

    /// Resumes the requests that wait, because the routing table or the project's snapshot has changed.
    func resumeCalls() {
        let waiting = suspended.numbers { if case .route = $0 { true } else { false } }
        for number in waiting { resume(number, .event) }
    }

    /// Sends a request over a loop and returns the reply. The loop limits the time (``GatewayLimits/answerTimeout``).
    ///
    /// If the request changes something, the task waits for the reply even after a cancellation, so that the state
    /// contains the change.
    private func sendOverLoop(_ request: ClientRequest) async throws(ConversationFailure) -> LoopReply {
        guard let loop = loops.first else { return .notRunning }
        let cause = await suspend(.reply, atMost: nil, isCancellable: request.method == "GET") { number in
            let name = name
            loop.post(
                .request { loop in
                    Self.send(request, over: loop, to: name) { reply in
                        self.post { $0.resume(number, .reply(reply)) }
                    }
                })
        }
        guard case .reply(let reply) = cause else { throw .ended }
        return reply
    }

    /// Sends the request on the loop.
    private static func send(
        _ request: ClientRequest, over loop: GatewayLoop, to name: ProjectName,
        report: @escaping @Sendable (LoopReply) -> Void
    ) {
        guard let route = loop.snapshot.routes.route(to: name), route.isReachable,
            let bridge = loop.feature(BridgeFeature.self)
        else { return report(.notRunning) }
        var request = request
        if let scope = route.scope { request.directory = String(decoding: scope.workingDirectory, as: UTF8.self) }
        _ = bridge.send(request, of: route, loop.snapshot.policy) { outcome in
            switch outcome {
            case .answered(let status, let fields, let body):
                report(.answer(OpenCodeAnswer(status, nextCursor: fields["X-Next-Cursor"], body)))
            case .failed(let error): report(.answer(OpenCodeAnswer(error.status, message: error.sentence)))
            }
        }
    }
}
