// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTypes
import Instances
import Logging
import OpenCode
import Projects

/// The routing of a request from its head to its handler.
extension GatewayLoop: RequestHandler {
    func refusal(of connection: ClientConnection) -> GatewayAnswer? {
        if case .refusal(let answer) = decide(connection) { completed(answer, connection) } else { nil }
    }

    func handle(_ connection: ClientConnection) {
        switch decide(connection) {
        case .refusal(let answer): self.answer(connection, answer)
        case .endpoint(let index): serve(index, connection)
        case .proxy(let route, let target, let verdict):
            let policy = connection.request.begin(snapshot)
            let exchange = ProxyExchange(self, connection, route: route, policy: policy, target: target)
            exchange.begin(verdict)
        case .awaitsInstance(let name):
            let limit = connection.request.begin(snapshot).limits.streamStart
            WaitingStream(self, connection, project: name, limit: limit).begin()
        case .unknown(let name):
            let request = ControlRequest(principal: connection.request.principal, project: name)
            lookFor(name, on: connection, for: request, found: .answer(ControlAnswers.notRunning(name.string, nil)))
        }
    }

    /// Checks whether a project unknown to the loops exists, because its folder may have been created a moment ago.
    func lookFor(
        _ name: ProjectName, on connection: ClientConnection, for request: ControlRequest, found: ControlResponse
    ) {
        ask(connection, request) { _, control in
            await control.status(name) == nil ? .answer(ControlAnswers.projectNotFound(name.string)) : found
        }
    }

    enum Decision {
        case refusal(GatewayAnswer)
        /// The endpoint with this index answers.
        case endpoint(Int)
        case proxy(RoutingTable.Route, target: ArraySlice<UInt8>, DirectoryRules.Verdict)
        /// The request is for an event stream of an instance that will soon be ready.
        case awaitsInstance(ProjectName)
        /// The loops know no such project, but its folder may have been created a moment ago.
        case unknown(ProjectName)
    }

    /// Returns the endpoint or the refusal of a request. The decision uses only the head and the credentials, not the
    /// body.
    private func decide(_ connection: ClientConnection) -> Decision {
        guard connection.entrance == 0 else { return decideBesides(connection) }
        let snapshot = snapshot
        let head = connection.head
        let request = connection.request
        let policy = request.begin(snapshot)
        if !policy.trustedProxies.isEmpty {
            request.forwardedClient = Admission.client(behind: connection.peerAddress, head.fields, policy)
        }
        if let preflight = Preflight(head) {
            return .refusal(preflight.answer(endpoints.allow(head), crossOriginTerms(connection)))
        }
        switch endpoints.match(head) {
        case .instance(let index, let segment, let target):
            if let refusal = admit(connection, for: request, requirement: endpoints.requirements[index]) {
                return .refusal(refusal)
            }
            return decide(
                head, request, routes: snapshot.routes, policy: policy, segment: segment,
                target: AuthToken.removed(from: target))
        case .endpoint(let index):
            if let refusal = admit(connection, for: request, requirement: endpoints.requirements[index]) {
                return .refusal(refusal)
            }
            let refusal = endpoints.endpoints[index].body.refusal(of: head, connection.framing)
            return refusal.map { .refusal($0) } ?? .endpoint(index)
        case .unknownProject(let index, let name):
            let refusal = admit(connection, for: request, requirement: endpoints.requirements[index])
            return .refusal(refusal ?? ControlAnswers.projectNotFound(name))
        case .methodNotAllowed(let allow): return .refusal(Self.methodNotAllowed(allow))
        case .notFound: return .refusal(.detail(404, "Not Found"))
        }
    }

    static func methodNotAllowed(_ allow: String) -> GatewayAnswer {
        var answer = GatewayAnswer.detail(405, "Method Not Allowed")
        answer.head.fields.append("Allow", allow)
        return answer
    }

