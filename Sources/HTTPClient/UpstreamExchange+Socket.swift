import EventLoop
import HTTPTypes

/// An exchange on a socket that libcurl has let go of.
extension UpstreamExchange {
    /// The connection's socket was taken from libcurl.
    func took(_ socket: Socket) {
        // libcurl believes that it has closed the connection.
        connectionWasClosed = false
        guard !bodyReader.isComplete else { return finish(.complete) }
        let stream = UpstreamStream(socket: socket, exchange: self, loop: client.loop)
        self.stream = stream
        guard stream.open(isPaused: isPaused) else {
            return streamEnded(.failed("its descriptor could not be watched"))
        }
    }

    /// The socket has brought bytes; false where reading must stop.
    func streamReceived(_ bytes: Span<UInt8>) -> Bool {
        guard read(bytes) else {
            if state == .running { streamEnded(.failed("")) }
            return false
        }
        if bodyReader.isComplete {
            streamEnded(.complete)
            return false
        }
        actionEnded()
        return state == .running && !isPaused
    }

    /// The socket was closed or has broken.
    func streamEnded(_ result: TransferResult) { finish(result) }

    /// Whether libcurl may close the connection with an answer in it that it has not looked at.
    var mayHaveUnreadAnswer: Bool {
        guard state == .running, status == 0, fault == nil, isStreamed else { return false }
        return true
    }

    /// Takes bytes that libcurl has left unread on a connection that it is closing.
    func salvage(_ bytes: Span<UInt8>) {
        isSalvaged = true
        var start = 0
        while status == 0, fault == nil, state == .running, start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            end = min(end + 1, bytes.count)
            guard receivedHead(bytes.extracting(start..<end)) else { return }
            start = end
        }
        if status != 0, start < bytes.count { _ = receivedBody(bytes.extracting(start..<bytes.count)) }
    }
}
