// SPDX-License-Identifier: Apache-2.0

import Dialects
internal import Encodings
import EventLoop
import EventStreaming
import GatewayCore
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import Proxying

/// The receiver of a bridge run's results. The run calls all methods on the loop's thread.
protocol BridgeDelegate: AnyObject {
    /// Receives the complete response. No other call follows.
    func answered(_ answer: ClientAnswer)
    /// Receives the beginning of a response whose body is streamed.
    func started(_ answer: ClientAnswer)
    /// Receives the next part of the body. Returns false if the next part may only follow after ``BridgeRun/resume()``.
    func wrote(_ bytes: [UInt8]) -> Bool
    /// Called when the body is complete. No other call follows.
    func completed()
    /// Called when the response cannot be completed. The client must recognize a response that has begun as aborted. No
    /// other call follows.
    func aborted()
    /// Receives the gateway's error if there is no response. No other call follows.
    func failed(_ error: GatewayError)
}

/// A request in OpenCode 1's API, which a task handles. On the loop's thread, the run sends the task's calls to the
/// instance, and the task's response to the delegate.
final class BridgeRun {
    /// The event for which the run waits.
    enum Phase {
        /// The next operation of the task.
        case running
        /// The instance's response to a call.
        case calling(BridgeCall, BridgeContinuation<Reply>)
        /// The instance has aborted a call. The run waits until it is known whether a client has stopped the instance.
        case lost(UpstreamFailure, BridgeContinuation<Reply>)
        /// A timer, the session's lock or the client.
        case waiting(BridgeContinuation<Void>)
        case ended
    }

    /// The received part of an instance's response.
    private struct Received {
        var status = 0
        var type: String?
        var nextCursor: String?
        var body: [UInt8] = []
    }

    /// A function that handles the request. Returns the response, or throws if the run has already ended.
    typealias Handler = @Sendable (LoopTransport) async throws(BridgeError) -> BridgeResponse

    /// The maximum total size in bytes of the replies that a task translates on the loop. Translating this size takes
    /// about 0.1 ms.
    private static let shortReply = 8 * 1024

    let bridge: BridgeFeature
    let route: RoutingTable.Route
    private let limits: GatewayLimits
    private var delegate: (any BridgeDelegate)?
    private var number = 0
    var phase = Phase.running
    private(set) var hasBegun = false
    /// Whether any call may have made the instance execute an operation that must not be repeated.
    var mayBeReceived = false
    /// The value of ``mayBeReceived`` before the last call.
    private(set) var isPartlyDone = false
    /// Whether the client has disconnected. The run still completes changes that have begun, as OpenCode 1 does.
    private var isAbandoned = false
    /// The session whose lock the run holds.
    private var lockedSession: String?
    /// The watch for the end of the session's turn (``TurnEnds``).
    private var watch: Int?
    private var holdsEnd = false
    private var awaitsStreams = false
    private var received = Received()
    private var transport: LoopTransport?
    /// The number of bytes that the task has received, or `Int.max` if the task always counts as long.
    private var size = 0
    private var transfer: UpstreamTransfer?
    private var timer: LoopTimer?

    /// Starts a task that handles the request.
    ///
    /// - Parameters:
    ///   - delegate: Receives the response after this initializer has returned.
    ///   - size: The number of bytes that the task is about to read.
    ///   - handler: Handles the request.
    init(
        _ bridge: BridgeFeature, to route: RoutingTable.Route, limits: GatewayLimits,
        delegate: any BridgeDelegate, size: Int, handler: @escaping Handler
    ) {
        self.bridge = bridge
        self.route = route
        self.limits = limits
        self.delegate = delegate
        timer = owner.loop.pooledTimer(self)
        number = bridge.add(self)
        guard let mailbox = owner.mailbox else { return }
        let transport = LoopTransport(run: number, loop: mailbox)
        self.transport = transport
        let executor = bridge.executor
        let handle: @Sendable () async -> Void = {
            // If the handler throws, the run has already ended and reported a result.
            if let response = try? await handler(transport) { transport.finish(response) }
        }
        self.size = size
        resumeTask {
            Task(executorPreference: executor, operation: handle)
        }
    }

    /// Starts or resumes the task at the end of the loop's pass. The size of all replies so far determines whether the
    /// task is long, because a handler may read and translate several replies together.
    private func resumeTask(_ start: @escaping () -> Void) {
        guard let transport else { return }
        let isLong = hasBegun || size > Self.shortReply
        bridge.resumeAtEndOfPass(
            BridgeFeature.Resumption(run: number, transport: transport, isLong: isLong, start: start))
    }

