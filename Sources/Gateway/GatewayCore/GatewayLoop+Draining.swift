// SPDX-License-Identifier: Apache-2.0

package import EventLoop
import HTTPClient
import HTTPServer

/// A response that does not end by itself, such as an event stream. The loop aborts the response when
/// the gateway's shutdown begins.
package protocol OpenStream: AnyObject {
    /// Aborts the response, so that no client mistakes the end for a regular end.
    func abort()
}

/// A stream that began after the start of the gateway's shutdown. The loop aborts the stream after its head was sent.
final class LateStream: PassHandler {
    private let stream: any OpenStream

    init(_ stream: any OpenStream) { self.stream = stream }

    func passEnded() { stream.abort() }
}

/// Starts and stops accepting clients. The loop accepts no clients until the control plane knows which instances run.
/// The loop accepts no further clients after the gateway's shutdown has begun.
extension GatewayLoop {
    /// Whether the gateway is shutting down. Running requests may then finish, and no new requests begin.
    package var isDraining: Bool { drain != nil }

    /// Stores listeners from which the loop accepts clients after ``accept()``.
    ///
    /// - Parameter number: The position of the listeners' element in ``LoopSetUp/endpointListeners``, counted from 1; 0
    ///   for the gateway's own listener.
    package func register(_ listeners: [Listener], as number: UInt8 = 0) {
        for listener in listeners { listener.detect(snapshot.policy.limits.peerLoss) }
        clients.waiting += listeners.map { ($0, number) }
    }

    /// Starts to accept clients. Returns a message with the reason if a listener cannot accept.
    package func accept() -> String? {
        defer { clients.waiting = [] }
        guard !isDraining, let server = clients.server else { return nil }
        do {
            for (listener, number) in clients.waiting { try server.accept(from: listener, as: number) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Stops accepting clients, aborts streams and waits for the remaining requests.
    ///
    /// - Parameter finished: Called once, after all requests have ended or the time limit has passed.
    package func startDrain(_ limit: Duration, _ finished: @escaping () -> Void) {
        clients.waiting = []
        clients.server?.drain()
        for stream in streams.values { stream.abort() }
        forEachFeature { $0.drain() }
        let isEmpty = { [unowned self] in (clients.server?.connectionCount ?? 0) == 0 }
        drain = Drain(
            loop: loop, within: limit, isEmpty: isEmpty,
            expired: { [unowned self] in forEachFeature { $0.endRequests() } }, finished: finished)
        // Respond to requests whose instance has just ended, because the gateway's shutdown is now known as the cause.
        routesChanged()
    }
}
/// The wait until a loop has no connections left, or until the time limit has passed. After the limit, the loop ends
/// the remaining requests, and has a short time to send their last bytes.
final class Drain: TimerHandler {
    private static let interval = Duration.milliseconds(10)
    private static let lastWords = Duration.milliseconds(500)

    private let loop: EventLoop
    private var deadline: MonotonicTime
    private let isEmpty: () -> Bool
    private var expired: (() -> Void)?
    private let finished: () -> Void
    private var timer: LoopTimer?

    init(
        loop: EventLoop, within limit: Duration, isEmpty: @escaping () -> Bool, expired: @escaping () -> Void,
        finished: @escaping () -> Void
    ) {
        self.loop = loop
        self.isEmpty = isEmpty
        self.expired = expired
        self.finished = finished
        deadline = MonotonicTime.now + limit
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: .zero)
    }

    func timerFired(_ timer: LoopTimer) {
        if !isEmpty(), MonotonicTime.now >= deadline, let expired {
            self.expired = nil
            deadline = MonotonicTime.now + Self.lastWords
            expired()
        }
        guard !isEmpty(), MonotonicTime.now < deadline else {
            loop.cancel(timer)
            self.timer = nil
            return finished()
        }
        loop.arm(timer, after: Self.interval)
    }
}
