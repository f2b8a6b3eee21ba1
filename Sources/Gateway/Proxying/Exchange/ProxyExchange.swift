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

/// A proxied request. The exchange forwards the client's bytes to the instance, and the instance's response to the
/// client. If either peer disconnects, the exchange with the other peer ends as well.
final class ProxyExchange {
    /// The time for which an instance that has already responded may continue to read an upload. Afterwards, the
    /// exchange sends the response without the remainder of the upload.
    static let earlyAnswerGrace = Duration.seconds(1)
    static let lowWater = 64 * 1024

    let feature: ProxyFeature
    let owner: GatewayLoop
    /// The route at the start of the exchange.
    let route: RoutingTable.Route
    let slot: Int
    /// The policy that applies to the request until its end, even after a reload.
    let policy: Policy
    var filter: EventFilter?
    /// The target that the gateway sends to the instance.
    let target: ArraySlice<UInt8>
    /// The project's name as it appears in the path.
    let segment: ArraySlice<UInt8>
    private let withholdsDirectory: Bool
    private let withholdsLastEventID: Bool
    /// The body of the request if the gateway has examined it.
    private let examinedBody: [UInt8]?
    /// Whether the response to the request comes at the end of a turn.
    private let awaitsTurn: Bool
    var connection: ClientConnection?
    var upstream: UpstreamTransfer?
    var tunnel: Tunnel?
    var timer: LoopTimer?
    var state = ProxyExchangeState()
    /// The head of a response that is held back.
    var heldHead: ResponseHead?
    /// The client's socket, if the gateway itself sends the response.
    var detached: DetachedConnection?

    /// Creates an exchange for a request. The route must have an instance.
    init(_ feature: ProxyFeature, _ request: InstanceRequest) {
        self.feature = feature
        owner = feature.gateway
        connection = request.connection
        route = request.route
        slot = request.route.endpoint?.slot ?? 0
        policy = request.policy
        target = request.target
        segment = request.segment
        withholdsDirectory = request.withholdsDirectory
        withholdsLastEventID = request.withholdsLastEventID
        examinedBody = request.content?.examinedBody
        awaitsTurn = TurnRoutes.contains(request.connection.head.methodName, request.target)
    }

    var project: ProjectName { route.name }
    var port: UInt16 { instance.port }
    var instance: InstanceAddress { route.endpoint?.address ?? .loopback(0) }
    /// The time limit for the beginning of the response, and then for each further byte. For a response at the end of a
    /// turn, the limit is that of a silent stream, but never less than for other responses.
    var answerTimeout: Duration { awaitsLongest ? policy.limits.streamTimeout : policy.limits.answerTimeout }
    private var awaitsLongest: Bool { awaitsTurn && policy.limits.streamTimeout > policy.limits.answerTimeout }

    /// Forwards the request to the instance.
    ///
    /// - Parameter isUpgrade: Whether the request is for a switch to WebSocket.
    func start(isUpgrade: Bool) {
        guard let connection else { return }
        let head = connection.head
        var request = UpstreamRequest(
            instance: instance, method: head.method, methodName: head.methodName, target: target,
            fields: RequestForwarding.fields(
                of: head, from: connection.peerBytes, isTrusted: policy.trusts(connection.peerAddress),
                authorization: route.endpoint?.authorization, isUpgrade: isUpgrade, in: owner.client.fieldPool.acquire()
            ),
            body: examinedBody.map { .whole($0) } ?? Self.body(of: connection), mayUpgrade: isUpgrade)
        request.fields.removeSignIn(policy)
        if withholdsDirectory { request.fields.keep { field, _ in field != .openCodeDirectory } }
        if withholdsLastEventID { request.fields = RequestForwarding.withoutLastEventID(request.fields) }
        state.start(isUploading: !connection.isBodyComplete, mayBeReceived: request.connectionChoice != .kept)
        reportAbort(by: head.methodName)
        upstream = owner.client.start(request, delegate: self)
        owner.client.fieldPool.release(request.fields)
        connection.exchange = self
        timer = owner.loop.pooledTimer(self)
        arm(answerTimeout)
        if state.isUploading { requestBodyArrived() }
    }

