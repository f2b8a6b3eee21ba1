// SPDX-License-Identifier: Apache-2.0

import EventLoop
import HTTPServer
import HTTPTypes
import Projects

/// A request that the control plane answers. The object remains on its loop. Only its number is passed between threads.
final class ControlCall {
    /// The progress of the call.
    private enum Phase {
        /// The request's body is being read.
        case reading
        /// The handler computes the response.
        case asked
        /// The answer is being streamed.
        case streaming(DetachedConnection)
        case ended
    }

    typealias Handler = @Sendable (ControlRequest, any ProjectControl) async -> ControlResponse

    let number: Int
    private unowned let owner: GatewayLoop
    private unowned let calls: ControlCalls
    private var connection: ClientConnection?
    private var request: ControlRequest
    private let body: BodyRule
    private let handler: Handler
    /// How long a stream may be silent.
    private let streamTimeout: Duration
    /// The maximum number of bytes of an unpaced stream that may wait for its client.
    private let streamBacklog: Int
    private var phase = Phase.reading
    /// Resumes the stream's source, which waits for the client to read or for the end of a pause.
    private var goesOn: (@Sendable (Bool) -> Void)?
    private var isPausing = false
    private var timer: LoopTimer?

    init(
        _ owner: GatewayLoop, _ calls: ControlCalls, connection: ClientConnection, number: Int,
        request: ControlRequest, body: BodyRule, handler: @escaping Handler
    ) {
        self.owner = owner
        self.calls = calls
        self.connection = connection
        self.number = number
        self.request = request
        self.body = body
        self.handler = handler
        let limits = connection.request.begin(owner.snapshot).limits
        streamTimeout = limits.streamTimeout
        streamBacklog = limits.streamBacklog
    }

    /// Starts the handler as soon as the request's body allows it.
    func begin() {
        connection?.exchange = self
        requestBodyArrived()
    }

    private func ask() {
        guard let mailbox = owner.mailbox else { return }
        phase = .asked
        let number = number
        let request = request
        let handler = handler
        let control = owner.control
        Task {
            let response = await handler(request, control)
            mailbox.post(.feature(ControlMessage(call: number, message: .respond(response))))
        }
    }

    /// Processes a message from the control plane.
    func receive(_ message: CallMessage) {
        switch (message, phase) {
        case (.respond(.answer(let answer)), .asked): respond(answer)
        case (.respond(.error(let error)), .asked): refuse(error)
        case (.respond(.stream(let head, let isPaced, let source)), .asked):
            beginStream(head, isPaced: isPaced, from: source)
        case (.respond(.loop(let answer)), .asked): handOver(to: answer)
        case (.write(let bytes, let goesOn), .streaming(let client)):
            self.goesOn = goesOn
            timer?.disarm()
            // `write` may detect that the client has disconnected, and then this call has ended.
            if client.write(bytes.span) { goOn() }
        case (.pause(let duration, let goesOn), .streaming):
            self.goesOn = goesOn
            isPausing = true
            arm(duration)
        case (.finish, .streaming(let client)):
            client.finish()
            end()
        case (.abort, .streaming(let client)):
            client.abort()
            end()
        default: message.reject()
        }
    }

    private func respond(_ answer: GatewayAnswer) {
        if let connection {
            if answer.head.status != 404 { noteProject(connection) }
            owner.answer(connection, answer)
        }
        end()
    }

    private func refuse(_ error: GatewayError) {
        if let connection {
            if error.status != 404 { noteProject(connection) }
            owner.refuse(connection, error)
        }
        end()
    }

    private func handOver(to answer: (ClientConnection, GatewayLoop) -> Void) {
        let connection = connection
        let owner = owner
        end()
        guard let connection else { return }
        noteProject(connection)
        answer(connection, owner)
    }

    /// Records the project for the request's log line. The loops may not have learned of the project yet, but the
    /// handler's answer shows that it exists.
    private func noteProject(_ connection: ClientConnection) {
        if let project = request.project { connection.request.project = project.string }
    }

    /// The error of a request that the gateway's end interrupts. The operation may still be completed. A start or a
    /// stop can be repeated, but a message cannot.
    private var interruption: GatewayError {
        guard case .asked = phase, let head = connection?.head, !head.method.isIdempotent,
            let form = owner.errorForm(head.target[...])
        else { return ControlAnswers.shuttingDown }
        return form.interrupted
    }

    // MARK: Streams

    private func beginStream(
        _ head: ResponseHead, isPaced: Bool, from source: @escaping @Sendable (ResponseStream) async -> Void
    ) {
        guard let connection, let mailbox = owner.mailbox else { return end() }
        // A new stream would be aborted immediately, and a client that mistakes this for a regular end would not
        // reconnect.
        guard !owner.isDraining else { return refuse(interruption) }
        let head = owner.completed(GatewayAnswer(head: head, body: []), connection).head
        let wantsBody = connection.head.method != .head
        let policy = isPaced ? DetachedConnection.Policy.pauseSource : .cut(above: streamBacklog)
        guard let client = connection.detach(head, .unknown, policy: policy) else { return end() }
        self.connection = nil
        guard wantsBody else {
            client.finish()
            return end()
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

    private func goOn() {
        guard case .streaming = phase, let goesOn else { return }
        self.goesOn = nil
        arm(streamTimeout)
        goesOn(true)
    }

    private func arm(_ duration: Duration) {
        if let timer { owner.loop.arm(timer, after: duration) }
    }

    /// Ends the call. A component that is still sending the answer has all of its data.
    private func end() {
        if case .streaming = phase { owner.streamEnded(self) }
        phase = .ended
        connection = nil
        if let timer { owner.loop.release(timer) }
        timer = nil
        calls.remove(self)
        let goesOn = goesOn
        self.goesOn = nil
        goesOn?(false)
    }
}

extension ControlCall: ServerExchange {
    func requestBodyArrived() {
        guard let connection else { return }
        switch (phase, body) {
        case (.reading, .ignored):
            // The body must still be read, so that the answer can be sent.
            connection.discardBody()
            ask()
        case (.reading, .json(let limit)):
            request.body += connection.takeBody()
            guard request.body.count <= limit else { return refuse(BodyRule.tooLarge(limit)) }
            guard connection.isBodyComplete else { return connection.bodyConsumed() }
            if let refusal = BodyRule.refusal(ofText: request.body) { return refuse(refusal) }
            ask()
        default: connection.discardBody()
        }
    }

    func resumeResponse() { goOn() }

    /// Ends the call, but not the operation. A start that was abandoned by one client may be needed by the next client.
    func clientDisconnected() { end() }
}

extension ControlCall: OpenStream {
    func breakOff() {
        switch phase {
        case .reading, .asked: refuse(interruption)
        case .streaming(let client):
            client.abort()
            end()
        case .ended: break
        }
    }
}

extension ControlCall: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        guard isPausing else { return breakOff() }
        isPausing = false
        goOn()
    }
}
