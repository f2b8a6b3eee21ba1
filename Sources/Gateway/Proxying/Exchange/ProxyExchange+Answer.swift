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
        // A new stream would be aborted immediately, and a client that mistakes this for a regular end would not
        // reconnect.
        if owner.isDraining, head.isEventStream, framing != .none { return abort() }
        if ResponseForwarding.refusesCredentials(head), route.endpoint?.enforcesPassword == true {
            return refuseAnswerOfAnother()
        }
        owner.answered(route, with: head, to: target)
        let isEventStream = head.isEventStream && framing != .none
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
        let answer = ResponseForwarding.head(head, policy.crossOriginTerms(connection.head)) {
            InstanceReferences(
                to: instance,
                base: ClientBase(connection.head, segment: segment, isTrusted: policy.trusts(connection.peerAddress)))
        }
        if isEventStream {
            // The filtered stream is shorter than the received one, so its length is unknown.
            let length = filter == nil ? length : .unknown
            detach(connection, with: answer, length: length, policy: .cut(above: policy.limits.streamBacklog))
            guard case .detached(let detached) = phase else { return }
            isStream = true
            // A client that is too slow for its stream is disconnected. The source of the stream is never paused.
            filter?.start(target) { _ = detached.write($0) }
            owner.streamStarted(self)
            arm(policy.limits.streamTimeout)
        } else if isUploading, answer.status >= 300 {
            // The instance does not need the remainder of the body, so the client receives the response now.
            detach(connection, with: answer, length: length, policy: .pauseSource)
        } else if !connection.canBegin(answer, length) {
            detach(connection, with: answer, length: length, policy: .pauseSource)
        } else {
            phase = .held(answer, length)
        }
    }

    /// Replaces a response that rejects the instance's password. Such a response comes from another server that now
    /// uses the port and has not processed the request. A client would interpret a 401 as a rejection of its own key.
    private func refuseAnswerOfAnother() {
        owner.logForeignServer(project, port)
        fail(ControlAnswers.portTaken(port))
    }

    private func detach(
        _ connection: ClientConnection, with head: ResponseHead, length: BodyLength, policy: DetachedConnection.Policy
    ) {
        guard let detached = connection.detach(head, length, policy: policy) else { return }
        self.connection = nil
        isUploading = false
        phase = .detached(detached)
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        owner.counts.progress.add(slot)
        arm(isStream ? policy.limits.streamTimeout : answerTimeout)
        let continues: Bool
        switch phase {
        case .detached(let detached):
            if let filter {
                filter.pass(bytes)
                continues = true
            } else {
                continues = detached.write(bytes)
            }
        case .held, .answering: continues = connection?.write(bytes) ?? true
        case .waiting, .ended: return true
        }
        // While the exchange waits for the client, the client's own time limit applies. This does not apply to a
        // response that is held back, because the client does not read it yet.
        if !continues, !isHeld { timer?.disarm() }
        return continues
    }

    func answerSettled() {
        startHeldAnswer()
        if earlyAnswer != nil { arm(Self.earlyAnswerGrace) }
    }

    private var isHeld: Bool { if case .held = phase { true } else { false } }

    /// The response, if it has arrived completely while the request's body is still being sent; nil otherwise. It is
    /// held back as long as the instance continues to read, because libmicrohttpd responds only after the end of a
    /// body.
    var earlyAnswer: (head: ResponseHead, length: BodyLength)? {
        guard isUploading, case .held(let head, let length) = phase else { return nil }
        if case .none = length { return (head, length) }
        return connection?.waitingLength == length ? (head, length) : nil
    }

    /// Sends the head that is held back, unless the request is still being sent. libmicrohttpd responds only after the
    /// end of the body.
    func startHeldAnswer() {
        guard case .held(let head, let length) = phase, !isUploading else { return }
        phase = .answering
        connection?.startResponse(head, length)
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
                    connection.startResponse(head, connection.waitingLength)
                } else {
                    connection.startResponse(head, length)
                }
            }
        case .answering: connection?.finish(trailers: trailers)
        case .detached(let detached):
            filter?.finish()
            detached.finish(trailers: trailers)
        case .waiting, .ended: break
        }
        upstream = nil
        finish()
    }

    func answerFailed(_ failure: UpstreamFailure) {
        upstream = nil
        switch phase {
        case .held(let head, let length) where isDeliverable(failure, length):
            owner.logFailure(failure, of: project, port: port)
            if isUploading {
                connection?.detach(head, length, policy: .pauseSource)?.abort()
            } else {
                connection?.startResponse(head, length)
                connection?.abort()
            }
            finish()
        case .waiting, .held:
            connection?.dropWaitingAnswer()
            lostInstance(failure)
        case .answering:
            owner.logFailure(failure, of: project, port: port)
            connection?.abort()
            finish()
        case .detached(let detached):
            owner.logFailure(failure, of: project, port: port)
            filter?.finish()
            detached.abort()
            finish()
        case .ended: break
        }
    }

    /// Returns whether the received part of a broken response that has not begun is delivered. It is not delivered if
    /// the client could mistake it for a complete response.
    private func isDeliverable(_ failure: UpstreamFailure, _ length: BodyLength) -> Bool {
        guard case .brokenBody = failure else { return false }
        if case .none = length { return false }
        return connection?.waitingLength != length
    }

    func uploadHasRoom() {
        guard let connection, let upstream, upstream.waitingUpload <= Self.lowWater else { return }
        if !connection.body.isEmpty || connection.isBodyComplete { requestBodyArrived() }
    }

    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {
        upstream = nil
        guard let connection else { return }
        isStream = true
        owner.streamStarted(self)
        timer?.disarm()
        phase = .answering
        let principal = connection.request.principal
        connection.upgrade(ResponseForwarding.upgradeHead(head)) { [owner, policy] client, earlyFromClient, finish in
            guard case .answering = self.phase else {
                finish(0)
                return
            }
            self.connection = nil
            self.tunnel = Tunnel(
                loop: owner.loop, client: client, upstream: socket, earlyFromClient: earlyFromClient,
                earlyFromUpstream: early, idleTimeout: policy.limits.streamTimeout, principal: principal
            ) { bytes in
                finish(bytes)
                self.finish()
            }
        }
    }
}
