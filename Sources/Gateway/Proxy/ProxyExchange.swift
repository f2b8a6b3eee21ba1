import Addresses
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import Logging
import OpenCode
internal import Projects

/// One proxied request: what the client sends goes to the instance, what the instance answers goes to the client, and
/// either end's leaving ends the other.
final class ProxyExchange {
    /// How far the answer has come.
    enum Phase {
        /// The instance has not answered.
        case waiting
        /// The head is there; it is not on its way to the client yet.
        case held(ResponseHead, BodyLength)
        /// The answer goes through libmicrohttpd.
        case answering
        /// The answer goes out on a socket of its own.
        case detached(DetachedConnection)
        case ended
    }

    /// How long an instance that has answered may read nothing of an upload before the answer is given without the rest.
    static let earlyAnswerGrace = Duration.seconds(1)
    static let lowWater = 64 * 1024

    let owner: GatewayLoop
    /// As the request found it; after it was held back, as it is by then.
    var route: RoutingTable.Route
    let slot: Int
    /// What it follows to its end, whatever is reloaded meanwhile.
    let policy: Policy
    var filter: EventFilter?
    /// What is asked of the instance.
    var target: ArraySlice<UInt8>
    /// Whether the instance does not get the client's field `x-opencode-directory`.
    var dropsDirectory = false
    /// Nor the field `Last-Event-ID`, which means something to the gateway only.
    private var dropsLastEventID = false
    /// Whether it waits for something to be found out before it is sent.
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
    /// Whether the instance may have taken a request that must not be repeated: nobody knows where there is no answer.
    var mayBeTaken = false
    /// Why there is no answer, while it is found out whether somebody has the instance end.
    var lost: UpstreamFailure?

    /// A request that goes to the route's instance, which there is.
    init(
        _ owner: GatewayLoop, _ connection: ClientConnection, _ route: RoutingTable.Route, _ policy: Policy,
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
    /// Until the answer begins, and then without a byte of it. A turn has as long as a stream may be silent; never less than
    /// other answers.
    var answerTimeout: Duration { awaitsLongest ? policy.limits.streamTimeout : policy.limits.answerTimeout }
    private var awaitsLongest: Bool { awaitsTurn && policy.limits.streamTimeout > policy.limits.answerTimeout }

    /// Sends the request on, unless the bridge answers it or the hub has what it asks for.
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

    private func serve(_ reading: EventStreamRequest.Reading, _ connection: ClientConnection) {
        switch reading {
        case .hub(let wish):
            end()
            StreamOpening(owner, connection, route, policy, wish).begin()
        case .passes(let target):
            self.target = target
            passWithoutPlace()
        case .refused(let sentence): fail(400, sentence)
        }
    }

    /// Sends a request for a stream on, without what is the gateway's in it.
    func passWithoutPlace() {
        dropsLastEventID = true
        pass()
    }

    /// Sends the request on, whatever it asks for.
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

    /// Sends an upgrade request on once the run has opened the project's folder. OpenCode 1.18.34 never answers one for a terminal
    /// that is gone where that is the first request about the project (measured).
    private func openFolderFirst(_ endpoint: InstanceEndpoint) {
        holdBack()
        owner.knowledge.openFolder(endpoint) { [self] in
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
            // An announced empty body is announced again; none stays none.
            return connection.head.fields.firstIndex(of: .contentLength) == nil ? .none : .whole([])
        }
        return .whole(connection.takeBody())
    }

    /// Ends the answer as if the instance had broken off: a client must not take it for a clean end.
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

    /// Nothing more will happen; whoever still sends the answer has it all.
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
        if let connection { owner.refuse(connection, status, sentence) }
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
            // It was suspended if more than is held came before the request went on.
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
            fail(504, LostInstance.late(project.string, answerTimeout, setting))
        case .answering, .detached: breakOff()
        case .ended: break
        }
    }
}
