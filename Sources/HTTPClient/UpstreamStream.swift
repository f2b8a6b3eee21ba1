import EventLoop
import Glibc

/// The socket of an event stream after it has left libcurl.
final class UpstreamStream: ReadinessHandler {
    private let socket: Socket
    private unowned let exchange: UpstreamExchange
    private let loop: EventLoop
    private var watch: EventLoop.Watch?

    init(socket: Socket, exchange: UpstreamExchange, loop: EventLoop) {
        self.socket = socket
        self.exchange = exchange
        self.loop = loop
    }

    /// Begins to read; false where the kernel refuses.
    func open(isPaused: Bool) -> Bool {
        watch = try? loop.watch(socket.descriptor, for: isPaused ? [] : .readable, handler: self)
        return watch != nil
    }

    /// Goes on after a pause.
    func resume() { change(to: .readable) }

    func close() {
        if let watch { loop.cancel(watch) }
        watch = nil
        socket.close()
    }

    func ready(_ readiness: Readiness) {
        // The exchange may end, and let go of this object, while it is told.
        let exchange = self.exchange
        var goesOn = true
        switch socket.receive(loop.scratch, { goesOn = exchange.streamReceived($0) }) {
        case .bytes: if !goesOn { change(to: []) }
        case .nothingYet: break
        case .end: exchange.streamEnded(.complete)
        case .failed(let code): exchange.streamEnded(.failed(String(cString: strerror(code))))
        }
    }

    private func change(to readiness: Readiness) {
        if let watch { try? loop.change(watch, to: readiness) }
    }
}
