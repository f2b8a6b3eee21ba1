// SPDX-License-Identifier: Apache-2.0

import EventLoop
import HTTPServer
internal import Instances
import OpenCode
internal import Projects

/// A request for a stream of an instance that is about to be ready. The request is handled again once the instance is
/// ready, because a browser's `EventSource` gives up for good at the first 503.
final class WaitingStream: PendingStream {
    private unowned let owner: GatewayLoop
    private var connection: ClientConnection?
    private let project: ProjectName
    private let limit: Duration
    private var timer: LoopTimer?

    init(_ owner: GatewayLoop, _ connection: ClientConnection, project: ProjectName, limit: Duration) {
        self.owner = owner
        self.connection = connection
        self.project = project
        self.limit = limit
    }

    func begin() {
        connection?.exchange = self
        connection?.discardBody()
        guard !owner.isDraining else { return giveUp() }
        owner.events?.add(self)
        let timer = owner.loop.spareTimer(self)
        self.timer = timer
        owner.loop.arm(timer, after: limit)
    }

    func viewChanged() {}

    func routesChanged() {
        let route = owner.snapshot.routes.route(to: project)
        if let route, !route.isReachable, route.state.isComing { return }
        guard let connection = end() else { return }
        // Either the instance is ready, or the refusal states the present reason.
        owner.handle(connection)
    }

    func giveUp() {
        if let connection = end() { owner.answer(connection, ControlAnswers.shuttingDown) }
    }

    @discardableResult
    private func end() -> ClientConnection? {
        defer { connection = nil }
        owner.events?.remove(self)
        if let timer { owner.loop.giveBack(timer) }
        timer = nil
        return connection
    }
}

extension WaitingStream: ServerExchange {
    func requestBodyArrived() { connection?.discardBody() }
    func resumeResponse() {}
    func clientGone() { end() }
}

extension WaitingStream: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        let state = owner.snapshot.routes.route(to: project)?.state
        guard let connection = end() else { return }
        owner.answer(connection, ControlAnswers.notRunning(project.string, state))
    }
}
