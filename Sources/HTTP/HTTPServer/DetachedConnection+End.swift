// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
import HTTPTypes

/// The end of a detached connection.
extension DetachedConnection {
    /// Returns the socket to libmicrohttpd for the next request after a complete response.
    func returnSocket() {
        stopWatching()
        report()
        server.keyless.remove(self)
        server.reclaim(self, socket, of: client)
    }

    /// Sends FIN after everything is written. Then reads the bytes that the client still sends, so that no reset
    /// overtakes the response.
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
            case .end, .failed: return close(notifyingExchange: true)
            }
        }
        // Continue in the next pass, so that other connections are handled first. The kernel does not report waiting
        // bytes a second time, so record that they must be read.
        isDiscardDue = true
        stayLingering()
        scheduleFlush()
    }

    /// Resets the connection after the client has received everything that was written. Only a reset shows an HTTP/1.0
    /// client that its body is incomplete.
    func resetWhenDelivered() {
        resetChecksLeft -= 1
        guard socket.unacknowledgedBytes == 0 || resetChecksLeft == 0 else { return arm(Self.resetInterval) }
        stopWatching()
        socket.reset()
        close(notifyingExchange: false)
    }

    /// Ends the connection immediately, in any phase.
    package func close(notifyingExchange: Bool) {
        let wasWhole = state.isWhole
        guard state.on(.close) == .close else { return }
        if !wasWhole { summary.isComplete = false }
        stopWatching()
        socket.close()
        pending.removeAll()
        let delegate = exchange
        exchange = nil
        report()
        server.keyless.remove(self)
        server.remove(self)
        if notifyingExchange { delegate?.clientDisconnected() }
    }

    /// Whether the response has not been written completely.
    var isInProgress: Bool { state.phase != .lingering && state.phase != .closed }

    /// Ends the connection of a client that has vanished.
    func disconnectLost() {
        stopWatching()
        // Reset the connection, because the kernel would otherwise continue to send bytes that no peer receives.
        socket.reset()
        close(notifyingExchange: true)
    }

    /// Aborts the connection in a way that no client mistakes for the end of the response.
    func cut() {
        guard state.endsByClosing else { return close(notifyingExchange: true) }
        stopWatching()
        socket.reset()
        close(notifyingExchange: true)
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
        request.context?.requestEnded(summary)
    }
}
