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

/// The receiver of the results of a bridge run. All methods are called on the loop's thread.
protocol BridgeDelegate: AnyObject {
    /// Receives the complete answer. No other call follows.
    func answered(_ answer: ClientAnswer)
    /// Receives the beginning of an answer whose body is streamed.
    func started(_ answer: ClientAnswer)
    /// Receives the next part of the body. Returns false if the next part may only follow after ``BridgeRun/goOn()``.
    func wrote(_ bytes: [UInt8]) -> Bool
    /// Called when the body is complete. No other call follows.
    func completed()
    /// Called when the answer cannot be completed. A client must recognize the begun answer as aborted. No other call
    /// follows.
    func aborted()
    /// Receives the gateway's error if there is no answer; no other call follows.
    func failed(_ error: GatewayError)
}

/// A request in OpenCode 1's API. It executes the bridge's steps one after the other on its loop, and sends the calls
/// to the instance. A worker thread reads and writes the JSON.
final class BridgeRun {
    /// The event that the run waits for.
    enum Phase {
        /// The next step from the worker.
        case working
        /// The answer of the instance to a call.
        case calling(BridgeCall, next: @Sendable (Reply) -> BridgeStep)
        /// Whether the instance has a stop initiator, after the instance has aborted a call.
        case lost(UpstreamFailure)
        /// A timer, the session's lock, or the client.
        case waiting(next: BridgeAction.Next)
        case ended
    }

    /// The received part of an instance's answer.
    private struct Received {
        var status = 0
        var type: String?
        var nextCursor: String?
        var body: [UInt8] = []
    }

    /// The maximum size in bytes of an answer whose translation takes only a few tenths of a millisecond.
    private static let shortReply = 16 * 1024

    let bridge: BridgeFeature
    let route: RoutingTable.Route
    private let limits: GatewayLimits
    private var delegate: (any BridgeDelegate)?
    private var number = 0
    var phase = Phase.working
    private(set) var hasBegun = false
    /// Whether any call may have made the instance execute an operation that must not be repeated.
    var mayBeReceived = false
    /// The value of ``mayBeReceived`` before the last call.
    private(set) var isPartlyDone = false
    /// Whether the client has disconnected. Changes that have begun are still completed, as OpenCode 1 does.
    private var isAbandoned = false
    private var turn: String?
    /// The watch for the end of the session's turn (``TurnEnds``).
    private var watch: Int?
    private var holdsEnd = false
    private var awaitsStreams = false
    private var received = Received()
    private var transfer: UpstreamTransfer?
    private var timer: LoopTimer?

    /// Starts the steps that `first` begins, and reports the answer to `follower`, but not during this initializer.
    ///
    /// - Parameter isShort: Whether `first` runs on this thread instead of a worker thread. Its initial call is then
    ///   sent immediately.
    init(
        _ bridge: BridgeFeature, to route: RoutingTable.Route, limits: GatewayLimits,
        delegate: any BridgeDelegate,
        isShort: Bool, first: @escaping BridgeAction.Next
    ) {
        self.bridge = bridge
        self.route = route
        self.limits = limits
        self.delegate = delegate
        timer = owner.loop.spareTimer(self)
        number = bridge.add(self)
        if isShort, route.endpoint != nil, isRouted { performInline(first) } else { schedule(first) }
    }

    var owner: GatewayLoop { bridge.owner }

    /// Runs the next step on a worker. `isLong` is whether the step may take a millisecond or more, as a page of a long
    /// list does.
    private func schedule(isLong: Bool? = nil, _ next: @escaping BridgeAction.Next) {
        phase = .working
        bridge.schedule(number, isLong: isLong ?? hasBegun, next)
    }

    /// Runs the first step without a worker. An answer is delivered through the mailbox, like that of a worker.
    private func performInline(_ first: BridgeAction.Next) {
        let action = BridgeAction(first())
        if case .call = action {
            perform(action)
        } else {
            owner.mailbox?.post(.feature(BridgeMessage.steps([(number, action)])))
        }
    }

    /// Executes the worker's next action.
    func perform(_ action: BridgeAction) {
        guard case .working = phase else { return }
        if isAbandoned, !action.isShort { return close() }
        switch action {
        case .call(let call, let next): send(call, next)
        case .hold(let session, let next):
            guard let mailbox = owner.mailbox, turn == nil else { return schedule(next) }
            phase = .waiting(next: next)
            if bridge.threads.turns.acquire(session, run: number, of: mailbox) { acquiredTurn(of: session) }
        case .release(let next):
            releaseTurn()
            schedule(next)
        case .watchTurn(let session, let holds, let next):
            if watch == nil, let events = bridge.events {
                holdsEnd = holds
                watch = events.watchTurn(of: session, route.name, holds: holds)
            }
            schedule(next)
        case .awaitStreams(let next): awaitStreams(next)
        case .publish(let event, let next):
            if let watch { bridge.events?.turnEnds.publish(event, after: watch) }
            schedule(next)
        case .pause(let milliseconds, let next):
            phase = .waiting(next: next)
            arm(.milliseconds(milliseconds))
        case .answer(let answer): finish { $0.answered(answer) }
        case .begin(let answer, let next):
            hasBegun = true
            delegate?.started(answer)
            if case .working = phase { schedule(next) }
        case .write(let bytes, let next):
            phase = .waiting(next: next)
            if delegate?.wrote(bytes) == true { resume() }
        case .end: finish { $0.completed() }
        case .abort: finish { $0.aborted() }
        }
    }

