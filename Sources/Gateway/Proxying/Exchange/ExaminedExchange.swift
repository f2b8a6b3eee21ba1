// SPDX-License-Identifier: Apache-2.0

import Addresses
import DirectoryPinning
import Encodings
import EventLoop
import GatewayCore
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import OpenCodeFamilies
internal import Projects

/// A proxied request whose response the gateway examines as a whole before the client receives it
/// (``ContentExamination``). The routes of these requests have no request bodies.
final class ExaminedExchange {
    /// The maximum size of a response in bytes. A list of all providers and models contains several megabytes.
    private static let longestBody = 32 << 20
    /// The fields that would let the instance respond with something else than the complete, uncompressed body.
    private static let withheldFields: Set<String> = [
        "accept-encoding", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range",
    ]

    /// The fields that describe the body as the instance has sent it.
    private static let fieldsOfOriginalBody: Set<String> = [
        "etag", "last-modified", "accept-ranges", "content-digest", "repr-digest",
    ]

    private let owner: GatewayLoop
    private let pinning: DirectoryPinningFeature
    private let route: RoutingTable.Route
    private let policy: Policy
    private let target: ArraySlice<UInt8>
    private let segment: ArraySlice<UInt8>
    private let withholdsDirectory: Bool
    private let examination: ContentExamination
    private var pending: PendingResponse
    private var transfer: UpstreamTransfer?
    private var head: ResponseHead?
    private var body: [UInt8] = []
    /// The number of bytes that are reserved in ``LoopSetUp/examinedBodies``.
    private var reserved = 0

    /// Creates an exchange for a request. The route must have an instance.
    init(_ feature: ProxyFeature, _ request: InstanceRequest) {
        owner = feature.gateway
        pinning = feature.pinning
        route = request.route
        policy = request.policy
        target = request.target
        segment = request.segment
        withholdsDirectory = request.withholdsDirectory
        examination = request.content?.examination ?? ContentExamination()
        pending = PendingResponse(request.connection, on: feature.gateway.loop)
    }

    private var instance: InstanceAddress { route.endpoint?.address ?? .loopback(0) }

    /// Sends the request to the instance.
    func start() {
        guard let connection = pending.connection else { return }
        let head = connection.head
        var request = UpstreamRequest(
            instance: instance, method: head.method, methodName: head.methodName, target: target,
            fields: RequestForwarding.fields(
                of: head, from: connection.peerBytes, isTrusted: policy.trusts(connection.peerAddress),
                authorization: route.endpoint?.authorization, isUpgrade: false, in: owner.client.fieldPool.acquire()),
            body: .none)
        request.fields.removeSignIn(policy)
        request.fields.keep { field, name in
            if field == .openCodeDirectory, withholdsDirectory { return false }
            return !Self.withheldFields.contains(Self.lowercased(name))
        }
        pending.attach(self)
        pending.arm(self, after: policy.limits.answerTimeout)
        transfer = owner.client.start(request, delegate: self)
        owner.client.fieldPool.release(request.fields)
    }

    /// Responds with an error, because the gateway shuts down.
    func abort() { fail(ControlAnswers.shuttingDown(before: route.text, mayBeReceived: false)) }

    private func finish() -> ClientConnection? {
        transfer?.cancel()
        transfer = nil
        releaseBody()
        return pending.release()
    }

    private func releaseBody() {
        owner.setUp.examinedBodies.release(reserved)
        reserved = 0
    }

    private func fail(_ error: GatewayError) {
        if let connection = finish() { owner.refuse(connection, error) }
    }

    /// Returns the head for the client. The examined body differs from the body that the instance's fields describe.
    private func answerHead(_ received: consuming ResponseHead, _ connection: ClientConnection) -> ResponseHead {
        var head = ResponseForwarding.head(received, policy.crossOriginTerms(connection.head)) {
            InstanceReferences(
                to: instance,
                base: ClientBase(
                    connection.head, segment: segment, isTrusted: policy.trusts(connection.peerAddress),
                    isAtRoot: connection.request.isAtRoot))
        }
        head.fields.removeCookies(policy)
        head.fields.keep { _, name in
            !Self.fieldsOfOriginalBody.contains(Self.lowercased(name))
        }
        return head
    }

