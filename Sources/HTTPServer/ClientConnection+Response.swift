package import EventLoop
package import HTTPTypes

extension ClientConnection {
    /// Answers with a whole body. The head holds no Content-Length, Transfer-Encoding or Connection field.
    package func respond(_ answer: Answer) {
        switch state.call(.respond) {
        case .ignored: return
        case .needsSocket: answerEarly(answer)
        case .accepted:
            pendingAnswer = .whole(answer)
            offerAnswer()
        }
    }

    /// Whether ``begin(_:_:)`` can give this answer; ``detach(_:_:policy:)`` gives any.
    ///
    /// libmicrohttpd can't end a body by closing, wants the head to fit its memory, and where a
    /// head tells no length of a body that is not sent it either invents a length of 0 or sends a last chunk.
    package func canBegin(_ answer: ResponseHead, _ length: BodyLength) -> Bool {
        switch length {
        case .unknown where head.version == .http10: false
        case .none(announced: nil) where answer.status != 204: false
        default: fitsPool(answer)
        }
    }

    /// Whether libmicrohttpd's memory holds the answer's head besides the request's: both are there at once, with a
    /// record for each of the request's fields.
    private func fitsPool(_ answer: ResponseHead) -> Bool {
        return headSize + fieldRecords + answer.fields.byteCount + Self.ownLines <= server.limits.poolSize
    }

    /// What libmicrohttpd keeps for the fields of the request, in bytes, rounded up.
    var fieldRecords: Int { 64 * head.fields.count }
    /// Status line, Date, framing and alignment, in bytes, rounded up.
    private static let ownLines = 512

    /// Begins an answer whose body follows by ``write(_:)`` and ``finish(trailers:)``.
    ///
    /// Only for a request whose body is complete, and where ``canBegin(_:_:)`` says so.
    package func begin(_ head: ResponseHead, _ length: BodyLength) {
        guard state.call(.begin) == .accepted else { return }
        pendingAnswer = .begun(head, length)
        offerAnswer()
    }

    /// Adds bytes to the body; answers whether the source may go on at once. If not,
    /// ``ServerExchange/resumeResponse()`` says when.
    package func write(_ bytes: Span<UInt8>) -> Bool {
        guard state.call(.write) == .accepted else { return true }
        outgoing.queue.append(bytes)
        wakeReader()
        guard outgoing.queue.count > ServerLimits.highWater else { return true }
        outgoing.isSourcePaused = true
        return false
    }

    /// The body is whole.
    package func finish(trailers: FieldList = FieldList()) {
        guard state.call(.finish) == .accepted else { return }
        outgoing.trailers = trailers
        wakeReader()
    }

    /// The body's source broke off: what waits is delivered, then the connection is cut so that the client sees a
    /// truncated body.
    package func breakOff() {
        guard state.call(.breakOff) == .accepted else { return }
        // What would complete the promised length is not delivered: the client would take a body for whole that is
        // not to be trusted.
        if let promised = outgoing.promised, summary.bodyBytes + UInt64(outgoing.queue.count) >= promised {
            outgoing.queue.removeAll()
        }
        wakeReader()
    }

    /// Forgets what was written of an answer that has not begun.
    package func dropWaitingAnswer() {
        guard state.call(.dropWaitingAnswer) == .accepted else { return }
        outgoing.reset()
    }

    /// The length of the body, where all of it was written before the answer began.
    package var waitingLength: BodyLength { .known(UInt64(outgoing.queue.count)) }

    /// Takes the request's body, which is whole.
    package func takeBody() -> [UInt8] {
        defer { body.removeAll() }
        return body.withBytes { bytes in
            var whole: [UInt8] = []
            whole.append(bytes)
            return whole
        }
    }

    /// Lends what has arrived of the request's body, to be taken.
    package func withBody(_ take: (inout ByteQueue) -> Void) { take(&body) }

    /// Throws away what has arrived of the request's body.
    package func discardBody() {
        body.removeAll()
        bodyTaken()
    }

    /// What is called when a connection has switched protocols: with its socket, the bytes that the client has sent
    /// behind its request, and a closure to be called at the end with the number of bytes sent to the client.
    package typealias UpgradeHandler = (Socket, [UInt8], @escaping (UInt64) -> Void) -> Void

    /// Sends 101 and hands the socket over.
    package func upgrade(_ head: ResponseHead, _ handler: @escaping UpgradeHandler) {
        guard state.call(.upgrade) == .accepted else { return }
        upgradeHandler = handler
        pendingAnswer = .upgrade(head)
        offerAnswer()
    }

    private func wakeReader() {
        guard outgoing.isReaderWaiting else { return }
        outgoing.isReaderWaiting = false
        resume()
    }

    // MARK: libmicrohttpd's side