    var owner: GatewayLoop { bridge.owner }

    // MARK: Operations of the task

    /// Waits until an event resumes `continuation`. If the client has disconnected, ends the run and returns false.
    private func wait(_ continuation: BridgeContinuation<Void>) -> Bool {
        phase = .waiting(continuation)
        guard isAbandoned else { return true }
        close()
        return false
    }

    func lock(_ session: String, _ continuation: BridgeContinuation<Void>) {
        phase = .waiting(continuation)
        guard let mailbox = owner.mailbox, lockedSession == nil else { return resume() }
        if bridge.threads.locks.acquire(session, run: number, of: mailbox) { locked(session) }
    }

    /// Records that the run has acquired the session's lock, and resumes the task.
    func locked(_ session: String) {
        lockedSession = session
        resume()
    }

    func unlock() {
        if let lockedSession { bridge.threads.locks.release(lockedSession) }
        lockedSession = nil
    }

    func watchTurn(of session: String, holdsEnd: Bool) {
        guard watch == nil, let events = bridge.events else { return }
        self.holdsEnd = holdsEnd
        watch = events.watchTurn(of: session, route.name, holds: holdsEnd)
    }

    func awaitStreams(_ continuation: BridgeContinuation<Void>) {
        guard wait(continuation) else { return }
        guard let watch, let events = bridge.events, let mailbox = owner.mailbox else { return resume() }
        switch events.turnEnds.wait(watch, run: number, of: mailbox) {
        case .nothing: resume()
        case .pause: arm(TurnEnds.pause)
        case .streams:
            awaitsStreams = true
            arm(TurnEnds.longestWait)
        }
    }

    /// Called when the run no longer needs to wait for streams.
    func streamed() {
        guard awaitsStreams, case .waiting = phase else { return }
        awaitsStreams = false
        if holdsEnd { arm(TurnEnds.pause) } else { resume() }
    }

    func publish(_ event: [UInt8]) {
        if let watch, !isAbandoned { bridge.events?.turnEnds.publish(event, after: watch) }
    }

    func pause(_ duration: Duration, _ continuation: BridgeContinuation<Void>) {
        if wait(continuation) { arm(duration) }
    }

    func begin(_ answer: ClientAnswer) {
        guard !isAbandoned else { return close() }
        hasBegun = true
        delegate?.started(answer)
    }

    func write(_ bytes: [UInt8], _ continuation: BridgeContinuation<Void>) {
        guard wait(continuation) else { return }
        if delegate?.wrote(bytes) == true { resume() }
    }

    /// Resumes the task after the client has read enough, the timer has fired, or the session's lock was acquired.
    func resume() {
        guard case .waiting(let continuation) = phase else { return }
        timer?.disarm()
        awaitsStreams = false
        phase = .running
        resumeTask { continuation.resume() }
    }

    func finish(_ response: BridgeResponse) {
        report { delegate in
            switch response {
            case .answer(let answer): hasBegun ? delegate.aborted() : delegate.answered(answer)
            case .completed: delegate.completed()
            case .truncated: delegate.aborted()
            }
        }
    }

    // MARK: Calls

    func send(_ call: BridgeCall, _ continuation: BridgeContinuation<Reply>) {
        phase = .calling(call, continuation)
        if isAbandoned, !call.isSentForAbsentClient { return close() }
        guard let endpoint = route.endpoint, isRouted else { return endOfInstance() }
        received = Received()
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if call.body != nil { fields.append("Content-Type", "application/json") }
        for (name, value) in call.fields { fields.append(name, value) }
        if let authorization = endpoint.authorization {
            fields.append(name: Array("Authorization".utf8), value: authorization[...])
        }
        let method = Method(name: call.method)
        let isEmpty = call.body == nil && (method == .get || method == .delete)
        let request = UpstreamRequest(
            instance: endpoint.address, method: method, methodName: call.method, target: call.target[...],
            fields: fields, body: isEmpty ? .none : .whole(call.body ?? []))
        isPartlyDone = mayBeReceived
        if request.connectionChoice != .kept { mayBeReceived = true }
        transfer = owner.client.start(request, delegate: self)
        arm(answerTimeout)
    }

