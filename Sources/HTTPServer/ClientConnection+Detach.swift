internal import EventLoop
package import HTTPTypes

extension ClientConnection {
    /// Takes the socket away from libmicrohttpd and answers on it. Behind a whole answer the socket is handed back, unless no other
    /// request may follow, something behind this one has been read, or that can't be known: then the connection ends.
    ///
    /// For event streams: libmicrohttpd walks over all suspended connections whenever one resumes, so thousands of
    /// idle streams would make every small request slow. Also for answers that it can't give: one that comes before
    /// the request's body has ended, a 304 without a length, and a body that is ended by closing the connection. Nil where the descriptor
    /// limit is reached; the connection is cut then.
    package func detach(
        _ answerHead: ResponseHead, _ length: BodyLength, policy: DetachedConnection.Policy
    ) -> DetachedConnection? {
        guard state.call(.detach) == .accepted else { return nil }
        guard let socket = takeSocket() else {
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
        guard detached.start(answerHead, length, end) else { return nil }
        // What was written before the request's end was known goes first.
        outgoing.queue.withBytes { _ = detached.write($0) }
        outgoing.reset()
        return detached
    }

    /// Whether no other request may follow the current one.
    private var isLastRequest: Bool {
        server.isDraining || mayHideRequest || !isBodyComplete || head.version == .http10
            || head.fields.contains(.close, in: .connection)
    }

    /// Answers while the request's body is still coming: the rest of it is read and thrown away for a moment.
    func answerEarly(_ answer: Answer) {
        var head = answer.head
        if head.fields.firstIndex(of: .contentType) == nil { head.fields.append("Content-Type", "application/json") }
        let length = UInt64(answer.body.count)
        guard let detached = detach(head, .known(length), policy: .pauseSource) else { return }
        _ = detached.write(answer.body.span)
        detached.finish()
    }

    /// The client's descriptor under a new number; libmicrohttpd keeps a stand-in that reads as closed and cleans it
    /// up.
    private func takeSocket() -> Socket? {
        suspend()
        stopWatching()
        guard let own = try? SocketOptions.duplicate(descriptor) else { return nil }
        let socket = Socket(owning: own)
        do {
            try SocketOptions.duplicate(server.standIn, onto: descriptor)
        } catch {
            return nil
        }
        // libmicrohttpd has not sent anything, and sets this only then.
        SocketOptions.setNoDelay(own)
        // Where libmicrohttpd 0.9.75 has no room to read the rest of a body, it would miss the stand-in's end.
        let mayBeBlocked = !state.isBodyComplete
        _ = state.on(.socketTaken)
        body.removeAll()
        letGo()
        if mayBeBlocked { server.expires(self) }
        return socket
    }

    /// libmicrohttpd calls once more and is told to close its stand-in.
    private func letGo() {
        let wasInCallback = isInCallback
        isInCallback = false
        resume()
        isInCallback = wasInCallback
    }

    /// libmicrohttpd has sent the 101 and lends its descriptor.
    func upgraded(descriptor: Int32, early: Span<UInt8>) {
        stopWatching()
        let handler = upgradeHandler
        upgradeHandler = nil
        let follower = exchange
        exchange = nil
        _ = state.on(.socketTaken)
        server.needsRun()
        guard let own = try? SocketOptions.duplicate(descriptor) else {
            follower?.clientGone()
            return
        }
        let socket = Socket(owning: own)
        // libmicrohttpd shuts its descriptor down when it cleans up: that must not reach the client.
        guard (try? SocketOptions.duplicate(server.standIn, onto: descriptor)) != nil else {
            follower?.clientGone()
            return
        }
        var bytes: [UInt8] = []
        bytes.append(early)
        let record = RequestRecord(self)
        let server = self.server
        server.upgradedCount += 1
        handler?(socket, bytes) { count in
            server.upgradedEnded()
            server.handler.ended(RequestSummary(status: 101, bodyBytes: count, isComplete: true)) { record }
            record.context?.requestEnded()
        }
    }
}
