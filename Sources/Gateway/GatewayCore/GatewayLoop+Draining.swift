// SPDX-License-Identifier: Apache-2.0

package import EventLoop
import HTTPClient
import HTTPServer

/// An answer without an end of its own, which the gateway aborts when it shuts down.
package protocol OpenStream: AnyObject {
    /// Aborts the answer, so that no client mistakes this for a clean end.
    func breakOff()
}

/// A stream that began after the shutdown of the gateway had begun. It is aborted once its head is sent.
final class LateStream: PassHandler {
    private let stream: any OpenStream

    init(_ stream: any OpenStream) { self.stream = stream }

    func passEnded() { stream.breakOff() }
}

/// The begin and the end of accepting clients. The loop accepts none before the control plane knows which instances
/// run, and none after the shutdown of the gateway has begun.
extension GatewayLoop {
    /// Whether the gateway is shutting down: running requests may finish, and no new ones begin.
    package var isDraining: Bool { drain != nil }

    /// Keeps listeners from which the loop accepts clients after ``accept()``. `entrance` is their number in
    /// ``LoopSetUp/entrances``, from 1 on, or 0 for the gateway's own.
    package func hold(_ listeners: [Listener], as entrance: UInt8 = 0) {
        for listener in listeners { listener.detect(snapshot.policy.limits.peerLoss) }
        clients.waiting += listeners.map { ($0, entrance) }
    }

    /// Begins to accept clients. Returns a sentence with the reason if that fails.
    package func accept() -> String? {
        defer { clients.waiting = [] }
        guard !isDraining, let server = clients.server else { return nil }
        do {
            for (listener, entrance) in clients.waiting { try server.accept(from: listener, as: entrance) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Stops accepting clients, aborts streams and waits for the remaining requests. `finished` is called once, after
    /// them or after the time limit.
    package func beginDrain(_ limit: Duration, _ finished: @escaping () -> Void) {
        clients.waiting = []
        clients.server?.drain()
        for stream in streams.values { stream.breakOff() }
        forEachFeature { $0.drain() }
        let isEmpty = { [unowned self] in (clients.server?.connectionCount ?? 0) == 0 }
        drain = Drain(
            loop: loop, within: limit, isEmpty: isEmpty,
            expired: { [unowned self] in forEachFeature { $0.endRequests() } }, finished: finished)
        // Requests that wait for an instance that has just ended can now be answered, because the cause is known.
        routesChanged()
    }
}
/// The wait until a loop has no connection left, or until the time limit. After the limit the remaining requests are
/// ended, and their last bytes have a moment to be sent.
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
