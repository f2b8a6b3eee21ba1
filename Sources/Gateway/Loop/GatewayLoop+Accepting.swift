import EventLoop
import HTTPServer

/// When clients are let in: not before the control plane knows what runs, and no more once the gateway ends.
extension GatewayLoop {
    /// Keeps listeners from which it is to accept once it is told to.
    func hold(_ listeners: [Listener]) { held = listeners }

    /// Begins to accept; why it can't, as a sentence.
    func accept() -> String? {
        defer { held = [] }
        guard drain == nil, let server else { return nil }
        do {
            for listener in held { try server.accept(from: listener) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Accepts nothing more, ends streams and waits for what else runs.
    func beginDrain(_ limit: Duration, _ finished: @escaping @Sendable () -> Void) {
        held = []
        server?.drain()
        for stream in streams.values { stream.breakOff() }
        let isEmpty = { [unowned self] in (server?.connectionCount ?? 0) == 0 }
        drain = Drain(
            loop: loop, within: limit, isEmpty: isEmpty, expired: { [unowned self] in endAllRequests() },
            finished: finished)
        // Who waits for an instance that has just ended knows now with whom.
        endRequestsOfEndedInstances()
    }
}
