// SPDX-License-Identifier: Apache-2.0

import EventLoop
import HTTPServer
import HTTPTypes
import Projects

/// A request that the control plane serves. Only the loop's thread uses the object. Other threads refer to the
/// call by its number.
final class ControlCall {
    /// The progress of the call.
    private enum Phase {
        /// The request's body is being read.
        case reading
        /// The handler computes the response.
        case calling
        /// The response is being streamed.
        case streaming(DetachedConnection)
        case ended
    }

    typealias Handler = @Sendable (ControlRequest, any ProjectControl) async -> ControlResponse

    let number: Int
    private unowned let owner: GatewayLoop
    private unowned let calls: ControlCallFeature
    private var connection: ClientConnection?
    private var request: ControlRequest
    private let body: BodyRule
    private let handler: Handler
    /// The maximum time until a stream's source sends the next bytes.
    private let streamTimeout: Duration
    /// The maximum number of bytes of an unpaced stream that may wait for the client.
    private let streamBacklog: Int
    private var phase = Phase.reading
    /// The task of the handler; nil before the handler is called and after the handler has responded.
    private var task: Task<Void, Never>?
    /// The closure that resumes the stream's source; nil while the source does not wait. The source waits for the
    /// client to read, or for the end of a pause.
    private var resumeSource: (@Sendable (Bool) -> Void)?
    private var isPausing = false
    private var timer: LoopTimer?

    init(
        _ owner: GatewayLoop, _ calls: ControlCallFeature, connection: ClientConnection, number: Int,
        request: ControlRequest, body: BodyRule, handler: @escaping Handler
    ) {
        self.owner = owner
        self.calls = calls
        self.connection = connection
        self.number = number
        self.request = request
        self.body = body
        self.handler = handler
        let limits = connection.request.pinPolicy(of: owner.snapshot).limits
        streamTimeout = limits.streamTimeout
        streamBacklog = limits.streamBacklog
    }

    /// Starts the handler after the request's body has arrived, or immediately if the body is ignored.
    func start() {
        connection?.exchange = self
        requestBodyArrived()
    }

    private func callHandler() {
        guard let mailbox = owner.mailbox else { return }
        phase = .calling
        let number = number
        let request = request
        let handler = handler
        let control = owner.control
        task = Task {
            let response = await handler(request, control)
            mailbox.post(.feature(ControlMessage(call: number, message: .respond(response))))
        }
    }

    /// Processes a message from the control plane.
    func receive(_ message: CallMessage) {
        switch (message, phase) {
        case (.respond(.answer(let answer)), .calling): respond(answer)
        case (.respond(.error(let error)), .calling): refuse(error)
        case (.respond(.stream(let head, let isPaced, let source)), .calling):
            startStream(head, isPaced: isPaced, from: source)
        case (.respond(.loop(let answer)), .calling): handOver(to: answer)
        case (.write(let bytes, let resumeSource), .streaming(let client)):
            self.resumeSource = resumeSource
            timer?.disarm()
            // Check the phase again (`continueStream()`), because `write` may detect that the client has disconnected
            // and end this call.
            if client.write(bytes.span) { continueStream() }
        case (.pause(let duration, let resumeSource), .streaming):
            self.resumeSource = resumeSource
            isPausing = true
            arm(duration)
        case (.finish, .streaming(let client)):
            client.finish()
            finish()
        case (.abort, .streaming(let client)):
            client.abort()
            finish()
        default: message.reject()
        }
    }

    private func respond(_ answer: GatewayAnswer) {
        if let connection {
            if answer.head.status != 404 { recordProject(connection) }
            owner.answer(connection, answer)
        }
        finish()
    }

    private func refuse(_ error: GatewayError) {
        if let connection {
            if error.status != 404 { recordProject(connection) }
            owner.refuse(connection, error)
        }
        finish()
    }

    /// Responds with 401 if the call has no response yet and its key was revoked. The requested operation, such as
    /// the start of an instance, continues. Returns whether the call was refused.
    func refuse(ifRevoked isRevoked: (UsedRights?) -> Bool) -> Bool {
        guard let connection, !connection.request.outlivesKey, isRevoked(connection.request.usedRights) else {
            return false
        }
        // The loop would otherwise abort the request before the response is sent.
        connection.request.outlivesKey = true
        refuse(Admission.Rejection.wrongKey.error)
        return true
    }

