internal import CCurl
import EventLoop
import Glibc

/// What libcurl asks of its user: descriptors to watch and to close, and a timer.
extension UpstreamClient {
    /// libcurl's wish to have a descriptor watched, or not any more. That comes true at once: a descriptor that is still being
    /// connected is closed by libcurl 7.88 without calling back, and its number may be a client's next.
    fileprivate func watch(_ descriptor: Int32, _ what: Int32) {
        guard descriptor < sockets.count, let entry = sockets[Int(descriptor)] else { return }
        if what == CURL_POLL_REMOVE { entry.stopWatching() } else { entry.want(what) }
    }

    /// libcurl has opened a descriptor for an exchange. It can have read the answer before it wishes to have it watched.
    func opened(_ descriptor: Int32, for exchange: UpstreamExchange) {
        if descriptor >= sockets.count {
            sockets.append(contentsOf: repeatElement(nil, count: Int(descriptor) + 1 - sockets.count))
        }
        sockets[Int(descriptor)]?.stopWatching()
        sockets[Int(descriptor)] = CurlSocket(client: self, descriptor: descriptor, exchange: exchange)
        exchange.descriptor = descriptor
    }

    fileprivate func close(_ descriptor: Int32) {
        guard descriptor < sockets.count, let entry = sockets[Int(descriptor)] else {
            Glibc.close(descriptor)
            return
        }
        sockets[Int(descriptor)] = nil
        entry.stopWatching()
        if let exchange = entry.exchange {
            if exchange.mayHaveUnreadAnswer { readRest(of: descriptor, for: exchange) }
            exchange.connectionWasClosed = true
            exchange.descriptor = -1
        }
        Glibc.close(descriptor)
    }

    /// An instance that does not want the rest of an upload answers and closes. libcurl then fails to send, and gives up
    /// without a look at what it could read.
    private func readRest(of descriptor: Int32, for exchange: UpstreamExchange) {
        guard let own = try? SocketOptions.duplicate(descriptor) else { return }
        let socket = Socket(owning: own)
        while case .bytes = socket.receive(loop.scratch, { exchange.salvage($0) }) {}
    }

    fileprivate func setTimer(_ milliseconds: Int) {
        guard let timer else { return }
        if milliseconds < 0 {
            timer.disarm()
        } else if milliseconds == 0 {
            guard !isActionDue else { return }
            isActionDue = true
            loop.atEndOfPass(self)
        } else {
            loop.arm(timer, after: .milliseconds(milliseconds))
        }
    }

    /// A descriptor that libcurl waits for is ready.
    func ready(_ socket: CurlSocket, _ readiness: Readiness) {
        var mask: Int32 = 0
        if readiness.contains(.readable) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if !readiness.isDisjoint(with: .broken) { mask |= CURL_CSELECT_ERR }
        act(on: socket.descriptor, mask)
    }

    static let onSocket:
        @convention(c) (
            UnsafeMutableRawPointer?, curl_socket_t, Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Int32 = { _, descriptor, what, context, _ in
            guard let context else { return 0 }
            Unmanaged<UpstreamClient>.fromOpaque(context).takeUnretainedValue().watch(descriptor, what)
            return 0
        }

    static let onTimer: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Int32 = {
        _, milliseconds, context in
        guard let context else { return 0 }
        Unmanaged<UpstreamClient>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
        return 0
    }

    static let onCloseSocket: @convention(c) (UnsafeMutableRawPointer?, curl_socket_t) -> Int32 = {
        context, descriptor in
        guard let context else { return 0 }
        Unmanaged<UpstreamClient>.fromOpaque(context).takeUnretainedValue().close(descriptor)
        return 0
    }
}