    /// Gives libmicrohttpd the answer: at once where it asks for that in vain whenever it runs (``AnswerWait``), else in its next
    /// run, where it calls for it.
    ///
    /// Given at once the answer is sent in the next run, and not only in the one behind that. The manual wants it in the access
    /// handler or while the connection is suspended: a daemon with threads of its own refuses it elsewhere, one without takes it
    /// wherever a whole request waits (MHD_queue_response in 0.9.75 and 1.0.1). Not in the middle of a run: that walks over the
    /// connections, and one whose head can't be built leaves their list: that request has ended when this returns.
    private func offerAnswer() {
        guard isWaiting, !isSuspended, !isInCallback, !server.isRunning else { return resume() }
        endWait()
        server.pacing.answerGiven()
        switch queuePendingAnswer() {
        case .consumed: server.needsRun()
        case .close: cut()
        }
    }

    /// Queues the answer that waits.
    func queuePendingAnswer() -> StepResult {
        switch pendingAnswer.take() {
        case nil: return .consumed(0)
        case .whole(let answer): return queue(answer)
        case .begun(let head, let length):
            defer { server.handler.sent(head) }
            return queue(head, length)
        case .upgrade(let head): return queueUpgrade(head)
        }
    }

    func queue(_ answer: Answer) -> StepResult {
        guard var response = Response(body: answer.body.span) else { return .close }
        response.add(answer.head.fields, closesConnection: endsWithAnswer)
        if head.method != .head { summary.bodyBytes = UInt64(answer.body.count) }
        return queue(&response, answer.head.status)
    }

    private func queue(_ answerHead: ResponseHead, _ length: BodyLength) -> StepResult {
        switch length {
        case .none(let announced):
            // libmicrohttpd never asks for this body, it only tells its length.
            guard var response = Response(readingFrom: self, length: announced) else { return .close }
            response.add(answerHead.fields, closesConnection: endsWithAnswer)
            return queue(&response, answerHead.status)
        case .known(let count) where state.answerBody == .ended && count == UInt64(outgoing.queue.count):
            // The body is here already: one system call sends head and body.
            summary.bodyBytes = count
            return outgoing.queue.withBytes { bytes in
                guard var response = Response(body: bytes) else { return .close }
                response.add(answerHead.fields, closesConnection: endsWithAnswer)
                return queue(&response, answerHead.status)
            }
        case .known, .unknown:
            var known: UInt64?
            if case .known(let count) = length { known = count }
            outgoing.promised = known
            guard var response = Response(readingFrom: self, length: known) else { return .close }
            outgoing.response = known == nil ? response.pointer : nil
            response.add(answerHead.fields, closesConnection: endsWithAnswer)
            return queue(&response, answerHead.status)
        }
    }

    private func queueUpgrade(_ answerHead: ResponseHead) -> StepResult {
        guard var response = Response(upgrading: self) else { return .close }
        response.add(answerHead.fields, closesConnection: endsWithAnswer)
        return queue(&response, answerHead.status)
    }

    private func queue(_ response: inout Response, _ status: Int) -> StepResult {
        // First, for libmicrohttpd may be done with the connection when it returns: where it can't build the head.
        _ = state.on(.answerQueued)
        summary.status = status
        arm(.send)
        if handle.queue(response, status: status) { return .consumed(0) }
        // Nothing of it has left, or will.
        summary.status = 0
        return .close
    }

    /// Whether libmicrohttpd is to close the connection behind the answer.
    private var endsWithAnswer: Bool { server.isDraining || mayHideRequest }

    /// Whether what follows the request may be a part of it: before 0.9.77 libmicrohttpd reads the chunked coding
    /// loosely and does not check trailers, and one that begins with NUL ends them early. So no other request is read
    /// from that connection.
    var mayHideRequest: Bool { framing == .chunked && !MicroHTTPD.refusesLooseLines }

    /// What libmicrohttpd gets when it asks for the body.
    enum Read {
        case bytes(Int)
        case later
        case end
        case broken
    }

    func readResponse(into memory: UnsafeMutableRawBufferPointer) -> Read {
        guard !state.isClosing else { return .broken }
        server.pacing.works(ObjectIdentifier(self))
        let count = min(memory.count, outgoing.queue.count)
        guard count > 0 else { return readEnd() }
        outgoing.queue.withBytes { bytes in
            bytes.extracting(0..<count).withUnsafeBytes { memory.copyMemory(from: $0) }
        }
        outgoing.queue.removeFirst(count)
        summary.bodyBytes += UInt64(count)
        arm(.send)
        if outgoing.isSourcePaused, outgoing.queue.count <= ServerLimits.lowWater {
            outgoing.isSourcePaused = false
            server.resumeSourceAfterRun(self)
        }
        return .bytes(count)
    }

    private func readEnd() -> Read {
        switch state.answerBody {
        case .ended:
            if let response = outgoing.response { Response.add(trailers: outgoing.trailers, to: response) }
            return .end
        case .broken: return .broken
        case .open:
            outgoing.isReaderWaiting = true
            arm(.none)
            suspend()
            return .later
        }
    }

    /// Tells the source to go on, outside libmicrohttpd: its bytes may come before the call returns.
    func resumeSource() { exchange?.resumeResponse() }
}
