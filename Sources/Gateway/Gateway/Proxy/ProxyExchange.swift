// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import Logging
import OpenCode
internal import Projects

/// One proxied request. The client's bytes are forwarded to the instance, and the instance's answer to the client. If
/// either peer disconnects, the exchange with the other one ends as well.
final class ProxyExchange {
    /// The progress of the answer.
    enum Phase {
        /// The instance has not answered.
        case waiting
        /// The head has arrived, but is not being sent to the client yet.
        case held(ResponseHead, BodyLength)
        /// The answer is sent through libmicrohttpd.
        case answering
        /// The answer is sent on a detached socket.
        case detached(DetachedConnection)
        case ended
    }

    /// The time limit for an instance that has answered to continue reading an upload. After it, the answer is sent
    /// without the rest.
    static let earlyAnswerGrace = Duration.seconds(1)
    static let lowWater = 64 * 1024

    let owner: GatewayLoop
    /// The route at the start of the request, or at the end of its hold.
    var route: RoutingTable.Route
    let slot: Int
    /// The policy of the request until its end, regardless of reloads.
    let policy: Policy
    var filter: EventFilter?
    /// The target that the instance receives.
    var target: ArraySlice<UInt8>
    /// Whether the client's field `x-opencode-directory` is withheld from the instance.
    var dropsDirectory = false
    /// Whether the field `Last-Event-ID` is withheld from the instance, because only the gateway understands it.
    private var dropsLastEventID = false
    /// Whether the request waits for information before it is forwarded.
    var isHeldBack = false
    /// Whether its answer comes at the end of a turn.
    private let awaitsTurn: Bool
    var connection: ClientConnection?
    var upstream: UpstreamTransfer?
    var tunnel: Tunnel?
    var timer: LoopTimer?
    var phase = Phase.waiting
    var isStream = false
    var isUploading = false
    /// Whether the instance may have received a request that must not be repeated; without an answer this is unknown.
    var mayBeTaken = false
    /// The reason for the missing answer, while a stop initiator may still become known.
    var lost: UpstreamFailure?

    /// Creates an exchange for a request; the route must have an instance.
    init(
        _ owner: GatewayLoop, _ connection: ClientConnection, route: RoutingTable.Route, policy: Policy,
        target: ArraySlice<UInt8>
    ) {
        self.owner = owner
        self.connection = connection
        self.route = route
        slot = route.endpoint?.slot ?? 0
        self.policy = policy
        self.target = target
        awaitsTurn = TurnRoutes.contains(connection.head.methodName, target)
    }

    var project: ProjectName { route.name }
    var port: UInt16 { instance.port }
    var instance: InstanceAddress { route.endpoint?.address ?? .loopback(0) }
    /// The time limit until the answer begins, and then the limit without a byte of it. A turn has the limit of a
    /// silent stream, but never less than other answers.
    var answerTimeout: Duration { awaitsLongest ? policy.limits.streamTimeout : policy.limits.answerTimeout }
    private var awaitsLongest: Bool { awaitsTurn && policy.limits.streamTimeout > policy.limits.answerTimeout }

    /// Forwards the request, unless the bridge or the hub answers it.
    func start() {
        if route.speaksOpenCode2, policy.isOpenCode1Compatible, BridgeRequest.isPossible(target), bridges() { return }
        if owner.events != nil, EventStreamRequest.isPossible(target), let connection, connection.head.method == .get,
            let reading = EventStreamRequest.read(
                connection.head, target, of: route, isOpenCode1Compatible: policy.isOpenCode1Compatible)
        {
            return serve(reading, connection)
        }
        pass()
    }

    private func serve(_ reading: EventStreamRequest.Decision, _ connection: ClientConnection) {
        switch reading {
        case .hub(let wish):
            end()
            StreamOpening(owner, connection, route: route, policy: policy, request: wish).begin()
        case .passes(let target):
            self.target = target
            passWithoutPlace()
        case .refused(let sentence): fail(400, sentence)
        }
    }

    /// Forwards a request for a stream without the gateway's own parameters and fields.
    func passWithoutPlace() {
        dropsLastEventID = true
        pass()
    }

