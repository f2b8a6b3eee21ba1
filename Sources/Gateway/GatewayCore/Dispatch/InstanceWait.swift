// SPDX-License-Identifier: Apache-2.0

import EventLoop
import HTTPServer
internal import Instances
internal import Projects

/// The wait of a request for an instance that is about to be ready. A browser's `EventSource` gives up for good at the
/// first 503, so its request waits instead.
final class InstanceWait {
    private unowned let loop: GatewayLoop
    private var connection: ClientConnection?
    private let project: ProjectName
    private let limit: Duration
    private let proceed: (ClientConnection) -> Void
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - limit: The longest wait.
    ///   - proceed: Called when the instance is ready, or will not be ready soon any more.
    init(
        _ loop: GatewayLoop, _ connection: ClientConnection, project: ProjectName, limit: Duration,
        proceed: @escaping (ClientConnection) -> Void
    ) {
        self.loop = loop
        self.connection = connection
        self.project = project
        self.limit = limit
        self.proceed = proceed
    }

    func begin() {
        connection?.exchange = self
        connection?.discardBody()
        guard !loop.isDraining else { return giveUp() }
        loop.held?.add(self)
        let timer = loop.loop.spareTimer(self)
        self.timer = timer
        loop.loop.arm(timer, after: limit)
    }

    @discardableResult
    private func end() -> ClientConnection? {
        defer { connection = nil }
        loop.held?.remove(self)
        if let timer { loop.loop.giveBack(timer) }
        timer = nil
        return connection
    }
}

extension InstanceWait: WaitingRequest {
    func routesChanged() {
        let route = loop.snapshot.routes.route(to: project)
        if let route, !route.isReachable, route.state.isComing { return }
        // Either the instance is ready, or the refusal states the present reason.
        if let connection = end() { proceed(connection) }
    }

    func drain() { giveUp() }

    func giveUp() {
        if let connection = end() { loop.answer(connection, ControlAnswers.shuttingDown) }
    }
}

extension InstanceWait: ServerExchange {
    func requestBodyArrived() { connection?.discardBody() }
    func resumeResponse() {}
    func clientGone() { end() }
}

extension InstanceWait: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        let state = loop.snapshot.routes.route(to: project)?.state
        guard let connection = end() else { return }
        loop.answer(connection, ControlAnswers.notRunning(project.string, state))
    }
}
