// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import EventLoop
package import HTTPTypes

extension ClientConnection {
    /// Detaches the socket from libmicrohttpd, so that the gateway responds on the socket directly.
    ///
    /// After a complete response, the socket is returned to libmicrohttpd. The connection ends instead if no other
    /// request may follow, or if libmicrohttpd may have read bytes after this request.
    ///
    /// The gateway sends event streams in this way. libmicrohttpd iterates over all suspended connections whenever one
    /// resumes, so thousands of idle streams would make every small request slow. This method also serves responses
    /// that libmicrohttpd cannot send: a response that precedes the end of the request's body, a 304 without a length,
    /// and a body that ends with the connection.
    ///
    /// - Returns: nil at the descriptor limit. The connection is then aborted.
    package func detach(
        _ answerHead: ResponseHead, _ length: BodyLength, policy: DetachedConnection.Policy
    ) -> DetachedConnection? {
        guard state.call(.detach) == .accepted else { return nil }
        guard let socket = detachSocket() else {
            cut()
            return nil
        }
        summary.status = answerHead.status
        let end = AnswerEnd.of(
            length, isEventStream: answerHead.isEventStream, isLastRequest: isLastRequest,
            isReadEven: !isLastRequest && account.isEven(with: socket.bytesRead))
        let detached = DetachedConnection(
            socket: socket, from: self, version: head.version, isHead: head.method == .head, policy: policy,
            exchange: exchange, keylessEnd: isVouched ? nil : headEnd)
        server.keyless.replace(self, with: detached)
        exchange = nil
        guard detached.start(answerHead, length: length, end: end) else { return nil }
        // First send the bytes that were written before this call.
        outgoing.queue.withBytes { _ = detached.write($0) }
        outgoing.reset()
        return detached
    }

    /// Whether the current request is the last one on this connection.
    private var isLastRequest: Bool {
        server.isDraining || mayHideRequest || !isBodyComplete || head.version == .http10
            || head.fields.contains(.close, in: .connection)
    }

    /// Responds while the request's body is still arriving. For a short time, the remainder of the body is read and
    /// discarded.
    func answerEarly(_ answer: GatewayAnswer) {
        var head = answer.head
        if head.fields.firstIndex(of: .contentType) == nil { head.fields.append("Content-Type", "application/json") }
        let length = UInt64(answer.body.count)
        guard let detached = detach(head, .known(length), policy: .pauseSource) else { return }
        _ = detached.write(answer.body.span)
        detached.finish()
    }

    /// Returns the client's descriptor under a new number. libmicrohttpd keeps a replacement descriptor whose peer is
    /// closed, and closes it later.
    private func detachSocket() -> Socket? {
        suspend()
        stopWatching()
        guard let duplicate = try? SocketOptions.duplicate(descriptor) else { return nil }
        let socket = Socket(owning: duplicate)
        do {
            try SocketOptions.duplicate(server.placeholder, onto: descriptor)
        } catch {
            return nil
        }
        // Set TCP_NODELAY here, because libmicrohttpd sets this option only when it sends, and it has not sent
        // anything.
        SocketOptions.setNoDelay(duplicate)
        // If libmicrohttpd 0.9.75 has no room to read the remainder of a body, it misses the end of the replacement
        // descriptor. Such a connection must expire.
        let mayBeBlocked = !state.isBodyComplete
        _ = state.on(.socketDetached)
        body.removeAll()
        releaseDescriptor()
        if mayBeBlocked { server.expires(self) }
        return socket
    }

    /// Resumes the connection, so that libmicrohttpd calls the connection's callback once more and closes the
    /// replacement descriptor.
    private func releaseDescriptor() {
        let wasInCallback = isInCallback
        isInCallback = false
        resume()
        isInCallback = wasInCallback
    }

    /// Takes over the descriptor that libmicrohttpd provides after it has sent the 101 response.
    func upgraded(descriptor: Int32, early: Span<UInt8>) {
        stopWatching()
        let handler = upgradeHandler
        upgradeHandler = nil
        let delegate = exchange
        exchange = nil
        _ = state.on(.socketDetached)
        server.needsRun()
        guard let duplicate = try? SocketOptions.duplicate(descriptor) else {
            delegate?.clientDisconnected()
            return
        }
        let socket = Socket(owning: duplicate)
        // libmicrohttpd shuts its descriptor down when it cleans up. Replace the descriptor, so that the shutdown does
        // not reach the client.
        guard (try? SocketOptions.duplicate(server.placeholder, onto: descriptor)) != nil else {
            delegate?.clientDisconnected()
            return
        }
        var bytes: [UInt8] = []
        bytes.append(copying: early)
        let record = RequestRecord(self)
        let server = self.server
        server.upgradedCount += 1
        handler?(socket, bytes) { count in
            server.upgradedEnded()
            let summary = RequestSummary(status: 101, bodyBytes: count, isComplete: true)
            server.handler.ended(summary) { record }
            record.context?.requestEnded(summary)
        }
    }
}