    /// Reports an abort by a client of OpenCode 1 before the exchange forwards the abort.
    private func reportAbort(by method: String) {
        guard let report = feature.sessionAborted, route.endpoint?.family == .one,
            let session = TurnRoutes.abortedSession(method, target)
        else { return }
        report(project, session)
    }

    private static func body(of connection: ClientConnection) -> UpstreamRequest.Body {
        guard connection.isBodyComplete else {
            if case .length(let length) = connection.framing { return .streamed(length: length) }
            return .streamed(length: nil)
        }
        if connection.framing == .none {
            // If the client has announced an empty body, announce it to the instance as well. Do not
            // announce a missing body.
            return connection.head.fields.firstIndex(of: .contentLength) == nil ? .none : .whole([])
        }
        return .whole(connection.takeBody())
    }

    /// Aborts the response as if the instance had aborted it, so that no client mistakes the abort for a regular end.
    func abort() {
        let tunnel = self.tunnel
        upstream?.cancel()
        switch state.abortAction {
        case .refuse:
            connection?.dropWaitingAnswer()
            if let connection {
                owner.refuse(
                    connection, ControlAnswers.shuttingDown(before: project.string, mayBeReceived: state.mayBeReceived))
            }
        case .abortConnection: connection?.abort()
        case .abortDetached: detached?.abort()
        case .nothing: break
        }
        finish()
        tunnel?.close()
    }

    func arm(_ deadline: ProxyExchangeState.Deadline) {
        switch deadline {
        case .answer: arm(answerTimeout)
        case .stream: arm(policy.limits.streamTimeout)
        case .earlyAnswer: arm(Self.earlyAnswerGrace)
        }
    }

    func arm(_ timeout: Duration) {
        if let timer { owner.loop.arm(timer, after: timeout) }
    }

    /// Ends the exchange. If the server is still sending the response, the server already has all
    /// of the response's data.
    func finish() {
        let end = state.end()
        if end.wasLost { feature.remove(lost: self) }
        if end.wasStream { owner.streamEnded(self) }
        if let timer { owner.loop.release(timer) }
        timer = nil
        upstream?.cancel()
        upstream = nil
        connection = nil
        heldHead = nil
        detached = nil
        tunnel = nil
        filter?.stop()
        filter = nil
    }

    func fail(_ error: GatewayError) {
        if let connection { owner.refuse(connection, error) }
        finish()
    }
}

// MARK: - From the client

extension ProxyExchange: ServerExchange {
    func requestBodyArrived() {
        guard let connection, let upstream else { return }
        arm(state.uploadDeadline(buffered: connection.waitingLength))
        if upstream.waitingUpload <= Self.lowWater {
            connection.withBody { upstream.upload(&$0) }
            // `bodyConsumed()` resumes the connection, which is suspended if more bytes have arrived
            // than the server buffers.
            connection.bodyConsumed()
        }
        if connection.isBodyComplete, connection.body.isEmpty {
            state.finishUpload()
            upstream.finishUpload()
            startHeldAnswer()
        }
    }

    func resumeResponse() {
        arm(state.deadline)
        upstream?.resume()
    }

    func clientDisconnected() { finish() }
}

// MARK: - Deadlines

extension ProxyExchange: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        switch state.timeAction(buffered: connection?.waitingLength) {
        case .report(let failure): report(failure)
        case .sendEarlyAnswer(let length):
            guard let connection, let heldHead,
                let detached = connection.detach(heldHead, length, policy: .pauseSource)
            else { return reportTimeout() }
            detached.finish()
            finish()
        case .reportTimeout: reportTimeout()
        case .abort: abort()
        case .nothing: break
        }
    }

    private func reportTimeout() {
        upstream?.cancel()
        connection?.dropWaitingAnswer()
        let setting = awaitsLongest ? "--stream-timeout" : "--answer-timeout"
        fail(GatewayError(504, LostInstance.late(project.string, after: answerTimeout, setting: setting)))
    }
}

extension ProxyExchange: OpenStream {}
