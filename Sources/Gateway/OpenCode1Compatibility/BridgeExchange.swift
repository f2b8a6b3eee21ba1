// SPDX-License-Identifier: Apache-2.0

import Dialects
import EventLoop
import GatewayCore
import HTTPServer
import HTTPTypes
internal import Instances
import Proxying

/// A request from an OpenCode 1 client that the bridge serves. The exchange receives the request's body
/// and sends the response.
package final class BridgeExchange {
    /// The maximum size of a request's body in bytes. A prompt with pictures can contain several megabytes.
    package static let longestBody = 32 * 1024 * 1024

    private let bridge: BridgeFeature
    private let route: RoutingTable.Route
    private let policy: Policy
    private let segment: ArraySlice<UInt8>
    private var request: ClientRequest
    private var connection: ClientConnection?
    private var detached: DetachedConnection?
    private var run: BridgeRun?
    private let wantsBody: Bool
    private let examination: ContentExamination
    /// The number of bytes that the exchange has reserved for the body in the shared ``BodyBudget``.
    private var reserved = 0

    init(_ bridge: BridgeFeature, _ received: InstanceRequest, translated request: ClientRequest) {
        self.bridge = bridge
        connection = received.connection
        route = received.route
        policy = received.policy
        segment = received.segment
        self.request = request
        self.request.body = received.content?.examinedBody ?? []
        examination = received.content?.examination ?? ContentExamination()
        wantsBody = received.connection.head.method != .head
    }

    private var owner: GatewayLoop { bridge.owner }

    private static let noRoom = GatewayError(
        503,
        "The bodies of the requests that the gateway translates for OpenCode 2 exceed \(BridgeThreads.limitOfBodies >> 20) MiB in total. "
            + "Try again in a moment, or name the paths of files instead of sending their contents.",
        fields: ["Retry-After": "1"])

    private static let tooLong = GatewayError(
        413,
        "The body is larger than \(longestBody >> 20) MiB. Name the paths of files instead of sending their contents.")

    /// Serves the request as soon as its body is complete.
    func start() {
        connection?.exchange = self
        if connection?.isBodyComplete == false { bridge.arrives(self, true) }
        requestBodyArrived()
    }

    private func answer() {
        bridge.arrives(self, false)
        run = bridge.startRun(request, to: route, policy: policy, delegate: self)
        request.body = []
    }

    /// Returns the head of the response, with a link that the client can use.
    private func head(_ answer: ClientAnswer, _ connection: ClientConnection) -> ResponseHead {
        var head = ResponseHead(status: answer.status)
        if answer.status != 204 { head.fields.append("Content-Type", "application/json") }
        for (name, value) in answer.fields.sorted(by: { $0.key < $1.key }) {
            guard name == "Link", value.hasPrefix("<") else {
                head.fields.append(name, value)
                continue
            }
            // OpenCode's link is relative to the root of its routes, so add the client's base URL.
            let base = ClientBase(
                connection.head, segment: segment, isTrusted: policy.trusts(connection.peerAddress),
                isAtRoot: connection.request.isAtRoot)
            head.fields.append(name, "<" + String(decoding: base.text, as: UTF8.self) + value.dropFirst())
        }
        if answer.fields["X-Next-Cursor"] != nil, owner.crossOriginTerms(connection)?.isGranted == true {
            head.fields.append("Access-Control-Expose-Headers", "Link, X-Next-Cursor")
        }
        return head
    }

    /// Ends an incomplete request when the gateway shuts down. The instance has received no part of the request.
    func giveUp() { failed(ControlAnswers.shuttingDown) }

    private func finish() {
        bridge.threads.bodies.release(reserved)
        reserved = 0
        bridge.arrives(self, false)
        connection = nil
        detached = nil
        run = nil
    }
}

extension BridgeExchange: BridgeDelegate {
    func answered(_ answer: ClientAnswer) {
        guard let connection else { return finish() }
        do throws(GatewayError) {
            let body = try examination.examined(
                answer.body, status: answer.status,
                isAllowed: owner.isVisible(to: connection.request.principal) { _ in false })
            owner.answer(connection, GatewayAnswer(head: head(answer, connection), body: body))
            finish()
        } catch {
            failed(error)
        }
    }

    func started(_ answer: ClientAnswer) {
        guard let connection else { return }
        // No translated route of this kind streams its response. The check ensures it.
        guard !examination.concernsResponse else {
            let run = run
            failed(ContentExamination.unexaminable)
            run?.abandon(isReading: true)
            return
        }
        let head = owner.completed(GatewayAnswer(head: head(answer, connection), body: []), connection).head
        guard wantsBody else {
            connection.detach(head, .none(announced: nil), policy: .pauseSource)?.finish()
            return abandon()
        }
        if connection.canBegin(head, .unknown) {
            connection.startResponse(head, .unknown)
        } else {
            guard let detached = connection.detach(head, .unknown, policy: .pauseSource) else { return abandon() }
            self.detached = detached
            self.connection = nil
        }
        if !answer.body.isEmpty { _ = wrote(answer.body) }
    }

    func wrote(_ bytes: [UInt8]) -> Bool {
        detached?.write(bytes.span) ?? connection?.write(bytes.span) ?? true
    }

    func completed() {
        detached?.finish()
        connection?.finish()
        finish()
    }

    func aborted() {
        detached?.abort()
        connection?.abort()
        finish()
    }

    func failed(_ error: GatewayError) {
        if let connection { owner.answer(connection, OpenCode1Error.answer(to: error)) }
        finish()
    }

    private func abandon() {
        let run = run
        finish()
        run?.abandon(isReading: true)
    }
}

extension BridgeExchange: ServerExchange {
    func requestBodyArrived() {
        guard let connection, run == nil else { return }
        let bytes = connection.takeBody()
        if !bytes.isEmpty {
            guard bridge.threads.bodies.reserve(bytes.count) else { return failed(Self.noRoom) }
            reserved += bytes.count
        }
        request.body += bytes
        guard request.body.count <= Self.longestBody else { return failed(Self.tooLong) }
        guard connection.isBodyComplete else { return connection.bodyConsumed() }
        if let refusal = BodyRule.refusal(ofText: request.body) { return failed(refusal) }
        answer()
    }

    func resumeResponse() { run?.resume() }

    func clientDisconnected() {
        let run = run
        finish()
        run?.abandon(isReading: request.method == "GET")
    }
}