    /// Looks up the instance by the undecoded name in the path. The name itself is parsed only if there is no instance.
    private func decide(
        _ head: RequestHead, _ request: RequestContext, routes: RoutingTable, policy: Policy,
        segment: ArraySlice<UInt8>, target: ArraySlice<UInt8>
    ) -> Decision {
        let found = routes.route(forSegment: segment)
        if let found, found.isReachable {
            request.project = found.text
            guard policy.pinsDirectories, let scope = found.scope else {
                return .proxy(found, target: target, .passes)
            }
            let verdict = DirectoryRules.verdict(head, target, in: scope, of: found.text)
            if case .refused(let sentence) = verdict { return .refusal(.detail(403, sentence)) }
            return .proxy(found, target: target, verdict)
        }
        guard let name = ProjectName(percentEncoded: segment) else {
            return .refusal(ControlAnswers.projectNotFound(String(decoding: segment, as: UTF8.self)))
        }
        guard routes.mayBeProject(name) else { return .unknown(name) }
        if found != nil || routes.isProject(name) { request.project = name.string }
        if events != nil, let found, found.state.isComing, head.method == .get, EventStreamRequest.isOne(target) {
            return .awaitsInstance(name)
        }
        return .refusal(ControlAnswers.notRunning(name.string, found?.state))
    }

    private func serve(_ index: Int, _ connection: ClientConnection) {
        let endpoint =
            connection.entrance == 0 ? endpoints.endpoints[index] : entrance(of: connection).endpoints.endpoints[index]
        switch endpoint.handler {
        case .fixed(let answer): self.answer(connection, answer)
        case .page: endpoints.page(index).map { answer(connection, $0) }
        case .control(let handler):
            ask(connection, controlRequest(endpoint, connection), body: endpoint.body, handler: handler)
        case .events(let events): events.serve(controlRequest(endpoint, connection), on: connection, loop: self)
        case .chat: openChat(controlRequest(endpoint, connection), connection)
        // Requests for instances are matched separately.
        case .instance: break
        }
    }

    /// Returns the request for a handler, without the body, which is added when it has arrived.
    private func controlRequest(_ endpoint: Endpoint, _ connection: ClientConnection) -> ControlRequest {
        let context = connection.request
        var request = ControlRequest(principal: context.principal)
        guard let target = RequestTarget(connection.head.target) else { return request }
        request.query = RequestQuery(target.query.dropFirst())
        guard !endpoint.path.names.isEmpty else { return request }
        request.parameters = endpoint.path.parameters(of: target.path)
        guard endpoint.path.namesProject, let segment = request.parameters["name"] else { return request }
        request.project = ProjectName(percentEncoded: segment)
        // Only an existing project's name is recorded, because a client can write anything there, including a secret.
        if let name = request.project, snapshot.routes.isProject(name) { context.project = name.string }
        return request
    }

    func sent(_ head: consuming ResponseHead) { client.spareFields.giveBack(head.fields) }

    func ended(_ summary: RequestSummary, record: () -> RequestRecord) {
        counts.add(summary.status)
        guard snapshot.policy.accessLog else { return }
        let record = record()
        let request = record.context as? RequestContext
        if request?.principal == nil, summary.status == 0 || summary.status >= 400,
            !refusals.admits(request?.forwardedClient ?? IPAddress(record.peer))
        {
            return
        }
        log.log(
            AccessLine(
                method: record.methodName, target: record.target[...],
                status: summary.status,
                bytes: Int(clamping: summary.bodyBytes), duration: MonotonicTime.now - record.startTime,
                project: request?.project, requestID: requestID(record.number),
                client: request?.forwardedClient?.description ?? record.peer))
    }

    func turnedAway(_ address: String, _ reason: RejectedClient) {
        counts.addTurnedAway()
        guard reason.isOfAdmitted || refusals.admits(IPAddress(address)) else { return }
        log.log(.warning, "a client was rejected", fields: [LogField("client", address)] + reason.fields)
    }
}
