internal import EventLoop
import HTTPTypes

/// How a connection that was taken from libmicrohttpd ends.
extension DetachedConnection {
    /// The answer is whole, and the next request may follow.
    func handBack() {
        stopWatching()
        report()
        server.keyless.remove(self)
        server.takeBack(self, socket, of: client)
    }

    /// Everything is written: FIN, and then whatever the client still sends is read, so that no reset overtakes the
    /// answer.
    func linger() {
        socket.shutdownWriting()
        report()
        lingerEnd = loop.now + Self.longestLinger
        discardInput()
    }

    private func stayLingering() {
        guard state.phase == .lingering else { return }
        arm(at: min(loop.now + Self.lingerTimeout, lingerEnd))
    }

    func discardInput() {
        for _ in 0..<Self.readsPerPass {
            switch socket.receive(loop.scratch, { _ in }) {
            case .bytes: continue
            case .nothingYet: return stayLingering()
            case .end, .failed: return close(tellingFollower: true)
            }
        }
        // Others have their turn first; the kernel does not tell again of what is there already.
        isDiscardDue = true
        stayLingering()
        scheduleFlush()
    }

    /// Only a reset tells an HTTP/1.0 client that its body is not whole; it is sent once the client has all that was
    /// written.
    func resetWhenDelivered() {
        resetChecksLeft -= 1
        guard socket.unacknowledgedBytes == 0 || resetChecksLeft == 0 else { return arm(Self.resetInterval) }
        stopWatching()
        socket.reset()
        close(tellingFollower: false)
    }

    /// Ends the connection now.
    package func close(tellingFollower: Bool) {
        let wasWhole = state.isWhole
        guard state.on(.close) == .close else { return }
        if !wasWhole { summary.isComplete = false }
        stopWatching()
        socket.close()
        pending.removeAll()
        let follower = exchange
        exchange = nil
        report()
        server.keyless.remove(self)
        server.remove(self)
        if tellingFollower { follower?.clientGone() }
    }

    /// Whether the answer is not written to its end.
    var isInProgress: Bool { state.phase != .lingering && state.phase != .closed }

    /// Ends the connection of a client that has vanished.
    func endLost() {
        stopWatching()
        // Otherwise the kernel would go on sending what nobody receives.
        socket.reset()
        close(tellingFollower: true)
    }

    /// Ends the connection now, so that no client takes that for the end of the answer.
    func cut() {
        guard state.endsByClosing else { return close(tellingFollower: true) }
        stopWatching()
        socket.reset()
        close(tellingFollower: true)
    }

    func stopWatching() {
        if let watch { loop.cancel(watch) }
        watch = nil
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func report() {
        guard !isReported else { return }
        isReported = true
        server.handler.ended(summary) { request }
        request.context?.requestEnded()
    }
}
