import EventLoop
import HTTPClient
import HTTPServer

/// An answer without an end of its own, which the gateway ends when it ends itself.
protocol OpenStream: AnyObject {
    /// Ends it so that no client takes that for a clean end.
    func breakOff()
}

extension ProxyExchange: OpenStream {}

/// A stream that began after the gateway had begun to end: it is broken off once its head is out.
final class LateStream: PassHandler {
    private let stream: any OpenStream

    init(_ stream: any OpenStream) { self.stream = stream }

    func passEnded() { stream.breakOff() }
}

/// When clients are let in, and how the loop ends: not before the control plane knows what runs, and no more once the
/// gateway ends.
extension GatewayLoop {
    /// Whether the gateway is ending: what runs may finish, and nothing else begins.
    var isDraining: Bool { drain != nil }

    /// Keeps listeners from which it is to accept once it is told to; `entrance`: which of ``entrances`` they are, from 1 on, or
    /// 0 for the gateway's own.
    func hold(_ listeners: [Listener], as entrance: UInt8 = 0) {
        for listener in listeners { listener.detect(snapshot.policy.limits.peerLoss) }
        held += listeners.map { ($0, entrance) }
    }

    /// Begins to accept; why it can't, as a sentence.
    func accept() -> String? {
        defer { held = [] }
        guard !isDraining, let server else { return nil }
        do {
            for (listener, entrance) in held { try server.accept(from: listener, as: entrance) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Accepts nothing more, ends streams and waits for what else runs.
    func beginDrain(_ limit: Duration, _ finished: @escaping () -> Void) {
        held = []
        server?.drain()
        for stream in streams.values { stream.breakOff() }
        events?.giveUp()
        let isEmpty = { [unowned self] in (server?.connectionCount ?? 0) == 0 }
        drain = Drain(
            loop: loop, within: limit, isEmpty: isEmpty, expired: { [unowned self] in endAllRequests() },
            finished: finished)
        // Who waits for an instance that has just ended knows now with whom.
        endRequestsOfEndedInstances()
    }

    /// All that goes to an instance or has just lost it.
    private var exchanges: [ProxyExchange] {
        client.followers.compactMap { $0 as? ProxyExchange } + Array(undecided.values)
    }

    /// There is a new routing table: who waits for an instance that somebody has end hears of that at once.
    func endRequestsOfEndedInstances() {
        for exchange in exchanges { exchange.routesChanged() }
        bridge?.routesChanged()
    }

    /// The time for running exchanges is over.
    private func endAllRequests() {
        for exchange in exchanges { exchange.breakOff() }
        bridge?.breakOff()
        for call in calls.values { call.breakOff() }
    }
}

/// Waits until a loop has no connection left, or until the time is over; then what is left is ended and has a moment for its
/// last words.
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
