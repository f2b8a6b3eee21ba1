import EventLoop
import HTTPClient
import HTTPServer
import HTTPTypes
import Instances
import Logging
import OpenCode

/// One proxied request: what the client sends goes to the instance, what the instance answers goes to the client, and
/// either end's leaving ends the other.
final class ProxyExchange {
    /// How far the answer has come.
    private enum Phase {
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
    private static let earlyAnswerGrace = Duration.seconds(1)
    private static let highWater = 256 * 1024
    private static let lowWater = 64 * 1024

    private let owner: GatewayLoop
    private let route: RoutingTable.Route
    private let slot: Int
    /// Whether its events may be about the route's directories only.
    private let isPinned: Bool
    private var filter: EventFilter?
    private let target: ArraySlice<UInt8>
    private var connection: ClientConnection?
    private var upstream: UpstreamExchange?
    private var tunnel: Tunnel?
    private var timer: LoopTimer?
    private var phase = Phase.waiting
    private var isStream = false
    private var isUploading = false

    /// A request that goes to the route's instance, which there is.
    init(
        _ owner: GatewayLoop, _ connection: ClientConnection, _ route: RoutingTable.Route, isPinned: Bool,
        target: ArraySlice<UInt8>
    ) {
        self.owner = owner
        self.connection = connection
        self.route = route
        slot = route.endpoint?.slot ?? 0
        self.isPinned = isPinned
        self.target = target
    }

    private var project: ProjectName { route.name }
    private var port: UInt16 { route.endpoint?.port ?? 0 }

    /// Sends the request on.
    func start() {
        guard let connection else { return }
        let head = connection.head
        let isUpgrade = RequestForwarding.wantsUpgrade(head) && connection.framing == .none
        let request = UpstreamRequest(
            port: port, method: head.method, methodName: head.methodName, target: target,
            fields: RequestForwarding.fields(
                of: head, from: connection.peerBytes, isTrusted: owner.isTrustedProxy(connection),
                authorization: route.endpoint?.authorization, isUpgrade: isUpgrade, in: owner.takeSpareFields()),
            body: body(of: connection), mayUpgrade: isUpgrade)
        let upstream = owner.client.start(request, follower: self)
        owner.spareFields = request.fields
        guard let upstream else {
            return fail(503, "The gateway has no memory for another request. Try again in a moment.")
        }
        self.upstream = upstream
        connection.exchange = self
        timer = owner.loop.spareTimer(self)
        arm(owner.limits.answerTimeout)
        if isUploading { requestBodyArrived() }
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
        case .waiting, .held: fail(503, "The gateway is shutting down. Try again in a moment.")
        case .answering: connection?.breakOff()
        case .detached(let detached): detached.breakOff()
        case .ended: break
        }
        end()
        tunnel?.close()
    }

    private func arm(_ timeout: Duration) {
        if let timer { owner.loop.arm(timer, after: timeout) }
    }

    /// Nothing more will happen; whoever still sends the answer has it all.
    private func end() {
        phase = .ended
        if isStream { owner.streamEnded(self) }
        isStream = false
        if let timer { owner.loop.giveBack(timer) }
        timer = nil
        upstream?.cancel()
        upstream = nil
        connection = nil
        tunnel = nil
    }

    private func fail(_ status: Int, _ sentence: String) {
        if let connection { owner.refuse(connection, status, sentence) }
        end()
    }
}

// MARK: - From the client

extension ProxyExchange: ServerExchange {
    func requestBodyArrived() {
        guard let connection, let upstream else { return }
        arm(earlyAnswer == nil ? owner.limits.answerTimeout : Self.earlyAnswerGrace)
        if upstream.waitingUpload < Self.highWater { connection.withBody { upstream.upload(&$0) } }
        if connection.isBodyComplete, connection.body.isEmpty {
            isUploading = false
            upstream.finishUpload()
            beginHeldAnswer()
        }
    }

    func responseDrained() {
        arm(isStream ? owner.limits.streamTimeout : owner.limits.answerTimeout)
        upstream?.resume()
    }

    func clientGone() { end() }
}

// MARK: - From the instance