    /// Forwards the request to the instance, even if the bridge or the hub could answer it.
    func pass() {
        guard let connection else { return }
        let head = connection.head
        let isUpgrade = RequestForwarding.wantsUpgrade(head) && connection.framing == .none
        if isUpgrade, let endpoint = route.endpoint, endpoint.family == .one, !owner.knowledge.isOpen(endpoint) {
            return openFolderFirst(endpoint)
        }
        var request = UpstreamRequest(
            instance: instance, method: head.method, methodName: head.methodName, target: target,
            fields: RequestForwarding.fields(
                of: head, from: connection.peerBytes, isTrusted: policy.trusts(connection.peerAddress),
                authorization: route.endpoint?.authorization, isUpgrade: isUpgrade, in: owner.client.spareFields.take()),
            body: body(of: connection), mayUpgrade: isUpgrade)
        if dropsDirectory { request.fields.keep { field, _ in field != .openCodeDirectory } }
        if dropsLastEventID { request.fields = EventStreamRequest.withoutPlace(request.fields) }
        mayBeTaken = request.connectionChoice != .kept
        upstream = owner.client.start(request, follower: self)
        owner.client.spareFields.giveBack(request.fields)
        connection.exchange = self
        timer = owner.loop.spareTimer(self)
        arm(answerTimeout)
        if isUploading { requestBodyArrived() }
    }

    /// Forwards an upgrade request once the run has opened the project's folder. If it is the first request about the
    /// project, OpenCode 1.18.34 never answers an upgrade for a terminal that no longer exists (measured).
    private func openFolderFirst(_ endpoint: InstanceEndpoint) {
        holdBack()
        owner.awaitFolder(endpoint) { [self] in
            if letGo() { pass() }
        }
    }

    private func body(of connection: ClientConnection) -> UpstreamRequest.Body {
        guard connection.isBodyComplete else {
            isUploading = true
            if case .length(let length) = connection.framing { return .streamed(length: length) }
            return .streamed(length: nil)
        }
        if connection.framing == .none {
            // An announced empty body is announced again; a missing body stays missing.
            return connection.head.fields.firstIndex(of: .contentLength) == nil ? .none : .whole([])
        }
        return .whole(connection.takeBody())
    }

    /// Aborts the answer as if the instance had aborted it: a client must not mistake this for a clean end.
    func breakOff() {
        let tunnel = self.tunnel
        upstream?.cancel()
        switch phase {
        case .waiting, .held:
            connection?.dropWaitingAnswer()
            if let connection {
                owner.answer(connection, ControlAnswers.shuttingDown(before: project.string, mayBeTaken: mayBeTaken))
            }
        case .answering: connection?.breakOff()
        case .detached(let detached): detached.breakOff()
        case .ended: break
        }
        end()
        tunnel?.close()
    }

    func arm(_ timeout: Duration) {
        if let timer { owner.loop.arm(timer, after: timeout) }
    }

    /// Ends the exchange. A component that is still sending the answer already has all of it.
    func end() {
        phase = .ended
        if lost != nil || isHeldBack { owner.undecided[ObjectIdentifier(self)] = nil }
        lost = nil
        isHeldBack = false
        if isStream { owner.streamEnded(self) }
        isStream = false
        if let timer { owner.loop.giveBack(timer) }
        timer = nil
        upstream?.cancel()
        upstream = nil
        connection = nil
        tunnel = nil
        filter?.leave()
        filter = nil
    }

    func fail(_ status: Int, _ sentence: String) {
        if let connection { owner.refuse(connection, status: status, sentence) }
        end()
    }
}

// MARK: - From the client

extension ProxyExchange: ServerExchange {
    func requestBodyArrived() {
        guard let connection, let upstream else { return }
        arm(earlyAnswer == nil ? answerTimeout : Self.earlyAnswerGrace)
        if upstream.waitingUpload <= Self.lowWater {
            connection.withBody { upstream.upload(&$0) }
            // Resumes the connection, which is suspended if more bytes arrived before forwarding than are buffered.
            connection.bodyTaken()
        }
        if connection.isBodyComplete, connection.body.isEmpty {
            isUploading = false
            upstream.finishUpload()
            beginHeldAnswer()
        }
    }

    func resumeResponse() {
        arm(isStream ? policy.limits.streamTimeout : answerTimeout)
        upstream?.resume()
    }

    func clientGone() { end() }
}

// MARK: - Deadlines

extension ProxyExchange: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        if let lost { return tell(lost) }
        if let (head, length) = earlyAnswer, let detached = connection?.detach(head, length, policy: .pauseSource) {
            detached.finish()
            return end()
        }
        upstream?.cancel()
        switch phase {
        case .waiting, .held:
            connection?.dropWaitingAnswer()
            let setting = awaitsLongest ? "--stream-timeout" : "--answer-timeout"
            fail(504, LostInstance.late(project.string, after: answerTimeout, setting: setting))
        case .answering, .detached: breakOff()
        case .ended: break
        }
    }
}
