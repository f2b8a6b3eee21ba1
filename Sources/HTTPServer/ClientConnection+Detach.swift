internal import EventLoop
package import HTTPTypes

extension ClientConnection {
    /// Takes the socket away from libmicrohttpd and answers on it; the connection ends with the answer.
    ///
    /// For event streams: libmicrohttpd walks over all suspended connections whenever one resumes, so thousands of
    /// idle streams would make every small request slow. Also for answers that it can't give: one that comes before
    /// the request's body has ended, and a body that is ended by closing the connection. Nil where the descriptor
    /// limit is reached; the connection is cut then.
    package func detach(
        _ answerHead: ResponseHead, _ length: BodyLength, policy: DetachedConnection.Policy
    ) -> DetachedConnection? {
        guard phase == .handedOver, !mustClose else { return nil }
        guard let socket = takeSocket() else {
            cut()
            return nil
        }
        summary.status = answerHead.status
        let detached = DetachedConnection(
            socket: socket, from: self, version: head.version, isHead: head.method == .head, policy: policy,
            exchange: exchange)
        exchange = nil
        detached.start(answerHead, length, announcesEnd: announcesEnd(of: answerHead, length))
        // What was written before the request's end was known goes first.
        outgoing.queue.withBytes { _ = detached.write($0) }
        outgoing.reset()
        return detached
    }

    /// Whether the head of an answer on the detached socket says that the connection ends with it. It ends in any case; but where
    /// another request might have followed, a stream and a chunked body don't say so: the fetch of Node 20 and 22 (undici 6)
    /// takes a body of which the last chunk is missing for whole where the head has that field.
    private func announcesEnd(of answerHead: ResponseHead, _ length: BodyLength) -> Bool {
        let isOpenEnded =
            switch length {
            case .unknown: true
            case .known: answerHead.isEventStream
            case .none: false
            }
        return !isOpenEnded || isLastRequest
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
        phase = .taken
        body.removeAll()
        letGo()
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
        phase = .taken
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
