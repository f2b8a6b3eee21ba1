import EventLoop
import HTTPTypes

/// An exchange on a connection of our own.
extension UpstreamExchange {
    /// The socket has brought bytes; what they end is told by ``readEnded()``.
    func socketReceived(_ bytes: Span<UInt8>) {
        mayRetry = false
        guard let start = status == 0 ? receivedHead(bytes) : 0, start < bytes.count else { return }
        _ = read(bytes.extracting(start...))
    }

    /// All that one read has brought was taken in.
    func readEnded() {
        guard state == .running else { return }
        if fault != nil || status != 0 && bodyReader.isComplete { return finish(.complete) }
        actionEnded()
    }

    /// The socket was closed or has broken.
    func socketEnded(_ result: TransferResult) {
        guard state == .running, mayRetry, result != .refused else { return finish(result) }
        retry()
    }

    /// The exchange is over: its connection is kept for another one, unless it could be out of step.
    func leaveSocket(_ failure: UpstreamFailure?) {
        guard let socket else { return }
        self.socket = nil
        let isInStep =
            failure == nil && bodyReader.isComplete && !isLastOnConnection && !headReader.isHTTP10 && socket.isSound
        if isInStep { client.keep(socket, longestRest) } else { socket.close() }
    }
}
