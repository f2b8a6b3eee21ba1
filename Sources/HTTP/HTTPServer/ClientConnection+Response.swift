// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import EventLoop
package import HTTPTypes

extension ClientConnection {
    /// Responds with a complete body. The head must not contain a Content-Length, Transfer-Encoding or Connection
    /// field.
    package func respond(_ answer: GatewayAnswer) {
        switch state.call(.respond) {
        case .ignored: return
        case .needsSocket: answerEarly(answer)
        case .accepted:
            unsentResponse = .whole(answer)
            offerAnswer()
        }
    }

    /// Returns whether ``startResponse(_:_:)`` can send this response. ``detach(_:_:policy:)`` can send any response.
    ///
    /// libmicrohttpd cannot end a body by closing the connection, and the head must fit into its memory. If a head
    /// announces no length for a body that is not sent, libmicrohttpd either adds a length of 0 or sends a last chunk.
    package func canBegin(_ answer: ResponseHead, _ length: BodyLength) -> Bool {
        switch length {
        case .unknown where head.version == .http10: false
        case .none(announced: nil) where answer.status != 204: false
        default: fitsPool(answer)
        }
    }

    /// Returns whether libmicrohttpd's memory has room for the response's head in addition to the request's head. Both
    /// heads are in the memory at the same time, together with a record for each field of the request.
    private func fitsPool(_ answer: ResponseHead) -> Bool {
        return headSize + fieldRecords + answer.fields.byteCount + Self.fixedLines <= server.limits.poolSize
    }

    /// The approximate size of libmicrohttpd's memory for the fields of the request, in bytes. The value is rounded up.
    var fieldRecords: Int { 64 * head.fields.count }
    /// The approximate size of the status line, Date, framing and alignment, in bytes. The value is rounded up.
    private static let fixedLines = 512

    /// Begins a response, whose body follows with ``write(_:)`` and ``finish(trailers:)``.
    ///
    /// The request's body must be complete, and ``canBegin(_:_:)`` must return true.
    package func startResponse(_ head: ResponseHead, _ length: BodyLength) {
        guard state.call(.startResponse) == .accepted else { return }
        unsentResponse = .begun(head, length)
        offerAnswer()
    }

    /// Adds bytes to the body. Returns whether the source may continue immediately. If not,
    /// ``ServerExchange/resumeResponse()`` is called when the source may continue.
    package func write(_ bytes: Span<UInt8>) -> Bool {
        guard state.call(.write) == .accepted else { return true }
        outgoing.queue.append(bytes)
        wakeReader()
        guard outgoing.queue.count > ServerLimits.highWater else { return true }
        outgoing.isSourcePaused = true
        return false
    }

    /// Marks the end of a complete body.
    package func finish(trailers: FieldList = FieldList()) {
        guard state.call(.finish) == .accepted else { return }
        outgoing.trailers = trailers
        wakeReader()
    }

    /// Aborts the body after its source has failed. Delivers the waiting bytes and then aborts the connection, so that
    /// the client sees a truncated body.
    package func abort() {
        guard state.call(.abort) == .accepted else { return }
        // Do not deliver bytes that would complete the promised length, because the client would then accept an
        // incomplete body as complete.
        if let promised = outgoing.promised, summary.bodyBytes + UInt64(outgoing.queue.count) >= promised {
            outgoing.queue.removeAll()
        }
        wakeReader()
    }

    /// Discards the written bytes of a response that has not begun.
    package func dropWaitingAnswer() {
        guard state.call(.dropWaitingAnswer) == .accepted else { return }
        outgoing.reset()
    }

    /// The length of the body, if the whole body was written before the response began.
    package var waitingLength: BodyLength { .known(UInt64(outgoing.queue.count)) }

    /// Removes and returns the request's complete body.
    package func takeBody() -> [UInt8] {
        defer { body.removeAll() }
        return body.withBytes { bytes in
            var whole: [UInt8] = []
            whole.append(copying: bytes)
            return whole
        }
    }

    /// The request's complete body, which remains for the handler; nil if a part of it has not arrived.
    package var completeBody: [UInt8]? {
        guard isBodyComplete else { return nil }
        return body.withBytes { bytes in
            var whole: [UInt8] = []
            whole.append(copying: bytes)
            return whole
        }
    }

    /// Calls `take` with the received part of the request's body. The closure may consume the bytes.
    package func withBody(_ take: (inout ByteQueue) -> Void) { take(&body) }

