// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import EventLoop
import Glibc
import HTTPTypes

extension ClientConnection {
    /// The arguments of one call to libmicrohttpd's access handler. The pointers are valid during the call.
    struct Step {
        let method: UnsafePointer<CChar>
        let version: UnsafePointer<CChar>
        let body: UnsafeRawBufferPointer
    }

    /// The result of a step that is returned to libmicrohttpd.
    enum StepResult {
        /// The number of body bytes that were consumed. libmicrohttpd continues.
        case consumed(Int)
        /// libmicrohttpd closes the connection immediately.
        case close
    }

    /// Starts a request after its request line was read.
    ///
    /// - Parameter target: The unmodified request target, in libmicrohttpd's memory. libmicrohttpd parses the target
    ///   only after this method returns.
    func began(target: UnsafeMutablePointer<CChar>?) {
        server.pacing.works(ObjectIdentifier(self))
        _ = state.on(.lineRead)
        head.removeAll()
        body.removeAll()
        outgoing.reset()
        summary = RequestSummary()
        exchange = nil
        refusal = nil
        targetStart = UnsafePointer(target)
        targetLength = target.map { strlen($0) } ?? 0
        head.target.append(
            copying: UnsafeRawBufferPointer(start: target, count: targetLength).bindMemory(to: UInt8.self).span)
        // libmicrohttpd would create a record of 64 bytes for each query parameter, and nothing uses these records.
        // Therefore pass an empty query to libmicrohttpd.
        if let query = target.flatMap({ strchr($0, Int32(UInt8(ascii: "?"))) }) { query[1] = 0 }
        startTime = server.loop.now
        number = server.nextRequestNumber()
        if deadline == .idle { arm(.head) }
        // Record the input here as well, because libmicrohttpd may have read the bytes before the loop was notified of
        // them.
        hasInput = true
    }

    /// Handles one call to the access handler.
    func step(_ step: Step) -> StepResult {
        if state.phase == .detached || state.isClosing { return .close }
        if isWaiting, unsentResponse == nil {
            awaitAnswer()
            return .consumed(0)
        }
        endWait()
        server.pacing.works(ObjectIdentifier(self))
        isInCallback = true
        defer { isInCallback = false }
        let result = advance(step)
        // The client may have left right after its request, or the exchange may have aborted the request.
        if state.isClosing { return .close }
        guard state.phase == .handedOver || state.phase == .decided else { return result }
        if isBodyComplete {
            awaitAnswer()
        } else if body.count >= ServerLimits.highWater {
            // The connection now waits for the instance instead of the client, so the client has no deadline.
            arm(.none)
            suspend()
        }
        return result
    }

    private func advance(_ step: Step) -> StepResult {
        switch state.phase {
        case .idle:
            return readHead(step)
        case .receiving, .handedOver, .decided:
            if unsentResponse != nil { return queueUnsentResponse() }
            if isSuspended || isBodyComplete { return .consumed(0) }
            guard step.body.isEmpty else { return readBody(step.body) }
            countRequest()
            arm(.none)
            follow(state.on(.bodyEnded))
            return unsentResponse == nil ? .consumed(0) : queueUnsentResponse()
        case .answering, .detached:
            return .consumed(step.body.count)
        }
    }

    private func readHead(_ step: Step) -> StepResult {
        head.methodName = String(cString: step.method)
        head.method = Method(name: head.methodName)
        let versionLength = strlen(step.version)
        head.version = versionLength == 8 && step.version[7] == CChar(bitPattern: UInt8(ascii: "0")) ? .http10 : .http11
        // The parts of the request line are adjacent, with one space between them, unless the line contains a NUL or
        // additional spaces.
        let isPlainLine =
            MicroHTTPD.refusesLooseLines
            || targetStart.map { step.method + strlen(step.method) + 1 == $0 && $0 + targetLength + 1 == step.version }
                ?? false
        headSize = handle.headSize
        let hasPlainLines = handle.copyFields(
            to: &head.fields, requestLineEnd: step.version + versionLength, headEnd: step.method + headSize)
        guard isPlainLine && hasPlainLines else { return reject(.badLineEnding) }
        guard headSize <= server.limits.maximumHead else {
            return reject(StandardError.headTooLarge(limit: server.limits.maximumHead))
        }
        do {
            framing = try RequestFraming.of(head)
        } catch {
            return reject(error)
        }
        if framing == .chunked, !handle.readsChunked { return reject(.unknownTransferEncoding) }
        _ = state.on(.headAccepted)
        if framing != .none, let result = judgeBeforeBody() { return result }
        arm(framing == .none ? .none : .body)
        if framing == .chunked {
            stall = ReadingStall()
            server.watchesUpload(self)
        }
        return .consumed(0)
    }

    /// Asks the handler, if necessary, whether to reject the request before its body has arrived. Returns nil if the
    /// body must be collected.
    private func judgeBeforeBody() -> StepResult? {
        // With `Expect`, the client waits for permission to send the body (RFC 9110 §10.1.1). Ask for a refusal now,
        // because only an immediate response saves the client from sending the body.
        if head.mayHave(.expect), head.fields.contains(.continueExpectation, in: .expect) {
            return server.handler.refusal(of: self).map { queue($0) }
        }
        // Do not collect the body of a client without a valid key, unless the body may contain the key.
        guard !isVouched, let answer = server.handler.refusal(of: self), !isVouched else { return nil }
        refusal = answer
        if case .length(let length) = framing, length > UInt64(server.limits.bufferedBody) {
            refuseEarly()
        } else {
            arm(.refusedBody)
        }
        return .consumed(0)
    }