    /// Resumes after the client has read enough, the time has passed, or the session was acquired.
    func resume() {
        guard case .waiting(let next) = phase else { return }
        timer?.disarm()
        awaitsStreams = false
        schedule(next)
    }

    /// Records that the run holds the session until it releases it.
    func acquiredTurn(of session: String) {
        turn = session
        resume()
    }

    private func awaitStreams(_ next: @escaping BridgeAction.Next) {
        guard let watch, let events = bridge.events, let mailbox = owner.mailbox else { return schedule(next) }
        switch events.turnEnds.wait(watch, run: number, of: mailbox) {
        case .nothing: schedule(next)
        case .pause:
            phase = .waiting(next: next)
            arm(TurnEnds.pause)
        case .streams:
            phase = .waiting(next: next)
            awaitsStreams = true
            arm(TurnEnds.longestWait)
        }
    }

    /// Called after the streams have sent the events that the run waits for.
    func streamed() {
        guard awaitsStreams, case .waiting = phase else { return }
        awaitsStreams = false
        if holdsEnd { arm(TurnEnds.pause) } else { resume() }
    }

    private func releaseTurn() {
        if let turn { bridge.threads.turns.release(turn) }
        turn = nil
    }

    // MARK: Calls

    private func send(_ call: BridgeCall, _ next: @escaping @Sendable (Reply) -> BridgeStep) {
        guard let endpoint = route.endpoint, isRouted else { return endOfInstance() }
        phase = .calling(call, next: next)
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
        transfer = owner.client.start(request, follower: self)
        arm(answerTimeout)
    }

    /// The time limit for the beginning of the answer, and then for each further byte, as for forwarded requests.
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
        guard case .calling(_, let next) = phase else { return }
        let reply = Reply(
            status: received.status, type: received.type, nextCursor: received.nextCursor, body: received.body,
            isCut: isCut)
        received = Received()
        schedule(isLong: reply.body.count > Self.shortReply) { next(reply) }
    }

    // MARK: The end

    /// Records that the client has disconnected. A run that only reads ends. A run that changes something continues,
    /// unless it lasts as long as a turn.
    func abandon(isReading: Bool) {
        delegate = nil
        isAbandoned = true
        if case .waiting = phase, turn != nil || isReading || hasBegun { return close() }
        if isReading { return close() }
        if case .calling(let call, _) = phase, call.isLong, !call.isOwed { close() }
    }

    /// Ends the run with this error instead of an answer. An answer that has begun is aborted.
    func fail(_ error: GatewayError) {
        finish { hasBegun ? $0.aborted() : $0.failed(error) }
    }

    private func finish(_ notify: (any BridgeDelegate) -> Void) {
        guard let delegate else { return close() }
        close()
        notify(delegate)
    }

    private func close() {
        if case .ended = phase { return }
        phase = .ended
        transfer?.cancel()
        transfer = nil
        if let timer { owner.loop.release(timer) }
        timer = nil
        releaseTurn()
        if let watch { bridge.events?.turnEnds.stopWatching(watch) }
        watch = nil
        delegate = nil
        bridge.remove(number)
    }
}

extension BridgeAction {
    /// Whether the action is executed for a client that has disconnected. Only calls and their preparation are
    /// executed. A call that waits for the end of a turn is executed only if settings must be restored afterwards.
    fileprivate var isShort: Bool {
        switch self {
        case .call(let call, _): !call.isLong || call.isOwed
        case .hold, .release, .watchTurn: true
        default: false
        }
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
        for index in 0..<fields.count where fields.name(at: index).equalsIgnoringCase(Array("x-next-cursor".utf8)) {
            return String(decoding: fields.value(at: index), as: UTF8.self)
        }
        return nil
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
        case .lost(let failure): report(failure)
        case .calling(let call, _) where call.patience != nil:
            received = Received()
            received.status = 504
            reply(isCut: false)
        case .calling:
            let setting = awaitsLongest ? "--stream-timeout" : "--answer-timeout"
            fail(GatewayError(504, LostInstance.late(route.text, after: answerTimeout, setting: setting)))
        case .working, .ended: break
        }
    }
}
