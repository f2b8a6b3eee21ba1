// SPDX-License-Identifier: Apache-2.0

import EventLoop
import HTTPServer
internal import Instances
internal import Projects

/// The wait of a request for an instance that will soon be ready. A browser's `EventSource` never reconnects after a
/// 503, so the gateway holds the request instead of responding with 503.
final class InstanceWait {
    private unowned let loop: GatewayLoop
    private var pending: PendingResponse
    private let project: ProjectName
    private let limit: Duration
    private let proceed: (ClientConnection) -> Void

    /// Creates a wait that has not begun.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait.
    ///   - proceed: Called when the instance is ready, or when the instance can no longer become ready soon.
    init(
        _ loop: GatewayLoop, _ connection: ClientConnection, project: ProjectName, limit: Duration,
        proceed: @escaping (ClientConnection) -> Void
    ) {
        self.loop = loop
        pending = PendingResponse(connection, on: loop.loop)
        self.project = project
        self.limit = limit
        self.proceed = proceed
    }

    func start() {
        pending.attach(self)
        guard !loop.isDraining else { return giveUp() }
        loop.heldRequests?.add(self)
        pending.arm(self, after: limit)
    }

    @discardableResult
    private func release() -> ClientConnection? {
        loop.heldRequests?.remove(self)
        return pending.release()
    }
}

extension InstanceWait: WaitingRequest {
    func routesChanged() {
        let route = loop.snapshot.routes.route(to: project)
        if let route, !route.isReachable, route.state.isComing { return }
        // If the instance is not ready, the response of `proceed` states the current reason.
        if let connection = release() { proceed(connection) }
    }

    func drain() { giveUp() }

    func giveUp() {
        if let connection = release() { loop.refuse(connection, ControlAnswers.shuttingDown) }
    }
}

extension InstanceWait: ServerExchange {
    func requestBodyArrived() { pending.connection?.discardBody() }
    func resumeResponse() {}
    func clientDisconnected() { release() }
}

extension InstanceWait: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        let state = loop.snapshot.routes.route(to: project)?.state
        guard let connection = release() else { return }
        loop.refuse(connection, ControlAnswers.notRunning(project.string, state))
    }
}
