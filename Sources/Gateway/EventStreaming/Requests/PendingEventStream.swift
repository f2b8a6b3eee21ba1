// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import GatewayCore
import HTTPServer
internal import Projects

/// The part of a pending event stream that depends on the kind of the stream: one of OpenCode's own streams, or one of
/// the gateway's own streams.
protocol PendingStreamKind: AnyObject {
    /// The project whose events the client requests; nil for all projects.
    var project: ProjectName? { get }
    /// Whether the hub receives the events that the stream needs, as far as this loop knows.
    var receivesEvents: Bool { get }
    /// Whether the project now has another run, so that the request must be routed again.
    var isOutdated: Bool { get }
    /// Performs the steps that must precede the stream, and then calls ``PendingEventStream/ready()``.
    func prepare(_ stream: PendingEventStream)
    /// Begins the stream at this position, with the connection that ``PendingEventStream/release()`` returns.
    func open(_ stream: PendingEventStream, at position: LogPosition)
    /// Routes the request again, as if it had just arrived.
    func reroute()
    /// Responds to a client whose stream has not begun in time.
    func expired(_ connection: ClientConnection)
    /// Cancels the steps of ``prepare(_:)``.
    func cancel()
}

/// A request for an event stream that cannot begin yet.
///
/// If an instance has just started, the stream begins after the hub receives the instance's events. A client therefore
/// misses no event of a prompt that it sends after it has received the head of the response.
final class PendingEventStream: PendingStream {
    private let events: EventStreamFeature
    private let kind: any PendingStreamKind
    private var pending: PendingResponse
    private var beginning: StreamBeginning

    init(
        _ events: EventStreamFeature, _ connection: ClientConnection, kind: any PendingStreamKind,
        beginning: StreamBeginning
    ) {
        self.events = events
        self.kind = kind
        self.beginning = beginning
        pending = PendingResponse(connection, on: events.owner.loop)
    }

    /// The client's connection; nil after ``release()``.
    var connection: ClientConnection? { pending.connection }

    func start() {
        pending.attach(self)
        // While the gateway is draining, reject the request, because the gateway would abort the stream immediately. A
        // client that mistakes the abort for a regular end would not reconnect.
        guard !events.owner.isDraining else { return giveUp() }
        events.add(self)
        if !beginning.isLate { pending.arm(self, after: StreamBeginning.patience) }
        kind.prepare(self)
    }

    /// Records that the steps of ``PendingStreamKind/prepare(_:)`` are complete. The stream still waits for the hub.
    func ready() {
        beginning.isOpen = true
        proceed()
    }

    private func proceed() {
        guard connection != nil, beginning.needsPosition(receivesEvents: kind.receivesEvents) else { return }
        events.requestPosition(kind.project, for: self) { [unowned self] position in
            if beginning.mayStart(receivesEvents: kind.receivesEvents) { kind.open(self, at: position) }
        }
    }

    func snapshotChanged() { proceed() }

    func routesChanged() {
        guard kind.isOutdated else { return proceed() }
        if release() != nil { kind.reroute() }
    }

    func giveUp() {
        if let connection = release() { events.owner.refuse(connection, ControlAnswers.shuttingDown) }
    }

    /// Ends the wait. Returns the connection for the response; nil if the wait had already ended.
    @discardableResult
    func release() -> ClientConnection? {
        events.remove(self)
        kind.cancel()
        return pending.release()
    }
}

extension PendingEventStream: ServerExchange {
    func requestBodyArrived() { connection?.discardBody() }
    func resumeResponse() {}
    func clientDisconnected() { release() }
}

extension PendingEventStream: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        switch beginning.timePassed() {
        case .wait(let next):
            if let next { pending.arm(self, after: next) }
            proceed()
        case .expired: if let connection = release() { kind.expired(connection) }
        }
    }
}