    private static func lowercased(_ name: Span<UInt8>) -> String {
        String(decoding: name.indices.map { name[$0].lowercasedLetter }, as: UTF8.self)
    }
}

extension ExaminedExchange: UpstreamDelegate {
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
        owner.counts.progress.add(route.endpoint?.slot ?? 0)
        if ResponseForwarding.refusesCredentials(head), route.endpoint?.enforcesPassword == true {
            owner.logForeignServer(route.name, instance.port)
            return fail(ControlAnswers.portTaken(instance.port))
        }
        owner.answered(route, with: head, to: target)
        guard !EventFilter.isEncoded(head), !head.isEventStream else { return fail(ContentExamination.unexaminable) }
        self.head = head
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        owner.counts.progress.add(route.endpoint?.slot ?? 0)
        pending.arm(self, after: policy.limits.answerTimeout)
        guard owner.setUp.examinedBodies.reserve(bytes.count) else {
            fail(BodyBudget.noRoomToExamine)
            return true
        }
        reserved += bytes.count
        body.append(copying: bytes)
        if body.count > Self.longestBody { fail(ContentExamination.unexaminable) }
        return true
    }

    func answerEnded(trailers: FieldList) {
        transfer = nil
        guard examination.list == .activeSessions, head?.status == 200 else {
            return respond { _ in false }
        }
        // Find the sessions in the list before the list is filtered.
        var sessions: Set<[UInt8]> = []
        _ = ProjectList.activeSessions.filtered(body) { owner in
            if case .session(let id) = owner { sessions.insert(id) }
            return true
        }
        guard sessions.count <= ProjectIsolation.mostSessions else { return fail(ContentExamination.unexaminable) }
        pinning.sessions.locate(sessions, at: route) { [weak self] locations in
            guard let self else { return }
            respond { id in
                guard case .directory(let directory)?? = locations[id] else { return false }
                return self.route.scope?.contains(directory[...]) == true
            }
        }
    }

    /// Sends the examined response.
    ///
    /// - Parameter ownsSession: Returns whether the session with this id belongs to the project.
    private func respond(ownsSession: @escaping ([UInt8]) -> Bool) {
        defer { releaseBody() }
        guard let head = head.take(), let connection = pending.release() else { return }
        do throws(GatewayError) {
            let examined = try examination.examined(
                body, status: head.status,
                isAllowed: owner.isVisible(to: connection.request.principal, ownsSession: ownsSession))
            let answer = GatewayAnswer(head: answerHead(head, connection), body: examined)
            // The length of the body that a GET request would receive is not known.
            guard connection.head.method != .head else {
                return connection.startResponse(answer.head, .none(announced: nil))
            }
            connection.respond(answer)
        } catch {
            owner.refuse(connection, error)
        }
    }

    func answerFailed(_ failure: UpstreamFailure) {
        transfer = nil
        owner.logFailure(failure, of: route.name, port: instance.port)
        let current = owner.snapshot.routes.route(to: route.name)
        if let initiator = current?.stopInitiator { return fail(ControlAnswers.ended(route.text, by: initiator)) }
        fail(LostInstance.error(for: failure, port: instance.port, project: route.text, mayBeReceived: false))
    }

    func answerSettled() {}

    func uploadHasRoom() {}

    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {
        socket.close()
        fail(ContentExamination.unexaminable)
    }
}

extension ExaminedExchange: ServerExchange {
    func requestBodyArrived() { pending.connection?.discardBody() }

    func resumeResponse() {}

    func clientDisconnected() { _ = finish() }
}

extension ExaminedExchange: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        fail(
            GatewayError(
                504, LostInstance.late(route.text, after: policy.limits.answerTimeout, setting: "--answer-timeout")))
    }
}
