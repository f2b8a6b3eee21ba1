internal import EventLoop
import Glibc
import HTTPTypes

extension ClientConnection {
    /// One call of libmicrohttpd's access handler; the pointers are valid during the call.
    struct Step {
        let method: UnsafePointer<CChar>
        let version: UnsafePointer<CChar>
        let body: UnsafeRawBufferPointer
    }

    /// What libmicrohttpd is told.
    enum StepResult {
        /// This many bytes of the body were taken; go on.
        case consumed(Int)
        /// Close the connection.
        case close
    }

    /// The request line was read; `target` is the target as it stood there, in memory
    /// of libmicrohttpd's that is read only after this returns.
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
            UnsafeRawBufferPointer(start: target, count: targetLength).bindMemory(to: UInt8.self).span)
        // libmicrohttpd would make a record of 64 bytes for each parameter, which nobody asks for: it finds an empty query.
        if let mark = target.flatMap({ strchr($0, Int32(UInt8(ascii: "?"))) }) { mark[1] = 0 }
        startTime = server.loop.now
        number = server.nextRequestNumber()
        if deadline == .idle { arm(.head) }
        // libmicrohttpd may have read before the loop was told that there is something to read.
        hasInput = true
    }

    /// Handles one call of the access handler.
    func step(_ step: Step) -> StepResult {
        if state.phase == .taken || state.isClosing { return .close }
        if isWaiting, pendingAnswer == nil {
            awaitAnswer()
            return .consumed(0)
        }
        endWait()
        server.pacing.works(ObjectIdentifier(self))
        isInCallback = true
        defer { isInCallback = false }
        let result = advance(step)
        // The client may have left with its request, or the follower may have given it up.
        if state.isClosing { return .close }
        guard state.phase == .handedOver || state.phase == .decided else { return result }
        if isBodyComplete {
            awaitAnswer()
        } else if body.count >= ServerLimits.highWater {
            // Now the instance is waited for, not the client.
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
            if pendingAnswer != nil { return queuePendingAnswer() }
            if isSuspended || isBodyComplete { return .consumed(0) }
            guard step.body.isEmpty else { return readBody(step.body) }
            countRequest()
            arm(.none)
            follow(state.on(.bodyEnded))
            return pendingAnswer == nil ? .consumed(0) : queuePendingAnswer()
        case .answering, .taken:
            return .consumed(step.body.count)
        }
    }

    private func readHead(_ step: Step) -> StepResult {
        head.methodName = String(cString: step.method)
        head.method = Method(name: head.methodName)
        let versionLength = strlen(step.version)
        head.version = versionLength == 8 && step.version[7] == CChar(bitPattern: UInt8(ascii: "0")) ? .http10 : .http11
        // The request line's parts stand behind each other with one space between, unless a NUL or more spaces are
        // hidden in it.
        let isPlainLine =
            MicroHTTPD.refusesLooseLines
            || targetStart.map { step.method + strlen(step.method) + 1 == $0 && $0 + targetLength + 1 == step.version }
                ?? false
        headSize = handle.headSize
        let hasPlainLines = handle.copyFields(
            to: &head.fields, requestLineEnd: step.version + versionLength, headEnd: step.method + headSize)
        guard isPlainLine && hasPlainLines else { return turnAway(.badLineEnding) }
        guard headSize <= server.limits.maximumHead else {
            return turnAway(StandardAnswer.headTooLarge(limit: server.limits.maximumHead))
        }
        do {
            framing = try RequestFraming.of(head)
        } catch {
            return turnAway(error)
        }
        if framing == .chunked, !handle.readsChunked { return turnAway(.unknownTransferEncoding) }
        _ = state.on(.headAccepted)
        if framing != .none, let result = judgeBeforeBody() { return result }
        arm(framing == .none ? .none : .body)
        if framing == .chunked {
            stall = ReadingStall()
            server.watchesUpload(self)
        }
        return .consumed(0)
    }

    /// Has a request judged whose body has not come yet; nil where the body is to be collected.
    private func judgeBeforeBody() -> StepResult? {
        // `Expect` asks whether the body is wanted (RFC 9110 §10.1.1): only an answer given now spares the client sending it.
        if head.mayHave(.expect), head.fields.contains(.continueExpectation, in: .expect) {
            return server.handler.refusal(of: self).map { queue($0) }
        }
        // Of a client without a key nothing is collected.
        guard !isVouched, let answer = server.handler.refusal(of: self), !isVouched else { return nil }
        refusal = answer
        if case .length(let length) = framing, length > UInt64(server.limits.heldBody) {
            refuseEarly()
        } else {
            arm(.refusedBody)
        }
        return .consumed(0)
    }

    /// Sends the refusal that waits for the body's end, on the socket itself: libmicrohttpd would close it with bytes unread, and the
    /// reset could overtake the answer.
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
            if body.count > server.limits.heldBody { follow(state.on(.bodyOutgrown)) }
            return .consumed(bytes.count)
        }
        switch gathering.pieceCame(in: server.runNumber, waiting: body.count) {
        case .begins: server.gathers(self)
        // More than one came in a row: probably all that is gathered at most.
        case .goesOn: body.reserve(BodyGathering.enough + server.limits.poolSize)
        case .tell: follow(state.on(.bodyOutgrown))
        }
        return .consumed(bytes.count)
    }

    /// No more of the body comes at once.
    func tellGathered() {
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

    /// The follower has taken bytes of the body: reading goes on once few enough wait.
    package func bodyTaken() {
        guard state.phase == .handedOver, !isBodyComplete, body.count <= ServerLimits.lowWater else { return }
        arm(.body)
        resume()
    }

    /// Refuses a head; the connection ends with the answer, because nobody knows where the next request would begin.
    private func turnAway(_ refusal: RequestFraming.Refusal) -> StepResult {
        turnAway(Answer.detail(refusal.status, refusal.rawValue))
    }

    private func turnAway(_ answer: Answer) -> StepResult {
        server.handler.turnedAway(peer, .refusedHead(status: answer.head.status))
        // Answered on the socket itself: libmicrohttpd would close it with bytes unread, and the reset could overtake
        // the answer.
        _ = state.on(.headRefused)
        answerEarly(answer)
        return .consumed(0)
    }

    /// Whether libmicrohttpd can't read on in the chunked body, because a line of its framing fills its memory. Asked between two
    /// runs.
    func isStalled() -> Bool {
        guard framing == .chunked, !isBodyComplete, !isSuspended, !isClosed else { return false }
        guard state.phase == .receiving || state.phase == .handedOver else { return false }
        let read = SocketOptions.bytesRead(descriptor)
        return stall.look(bytesRead: read, isInputWaiting: isInputWaiting, mayBeFull: mayFillPool(read))
    }

    /// Whether the head, and a line behind it of which no byte has become content, may fill libmicrohttpd's memory.
    private func mayFillPool(_ read: UInt64?) -> Bool {
        guard !stall.hasPiece, server.pacing.waitingConnections == 0, let read, let before = account.taken,
            read > before + UInt64(headSize)
        else { return false }
        return Int(clamping: read - before) + fieldRecords >= server.limits.poolSize / 2
    }

    /// Refuses a chunked body with a line that is too long (RFC 9112 §7.1.1), and ends the connection.
    func refuseChunkLine() {
        server.handler.turnedAway(peer, .longChunkLine)
        let follower = exchange
        exchange = nil
        follower?.clientGone()
        if state.phase == .receiving { _ = state.on(.headRefused) }
        guard state.phase == .handedOver, !state.isClosing else { return cut() }
        answerEarly(StandardAnswer.chunkLineTooLong)
    }

    /// libmicrohttpd is done with the request, or has given it up.
    func completed(isWhole: Bool) {
        let effect = state.on(.completed)
        guard effect != .nothing else { return }
        endWait()
        server.pacing.works(ObjectIdentifier(self))
        summary.isComplete = isWhole && summary.status != 0 && state.answerBody != .broken
        let follower = exchange
        exchange = nil
        follower?.clientGone()
        // libmicrohttpd cleans up a connection that it has given up at its next run, of which no descriptor tells.
        if !isWhole {
            endBehindRefusal()
            server.needsRun()
        }
        if effect == .record {
            server.handler.ended(summary) { RequestRecord(self) }
        } else if !peerClosed {
            server.handler.turnedAway(peer, .malformedHead)
        }
        context?.requestEnded()
        pendingAnswer = nil
        outgoing.reset()
        body.removeAll()
        rest()
    }
}