    /// Sends the refusal directly on the socket, without waiting for the end of the body. libmicrohttpd would close the
    /// socket with unread bytes, and the resulting reset could overtake the response.
    func refuseEarly() {
        guard state.phase == .receiving, let answer = refusal.take() else { return cut() }
        _ = state.on(.headRefused)
        answerEarly(answer)
    }

    private func readBody(_ bytes: UnsafeRawBufferPointer) -> StepResult {
        if framing == .chunked { stall.progressed() }
        if refusal != nil { return .consumed(bytes.count) }
        arm(.body)
        body.append(bytes.bindMemory(to: UInt8.self).span)
        if state.phase == .receiving {
            if body.count > server.limits.bufferedBody { follow(state.on(.bodyOutgrown)) }
            return .consumed(bytes.count)
        }
        switch gathering.partArrived(in: server.runNumber, waiting: body.count) {
        case .begins: server.gathers(self)
        // Several parts arrived consecutively, so reserve the maximum amount that is collected.
        case .continues: body.reserve(BodyGathering.enough + server.limits.poolSize)
        case .notify: follow(state.on(.bodyOutgrown))
        }
        return .consumed(bytes.count)
    }

    /// Notifies the exchange of the collected part of the body.
    func deliverGathered() {
        guard state.phase == .handedOver || state.phase == .decided, !body.isEmpty else { return }
        exchange?.requestBodyArrived()
    }

    private func follow(_ effect: RequestState.Effect) {
        guard effect == .handOver else {
            exchange?.requestBodyArrived()
            return
        }
        if let refusal = refusal.take() { respond(refusal) } else { server.handler.handle(self) }
        if state.phase == .handedOver, peerClosed { cut() }
    }

    /// Resumes reading the request's body after the exchange has consumed enough of the waiting bytes.
    package func bodyConsumed() {
        guard state.phase == .handedOver, !isBodyComplete, body.count <= ServerLimits.lowWater else { return }
        arm(.body)
        resume()
    }

    /// Rejects a head. The connection ends with the response, because the start of the next request is unknown.
    private func reject(_ refusal: RequestFraming.FramingError) -> StepResult {
        reject(GatewayError(refusal.status, refusal.rawValue))
    }

    private func reject(_ error: GatewayError) -> StepResult {
        server.handler.rejected(peer, .refusedHead(status: error.status))
        // Write the response directly to the socket. libmicrohttpd would close the socket with unread bytes, and the
        // resulting reset could overtake the response.
        _ = state.on(.headRefused)
        answerEarly(GatewayAnswer(error))
        return .consumed(0)
    }

    /// Returns whether libmicrohttpd cannot continue to read the chunked body, because a line of its framing fills the
    /// memory. Call this method between two runs of libmicrohttpd.
    func isStalled() -> Bool {
        guard framing == .chunked, !isBodyComplete, !isSuspended, !isClosed else { return false }
        guard state.phase == .receiving || state.phase == .handedOver else { return false }
        let read = SocketOptions.bytesRead(descriptor)
        return stall.look(bytesRead: read, isInputWaiting: isInputWaiting, mayBeFull: mayFillPool(read))
    }

    /// Returns whether the head and the line after it may fill libmicrohttpd's memory before any part of the body has
    /// been delivered.
    private func mayFillPool(_ read: UInt64?) -> Bool {
        guard !stall.hasPart, server.pacing.waitingConnections == 0, let read, let before = account.counted,
            read > before + UInt64(headSize)
        else { return false }
        return Int(clamping: read - before) + fieldRecords >= server.limits.poolSize / 2
    }

    /// Rejects a chunked body with a line that is too long (RFC 9112 §7.1.1), and ends the connection.
    func refuseChunkLine() {
        server.handler.rejected(peer, .longChunkLine)
        let delegate = exchange
        exchange = nil
        delegate?.clientDisconnected()
        if state.phase == .receiving { _ = state.on(.headRefused) }
        guard state.phase == .handedOver, !state.isClosing else { return cut() }
        answerEarly(GatewayAnswer(StandardError.chunkLineTooLong))
    }

    /// Ends the request after libmicrohttpd has finished or abandoned it.
    func completed(isWhole: Bool) {
        let effect = state.on(.completed)
        guard effect != .nothing else { return }
        endWait()
        // Remove the upload here. `closed()` could no longer detect the upload, because `framing` may then describe
        // another request.
        if framing == .chunked { server.forgetsUpload(self) }
        server.pacing.works(ObjectIdentifier(self))
        summary.isComplete = isWhole && summary.status != 0 && state.answerBody != .broken
        let delegate = exchange
        exchange = nil
        delegate?.clientDisconnected()
        // libmicrohttpd cleans up an abandoned connection in its next run. No descriptor triggers that run, so request
        // one.
        if !isWhole {
            endAfterRefusal()
            server.needsRun()
        }
        if effect == .record {
            server.handler.ended(summary) { RequestRecord(self) }
        } else if !peerClosed {
            server.handler.rejected(peer, .malformedHead)
        }
        context?.requestEnded(summary)
        unsentResponse = nil
        outgoing.reset()
        body.removeAll()
        awaitNextRequest()
    }
}