extension ProxyExchange: UpstreamFollower {
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
        owner.progress.add(slot)
        guard let connection else { return }
        if ResponseForwarding.refusesCredentials(head), route.endpoint?.enforcesPassword == true {
            return refuseAnswerOfAnother()
        }
        let isEventStream = head.isEventStream && framing != .none
        let length = ResponseForwarding.length(framing, head)
        if isEventStream, isPinned, let scope = route.scope, EventFilter.isWanted(for: target) {
            guard !EventFilter.isEncoded(head) else { return fail(502, EventFilter.encoded) }
            filter = EventFilter(scope, limit: owner.limits.streamBacklog)
        }
        let answer = ResponseForwarding.head(head, owner.crossOriginTerms(connection))
        if isEventStream {
            // What a filter leaves is not as long as what comes.
            let length = filter == nil ? length : .unknown
            detach(connection, answer, length, .cut(above: owner.limits.streamBacklog))
            guard case .detached = phase else { return }
            isStream = true
            owner.streamStarted(self)
            arm(owner.limits.streamTimeout)
        } else if isUploading, answer.status >= 300 {
            // The instance does not want the rest of the body: the client learns it now.
            detach(connection, answer, length, .pauseSource)
        } else if !connection.canBegin(answer, length) {
            detach(connection, answer, length, .pauseSource)
        } else {
            phase = .held(answer, length)
        }
    }

    /// Who refuses the instance's password is not the instance: another server has its port now, and has done nothing
    /// with the request. A client would take a 401 for its own key's.
    private func refuseAnswerOfAnother() {
        owner.log.warning(
            "another server has the instance's port: it refuses its password", LogField("project", project.string),
            LogField("port", port))
        if let connection { owner.answer(connection, ControlAnswers.portTaken(port)) }
        end()
    }

    private func detach(
        _ connection: ClientConnection, _ head: ResponseHead, _ length: BodyLength, _ policy: DetachedConnection.Policy
    ) {
        guard let detached = connection.detach(head, length, policy: policy) else { return }
        self.connection = nil
        isUploading = false
        phase = .detached(detached)
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        owner.progress.add(slot)
        arm(isStream ? owner.limits.streamTimeout : owner.limits.answerTimeout)
        let goesOn: Bool
        switch phase {
        case .detached(let detached) where filter == nil: goesOn = detached.write(bytes)
        case .detached(let detached):
            filter?.pass(bytes, to: detached, owner.log, project)
            goesOn = true
        case .held, .answering: goesOn = connection?.write(bytes) ?? true
        case .waiting, .ended: return true
        }
        // While the client is what everybody waits for, its own deadline counts.
        if !goesOn { timer?.disarm() }
        if earlyAnswer != nil { arm(Self.earlyAnswerGrace) }
        return goesOn
    }

    func answerSettled() { beginHeldAnswer() }

    /// An answer that is whole while the request's body is still being sent. It is held for as long as the instance goes on
    /// reading, because libmicrohttpd answers only behind a body.
    private var earlyAnswer: (head: ResponseHead, length: BodyLength)? {
        guard isUploading, case .held(let head, let length) = phase, connection?.waitingLength == length else {
            return nil
        }
        return (head, length)
    }

    /// Lets the held head go, unless the request is still being sent: libmicrohttpd answers only then.
    private func beginHeldAnswer() {
        guard case .held(let head, let length) = phase, !isUploading else { return }
        phase = .answering
        connection?.begin(head, length)
    }

    func answerEnded(trailers received: FieldList) {
        let trailers = ResponseForwarding.trailers(received)
        switch phase {
        case .held(let head, let length):
            guard let connection else { break }
            if isUploading {
                let detached = connection.detach(head, length, policy: .pauseSource)
                detached?.finish(trailers: trailers)
            } else {
                connection.finish(trailers: trailers)
                if case .unknown = length, trailers.count == 0 {
                    connection.begin(head, connection.waitingLength)
                } else {
                    connection.begin(head, length)
                }
            }
        case .answering: connection?.finish(trailers: trailers)
        case .detached(let detached): detached.finish(trailers: trailers)
        case .waiting, .ended: break
        }
        upstream = nil
        end()
    }

    func answerFailed(_ failure: UpstreamFailure) {
        upstream = nil
        owner.note(failure, project, port)
        switch phase {
        case .held(let head, let length) where isDeliverable(failure, length):
            if isUploading {
                connection?.detach(head, length, policy: .pauseSource)?.breakOff()
            } else {
                connection?.begin(head, length)
                connection?.breakOff()
            }
            end()
        case .waiting, .held:
            connection?.dropWaitingAnswer()
            switch failure {
            case .refused: fail(503, "Cannot connect to OpenCode instance on port \(port)")
            case .noAnswer(let reason):
                fail(502, "Proxy error: OpenCode ended the connection without an answer (\(reason)).")
            case .badAnswer(let reason): fail(502, "Proxy error: OpenCode's answer cannot be trusted: \(reason).")
            case .brokenBody(let reason): fail(502, "Proxy error: OpenCode's answer broke off: \(reason).")
            }
        case .answering:
            connection?.breakOff()
            end()
        case .detached(let detached):
            detached.breakOff()
            end()
        case .ended: break
        }
    }

    /// Whether a broken answer that has not begun is delivered as far as it came: not where the client could take it
    /// for whole.
    private func isDeliverable(_ failure: UpstreamFailure, _ length: BodyLength) -> Bool {
        guard case .brokenBody = failure else { return false }
        if case .none = length { return false }
        return connection?.waitingLength != length
    }

    func uploadDrained() {
        guard let connection, let upstream, upstream.waitingUpload <= Self.lowWater else { return }
        if !connection.body.isEmpty || connection.isBodyComplete { requestBodyArrived() }
        connection.bodyTaken()
    }

    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {
        upstream = nil
        guard let connection else { return }
        isStream = true
        owner.streamStarted(self)
        timer?.disarm()
        phase = .answering
        connection.upgrade(ResponseForwarding.upgradeHead(head)) { [owner] client, earlyFromClient, finish in
            guard case .answering = self.phase else {
                finish(0)
                return
            }
            self.connection = nil
            self.tunnel = Tunnel(
                loop: owner.loop, client: client, upstream: socket, earlyFromClient: earlyFromClient,
                earlyFromUpstream: early, idleTimeout: owner.limits.streamTimeout
            ) { bytes in
                finish(bytes)
                self.end()
            }
        }
    }
}

// MARK: - Deadlines

extension ProxyExchange: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        if let (head, length) = earlyAnswer, let detached = connection?.detach(head, length, policy: .pauseSource) {
            detached.finish()
            return end()
        }
        upstream?.cancel()
        switch phase {
        case .waiting, .held:
            connection?.dropWaitingAnswer()
            let limit = owner.limits.answerTimeout
            fail(
                504,
                "OpenCode instance for \(project.string) did not answer within \(limit.plainText) (--answer-timeout). Its turn may still be running: look at the session before you send it again."
            )
        case .answering, .detached: breakOff()
        case .ended: break
        }
    }
}