    /// Discards the received part of the request's body.
    package func discardBody() {
        body.removeAll()
        bodyConsumed()
    }

    /// A closure that is called after a connection has switched protocols.
    ///
    /// The handler's parameters are the socket, the bytes that the client sent after its request, and a closure. At the
    /// end, the handler must call the closure with the number of bytes that were sent to the client.
    package typealias UpgradeHandler = (Socket, [UInt8], @escaping (UInt64) -> Void) -> Void

    /// Sends a 101 response and passes the socket to `handler`.
    package func upgrade(_ head: ResponseHead, _ handler: @escaping UpgradeHandler) {
        guard state.call(.upgrade) == .accepted else { return }
        upgradeHandler = handler
        unsentResponse = .upgrade(head)
        offerAnswer()
    }

    private func wakeReader() {
        guard outgoing.isReaderWaiting else { return }
        outgoing.isReaderWaiting = false
        resume()
    }

    // MARK: libmicrohttpd's side

    /// Passes the response to libmicrohttpd: immediately if libmicrohttpd calls for the response in each run
    /// (``AnswerWait``), and in the next run otherwise.
    ///
    /// A response that is passed on immediately is sent one run earlier. libmicrohttpd's manual requires that the
    /// access handler is running or the connection is suspended. A daemon with internal threads rejects
    /// `MHD_queue_response` at any other time. A daemon without internal threads accepts the call for each connection
    /// whose request is complete (0.9.75 and 1.0.1). The call is not allowed during a run, because a run iterates over
    /// the list of connections. If libmicrohttpd cannot build the head of the response, it removes the connection from
    /// this list, and the request has ended when the call returns.
    private func offerAnswer() {
        guard isWaiting, !isSuspended, !isInCallback, !server.isRunning else { return resume() }
        endWait()
        server.pacing.answerProvided()
        switch queueUnsentResponse() {
        case .consumed: server.needsRun()
        case .close: cut()
        }
    }

    /// Queues the pending response in libmicrohttpd.
    func queueUnsentResponse() -> StepResult {
        switch unsentResponse.take() {
        case nil: return .consumed(0)
        case .whole(let answer): return queue(answer)
        case .begun(let head, let length):
            defer { server.handler.sent(head) }
            return queue(head, length)
        case .upgrade(let head): return queueUpgrade(head)
        }
    }

    func queue(_ answer: GatewayAnswer) -> StepResult {
        guard var response = Response(body: answer.body.span) else { return .close }
        response.add(answer.head.fields, closesConnection: endsWithAnswer)
        if head.method != .head { summary.bodyBytes = UInt64(answer.body.count) }
        return queue(&response, answer.head.status)
    }

    private func queue(_ answerHead: ResponseHead, _ length: BodyLength) -> StepResult {
        switch length {
        case .none(let announced):
            // libmicrohttpd never requests this body and only announces its length.
            guard var response = Response(readingFrom: self, length: announced) else { return .close }
            response.add(answerHead.fields, closesConnection: endsWithAnswer)
            return queue(&response, answerHead.status)
        case .known(let count) where state.answerBody == .ended && count == UInt64(outgoing.queue.count):
            // The body is already complete, so one system call sends head and body.
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
        // Change the state first. If libmicrohttpd cannot build the head, it has finished with the connection when the
        // call returns.
        _ = state.on(.answerQueued)
        summary.status = status
        arm(.send)
        if handle.queue(response, status: status) { return .consumed(0) }
        // No part of the response has been or will be sent.
        summary.status = 0
        return .close
    }

    /// Whether libmicrohttpd closes the connection after the response.
    private var endsWithAnswer: Bool { server.isDraining || mayHideRequest }

    /// Whether bytes after the request may be a part of the request. Before version 0.9.77, libmicrohttpd parses the
    /// chunked coding leniently and does not check trailers. A trailer that begins with a NUL ends the trailers early.
    /// The gateway therefore reads no other request from such a connection.
    var mayHideRequest: Bool { framing == .chunked && !MicroHTTPD.refusesLooseLines }

    /// The result of libmicrohttpd's request for the body.
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

    /// Resumes the source of the response. The server calls this method after a run of libmicrohttpd. The source's
    /// bytes may arrive before this method returns.
    func resumeSource() { exchange?.resumeResponse() }
}