    /// The time limit for the beginning of the response, and then for each further byte, as for forwarded requests.
    private var answerTimeout: Duration {
        if case .calling(let call, _) = phase, let patience = call.patience {
            return min(patience, limits.answerTimeout)
        }
        return awaitsLongest ? limits.streamTimeout : limits.answerTimeout
    }

    private var awaitsLongest: Bool {
        guard case .calling(let call, _) = phase else { return false }
        return call.isLong && limits.streamTimeout > limits.answerTimeout
    }

    func arm(_ duration: Duration) {
        if let timer { owner.loop.arm(timer, after: duration) }
    }

    private func reply(isCut: Bool) {
        transfer?.cancel()
        transfer = nil
        timer?.disarm()
        guard case .calling(_, let continuation) = phase else { return }
        let reply = Reply(
            status: received.status, type: received.type, nextCursor: received.nextCursor, body: received.body,
            isCut: isCut)
        received = Received()
        phase = .running
        if size < .max { size += reply.body.count }
        resumeTask { continuation.resume(returning: reply) }
    }

    // MARK: The end

    /// Records that the client has disconnected. A run that only reads ends. A run that changes something continues,
    /// unless its current call lasts as long as a turn.
    func abandon(isReading: Bool) {
        delegate = nil
        isAbandoned = true
        if case .waiting = phase, lockedSession != nil || isReading || hasBegun { return close() }
        if isReading { return close() }
        if case .calling(let call, _) = phase, call.isLong, !call.isOwed { close() }
    }

    /// Ends the run with this error instead of a response. Aborts a response that has begun.
    func fail(_ error: GatewayError) { report { hasBegun ? $0.aborted() : $0.failed(error) } }

    /// Ends the run, and reports its result.
    private func report(_ result: (any BridgeDelegate) -> Void) {
        guard let delegate else { return close() }
        close()
        result(delegate)
    }

    private func close() {
        let last = phase
        phase = .ended
        switch last {
        case .calling(_, let continuation), .lost(_, let continuation):
            resumeTask { continuation.resume(throwing: BridgeError.ended) }
        case .waiting(let continuation):
            resumeTask { continuation.resume(throwing: BridgeError.ended) }
        case .running: break
        case .ended: return
        }
        transfer?.cancel()
        transfer = nil
        if let timer { owner.loop.release(timer) }
        timer = nil
        unlock()
        if let watch { bridge.events?.turnEnds.stopWatching(watch) }
        watch = nil
        delegate = nil
        bridge.remove(number)
    }
}

// MARK: - From the instance

extension BridgeRun: UpstreamDelegate {
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
        guard let endpoint = route.endpoint, case .calling(let call, _) = phase else { return }
        owner.counts.progress.add(endpoint.slot)
        if ResponseForwarding.refusesCredentials(head), endpoint.enforcesPassword {
            return refuseAnswerOfAnother(endpoint)
        }
        owner.answered(route, with: head, to: call.target[...])
        received.status = head.status
        received.type = head.fields.first(.contentType).map { String(decoding: $0, as: UTF8.self) }
        received.nextCursor = Self.nextCursor(head.fields)
    }

    private static func nextCursor(_ fields: borrowing FieldList) -> String? {
        fields.values(named: Array("x-next-cursor".utf8)).first.map { String(decoding: $0, as: UTF8.self) }
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        guard let endpoint = route.endpoint, case .calling(let call, _) = phase else { return true }
        owner.counts.progress.add(endpoint.slot)
        arm(answerTimeout)
        guard received.body.count + bytes.count <= call.longestReply else {
            received.body = []
            reply(isCut: true)
            return true
        }
        received.body.append(copying: bytes)
        return true
    }

    func answerEnded(trailers: FieldList) {
        transfer = nil
        reply(isCut: false)
    }

    func answerFailed(_ failure: UpstreamFailure) {
        transfer = nil
        lostInstance(failure)
    }

    func answerSettled() {}
    func uploadHasRoom() {}
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) { socket.close() }
}

extension BridgeRun: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        switch phase {
        case .waiting: resume()
        case .lost(let failure, _): report(failure)
        case .calling(let call, _) where call.patience != nil:
            received = Received()
            received.status = 504
            reply(isCut: false)
        case .calling:
            let setting = awaitsLongest ? "--stream-timeout" : "--answer-timeout"
            fail(GatewayError(504, LostInstance.late(route.text, after: answerTimeout, setting: setting)))
        case .running, .ended: break
        }
    }
}
