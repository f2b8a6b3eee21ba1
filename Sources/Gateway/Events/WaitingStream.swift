import EventLoop
import HTTPServer
internal import Instances
import OpenCode
internal import Projects

/// A request for a stream of an instance that is about to be ready: it is looked at again once that is so. A browser's
/// `EventSource` gives up for good at the first 503.
final class WaitingStream: PendingStream {
    private unowned let owner: GatewayLoop
    private var connection: ClientConnection?
    private let project: ProjectName
    private let limit: Duration
    private var timer: LoopTimer?

    init(_ owner: GatewayLoop, _ connection: ClientConnection, _ project: ProjectName, limit: Duration) {
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
        // Either it is ready, or the refusal says what is the matter now.
        owner.handle(connection)
    }

    /// The gateway is ending.
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