    private func handOver(to answer: (ClientConnection, GatewayLoop) -> Void) {
        let connection = connection
        let owner = owner
        finish()
        guard let connection else { return }
        recordProject(connection)
        answer(connection, owner)
    }

    /// Records the project for the request's log line. The loop's routing table may not contain the project yet, but
    /// the handler's response shows that the project exists.
    private func recordProject(_ connection: ClientConnection) {
        if let project = request.project { connection.request.project = project.string }
    }

    /// The error for a request that the gateway's shutdown interrupts. The control plane may still complete the
    /// operation. A client can repeat a start or a stop without harm, but must not repeat a message.
    private var interruption: GatewayError {
        guard case .calling = phase, let head = connection?.head, !head.method.isIdempotent,
            let renderer = owner.errorRenderer(for: head.target[...])
        else { return ControlAnswers.shuttingDown }
        return renderer.interrupted
    }

    // MARK: Streams

    private func startStream(
        _ head: ResponseHead, isPaced: Bool, from source: @escaping @Sendable (ResponseStream) async -> Void
    ) {
        task = nil
        guard let connection, let mailbox = owner.mailbox else { return finish() }
        // Reject the request, because the gateway would abort a new stream immediately. A client that mistakes the
        // abort for a regular end would not reconnect.
        guard !owner.isDraining else { return refuse(interruption) }
        if let refusal = owner.streamRefusal(of: connection) { return refuse(refusal) }
        let head = owner.completed(GatewayAnswer(head: head, body: []), connection).head
        let wantsBody = connection.head.method != .head
        let policy = isPaced ? DetachedConnection.Policy.pauseSource : .cut(above: streamBacklog)
        guard let client = connection.detach(head, .unknown, policy: policy) else { return finish() }
        self.connection = nil
        guard wantsBody else {
            client.finish()
            return finish()
        }
        phase = .streaming(client)
        owner.streamStarted(self)
        timer = owner.loop.pooledTimer(self)
        arm(streamTimeout)
        let number = number
        Task {
            await source(ResponseStream(mailbox, call: number))
            mailbox.post(.feature(ControlMessage(call: number, message: .finish)))
        }
    }

    private func continueStream() {
        guard case .streaming = phase, let resumeSource else { return }
        self.resumeSource = nil
        arm(streamTimeout)
        resumeSource(true)
    }

    private func arm(_ duration: Duration) {
        if let timer { owner.loop.arm(timer, after: duration) }
    }

    /// Ends the call. If the server is still sending the response, the server already has all of the response's data.
    private func finish() {
        if case .streaming = phase { owner.streamEnded(self) }
        phase = .ended
        task = nil
        connection = nil
        if let timer { owner.loop.release(timer) }
        timer = nil
        calls.remove(self)
        let resumeSource = resumeSource
        self.resumeSource = nil
        resumeSource?(false)
    }
}

extension ControlCall: ServerExchange {
    func requestBodyArrived() {
        guard let connection else { return }
        guard case .reading = phase else { return connection.discardBody() }
        guard let limit = body.limit else {
            // Discard the body, because the server must read the body before it can send the response.
            connection.discardBody()
            return callHandler()
        }
        request.body += connection.takeBody()
        guard request.body.count <= limit else { return refuse(BodyRule.tooLarge(limit)) }
        guard connection.isBodyComplete else { return connection.bodyConsumed() }
        if let refusal = BodyRule.refusal(ofText: request.body) { return refuse(refusal) }
        callHandler()
    }

    func resumeResponse() { continueStream() }

    /// Ends the call. A handler that changes something continues, because another client may need the start that this
    /// client has requested.
    func clientDisconnected() {
        if request.isCancelledWithoutClient { task?.cancel() }
        finish()
    }
}

extension ControlCall: OpenStream {
    func abort() {
        switch phase {
        case .reading, .calling: refuse(interruption)
        case .streaming(let client):
            client.abort()
            finish()
        case .ended: break
        }
    }
}

extension ControlCall: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        guard isPausing else { return abort() }
        isPausing = false
        continueStream()
    }
}
