import EventLoop

/// A stream that began after the gateway had begun to end: it is broken off once its head is out.
final class LateStream: PassHandler {
    private let exchange: ProxyExchange

    init(_ exchange: ProxyExchange) { self.exchange = exchange }

    func passEnded() { exchange.breakOff() }
}
