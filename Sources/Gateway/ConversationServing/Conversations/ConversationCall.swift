// SPDX-License-Identifier: Apache-2.0

import Access
import Conversations
import Dialects
import EventLoop
import EventStreaming
import GatewayCore
import HTTPServer
internal import Instances
import OpenCode1Compatibility
import OpenCodeFamilies
internal import Projects

/// A request to a project's OpenCode. If OpenCode is not running, a client's request starts it.
///
/// A call that cannot be sent yet waits in its project (``ConversationProject/wait(_:)``). It waits until the routing
/// table or the project's snapshot changes, or until its time limit.
final class ConversationCall {
    /// The result of a request on the loop.
    enum Reply: Sendable {
        case answer(OpenCodeAnswer)
        /// The instance is not reachable.
        case notRunning
    }

    /// The time limits of a waiting call.
    struct Limits {
        /// The maximum time from the result of a start until the routing table contains the instance.
        var route = Duration.seconds(1)
        /// The maximum time until the hub receives the instance's events. Events that a prompt causes before that are
        /// missed. After this time the request is sent in any case, and ``ConversationState/check(_:)`` finds the
        /// answers.
        var events = Duration.seconds(10)
    }

    private let project: ConversationProject
    private let request: ClientRequest
    private let initiator: RequestInitiator
    private let limits: Limits
    private var hasStarted = false
    /// The deadline for a started instance to appear in the routing table; nil before the start.
    private var routeDeadline: MonotonicTime?
    /// The deadline for the hub to receive the instance's events; nil unless the call waits for this.
    private var eventsDeadline: MonotonicTime?
    private var answered: ((OpenCodeAnswer) -> Void)?
    private var timer: LoopTimer?

    init(
        _ project: ConversationProject, _ request: ClientRequest, for initiator: RequestInitiator,
        limits: Limits = Limits(), answered: @escaping (OpenCodeAnswer) -> Void
    ) {
        self.project = project
        self.request = request
        self.initiator = initiator
        self.limits = limits
        self.answered = answered
    }

    /// Sends the request, or waits until it can be sent.
    func attempt() {
        if let timer { project.coordinator.loop.withdraw(timer) }
        guard let route = project.coordinator.routes.route(to: project.name), route.isReachable else {
            return handleMissingRoute()
        }
        // A request that only reads causes no events, so it does not wait for the hub.
        if request.method != "GET", let feed = project.feed, !feed.receives(route) {
            let deadline = eventsDeadline ?? .now + limits.events
            eventsDeadline = deadline
            if .now < deadline { return wait(until: deadline) }
        }
        send()
    }

    // MARK: Sending

    private func send() {
        guard let post = project.coordinator.post, let loop = project.coordinator.loops.first else { return }
        let name = project.name
        let request = request
        // The registered handler keeps this object alive.
        let number = project.coordinator.wait { [self] in finish($0) }
        loop.post(.request { Self.send($0, request: request, project: name, number: number, post: post) })
    }

    /// Sends the request on the loop.
    private static func send(
        _ loop: GatewayLoop, request: ClientRequest, project name: ProjectName, number: Int,
        post: @escaping @Sendable (@escaping ConversationService.Work) -> Void
    ) {
        guard let route = loop.snapshot.routes.route(to: name), route.isReachable,
            let bridge = loop.feature(BridgeFeature.self)
        else {
            return post { $0.answered(number, .notRunning) }
        }
        var request = request
        if let scope = route.scope { request.directory = String(decoding: scope.workingDirectory, as: UTF8.self) }
        _ = bridge.send(request, of: route, loop.snapshot.policy) { outcome in
            let answer =
                switch outcome {
                case .answered(let status, let fields, let body):
                    OpenCodeAnswer(status, nextCursor: fields["X-Next-Cursor"], body)
                case .failed(let error): OpenCodeAnswer(error.status, message: error.sentence)
                }
            post { $0.answered(number, .answer(answer)) }
        }
    }

    private func finish(_ reply: Reply) {
        switch reply {
        case .answer(let answer): complete(answer)
        // The loop had a newer routing table. This thread will receive the same table next.
        case .notRunning: handleMissingRoute()
        }
    }

    // MARK: Waiting

    /// Starts the instance on behalf of a client, or waits for the route to an instance that was started.
    private func handleMissingRoute() {
        if let routeDeadline, .now < routeDeadline { return wait(until: routeDeadline) }
        guard case .client(let principal) = initiator, !hasStarted else {
            return fail(InstanceMessage.notRunning(project.name.string))
        }
        hasStarted = true
        start(for: principal)
    }

    private func wait(until deadline: MonotonicTime) {
        let timer = timer ?? project.coordinator.loop.timer(self)
        self.timer = timer
        project.coordinator.loop.arm(timer, at: deadline)
        project.wait(self)
    }

    private func start(for principal: Principal?) {
        guard let post = project.coordinator.post else { return }
        let name = project.name
        let control = project.coordinator.control
        project.coordinator.retain(self)
        let key = ObjectIdentifier(self)
        Task {
            let answer = await control.start(name, for: principal)
            post { $0.retained(key)?.started(answer) }
        }
    }

    private func started(_ answer: StartAnswer) {
        project.coordinator.release(self)
        switch answer {
        case .started, .alreadyRunning:
            routeDeadline = .now + limits.route
            attempt()
        case .pending(let state): fail(InstanceMessage.stillStarting(project.name.string, state))
        case .notFound: fail(InstanceMessage.projectNotFound(project.name.string))
        case .failed(let sentence): fail(sentence)
        }
    }

    private func fail(_ sentence: String) { complete(OpenCodeAnswer(503, message: sentence)) }

    private func complete(_ answer: OpenCodeAnswer) {
        if let timer { project.coordinator.loop.cancel(timer) }
        timer = nil
        let answered = answered
        self.answered = nil
        answered?(answer)
    }
}

extension ConversationCall: TimerHandler {
    func timerFired(_ timer: LoopTimer) { project.resume(self) }
}
