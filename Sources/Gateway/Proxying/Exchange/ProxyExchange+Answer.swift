// SPDX-License-Identifier: Apache-2.0

import Addresses
import DirectoryPinning
import EventLoop
import GatewayCore
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import Logging
import OpenCodeFamilies
internal import Projects

/// Forwards the instance's response to the client as it arrives.
extension ProxyExchange: UpstreamDelegate {
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
        owner.counts.progress.add(slot)
        guard let connection else { return }
        let isEventStream = head.isEventStream && framing != .none
        switch state.judgeHead(
            isEventStream: isEventStream, isDraining: owner.isDraining,
            refusesPassword: ResponseForwarding.refusesCredentials(head) && route.endpoint?.enforcesPassword == true)
        {
        case .accept: break
        case .abort: return abort()
        case .reportForeignServer: return reportForeignServer()
        }
        if isEventStream, let refusal = owner.streamRefusal(of: connection) { return fail(refusal) }
        owner.answered(route, with: head, to: target)
        let length = ResponseForwarding.length(framing, head)
        if isEventStream, policy.pinsDirectories, let scope = route.scope, let endpoint = route.endpoint,
            EventFilter.isWanted(for: target)
        {
            guard !EventFilter.isEncoded(head) else { return fail(GatewayError(502, EventFilter.encoded)) }
            filter = EventFilter(
                scope, limit: policy.limits.streamBacklog,
                sessionIndex: feature.pinning.sessions.startRun(route, endpoint),
                log: owner.log)
        }
        var answer = ResponseForwarding.head(head, policy.crossOriginTerms(connection.head)) {
            InstanceReferences(
                to: instance,
                base: ClientBase(
                    connection.head, segment: segment, isTrusted: policy.trusts(connection.peerAddress),
                    isAtRoot: connection.request.isAtRoot))
        }
        answer.fields.removeCookies(policy)
        if AgentFile.isNamed(by: target) { AgentFile.isolate(&answer) }
        switch state.receiveHead(
            isEventStream: isEventStream, status: answer.status, length: length,
            canBegin: connection.canBegin(answer, length))
        {
        case .stream: startStream(on: connection, with: answer, length: length)
        case .detach: detach(connection, with: answer, length: length, policy: .pauseSource, isStream: false)
        case .hold: heldHead = answer
        }
    }

    private func startStream(on connection: ClientConnection, with head: ResponseHead, length: BodyLength) {
        // A filtered stream is shorter than the received stream, so the length of the filtered stream is unknown.
        let length = filter == nil ? length : .unknown
        // The gateway disconnects a client that is too slow for its stream, instead of pausing the instance.
        detach(
            connection, with: head, length: length, policy: .cut(above: policy.limits.streamBacklog), isStream: true)
        guard let detached else { return }
        filter?.start(target) { _ = detached.write($0) }
        owner.streamStarted(self)
        arm(.stream)
    }

    /// Replaces a response that rejects the instance's password. Such a response comes from another server that now
    /// uses the port and has not processed the request. A client would interpret a 401 as a rejection of its own key.
    private func reportForeignServer() {
        owner.logForeignServer(project, port)
        fail(ControlAnswers.portTaken(port))
    }

    private func detach(
        _ connection: ClientConnection, with head: ResponseHead, length: BodyLength, policy: DetachedConnection.Policy,
        isStream: Bool
    ) {
        guard let detached = connection.detach(head, length, policy: policy) else { return }
        self.connection = nil
        self.detached = detached
        state.recordDetached(isStream: isStream)
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        owner.counts.progress.add(slot)
        arm(state.deadline)
        let continues: Bool
        switch state.bodySink {
        case .detached:
            if let filter {
                filter.pass(bytes)
                continues = true
            } else {
                continues = detached?.write(bytes) ?? true
            }
        case .connection: continues = connection?.write(bytes) ?? true
        case .nothing: return true
        }
        // While the exchange waits for the client, the client's own time limit applies.
        if !continues, state.isClientReading { timer?.disarm() }
        return continues
    }

    func answerSettled() {
        startHeldAnswer()
        if state.earlyAnswer(buffered: connection?.waitingLength) != nil { arm(.earlyAnswer) }
    }

    /// Starts the response that is held back, if the request's body was sent completely.
    func startHeldAnswer() {
        guard let length = state.startHeldAnswer(), let head = heldHead.take() else { return }
        connection?.startResponse(head, length)
    }

    func answerEnded(trailers received: FieldList) {
        let trailers = ResponseForwarding.trailers(received)
        switch state.endAction(hasTrailers: trailers.count > 0) {
        case .detachWhole(let length):
            if let connection, let heldHead {
                connection.detach(heldHead, length, policy: .pauseSource)?.finish(trailers: trailers)
            }
        case .startWhole(let length, let isLengthBuffered):
            if let connection, let heldHead {
                connection.finish(trailers: trailers)
                connection.startResponse(heldHead, isLengthBuffered ? connection.waitingLength : length)
            }
        case .finishConnection: connection?.finish(trailers: trailers)
        case .finishDetached:
            filter?.finish()
            detached?.finish(trailers: trailers)
        case .nothing: break
        }
        upstream = nil
        finish()
    }

    func answerFailed(_ failure: UpstreamFailure) {
        upstream = nil
        let action = state.failureAction(for: failure, buffered: connection?.waitingLength)
        switch action {
        case .reportLoss:
            connection?.dropWaitingAnswer()
            return reportLoss(after: failure)
        case .nothing: return
        case .detachPart, .startPart, .abortConnection, .abortDetached:
            owner.logFailure(failure, of: project, port: port)
        }
        switch action {
        case .detachPart(let length):
            if let connection, let heldHead { connection.detach(heldHead, length, policy: .pauseSource)?.abort() }
        case .startPart(let length):
            if let connection, let heldHead {
                connection.startResponse(heldHead, length)
                connection.abort()
            }
        case .abortConnection: connection?.abort()
        case .abortDetached:
            filter?.finish()
            detached?.abort()
        case .reportLoss, .nothing: break
        }
        finish()
    }

    func uploadHasRoom() {
        guard let connection, let upstream, upstream.waitingUpload <= Self.lowWater else { return }
        if !connection.body.isEmpty || connection.isBodyComplete { requestBodyArrived() }
    }

    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {
        upstream = nil
        guard let connection else { return }
        state.switchProtocols()
        owner.streamStarted(self)
        timer?.disarm()
        let usedRights = connection.request.usedRights
        owner.recordNow(connection, status: 101)
        connection.upgrade(ResponseForwarding.upgradeHead(head)) { [owner, policy] client, earlyFromClient, finish in
            guard self.state.response == .sending else {
                finish(0)
                return
            }
            self.connection = nil
            self.tunnel = Tunnel(
                loop: owner.loop, client: client, upstream: socket, earlyFromClient: earlyFromClient,
                earlyFromUpstream: early, idleTimeout: policy.limits.streamTimeout, usedRights: usedRights
            ) { bytes in
                finish(bytes)
                self.finish()
            }
        }
    }
}
