// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventLoop
import HTTPClient
package import HTTPServer
package import HTTPTypes
import Instances
import Logging
import OpenCodeFamilies
package import Projects

/// The dispatch of a request from its head to the one feature that serves it.
///
/// A request is first admitted (``admit(_:for:to:of:)``). The ``InstanceRequestRules`` then check a request to an
/// instance, and the first ``InstanceRequestHandler`` that accepts the request serves it. The dispatch keeps a request
/// that must wait for an instance (``InstanceWait``) or for information (``HeldRequest``).
extension GatewayLoop: RequestHandler {
    /// Returns the refusal of a request whose body has not arrived; nil if the request may continue.
    package func refusal(of connection: ClientConnection) -> GatewayAnswer? {
        switch decide(connection) {
        case .refusal(let error): refused(error, connection)
        case .preflight(let answer): completed(answer, connection)
        default: nil
        }
    }

    /// Routes a request whose head has arrived, and responds to it or starts its processing.
    package func handle(_ connection: ClientConnection) { perform(decide(connection), connection) }

    private func perform(_ decision: consuming Decision, _ connection: ClientConnection) {
        switch consume decision {
        case .refusal(let error): refuse(connection, error)
        case .preflight(let answer): self.answer(connection, answer)
        case .endpoint(let index): serve(index, connection)
        case .instance(let request): serve(request)
        case .ruled(let request, let step): step(request)
        case .examined(let request): BodyExamination(self, request).start()
        case .awaitsInstance(let name, let segment, let target):
            let limit = connection.request.pinPolicy(of: snapshot).limits.streamStart
            InstanceWait(self, connection, project: name, limit: limit) { [unowned self] connection in
                perform(route(connection, segment: segment, target: target), connection)
            }.start()
        case .unknown(let name):
            let request = ControlRequest(principal: connection.request.principal, project: name)
            lookFor(name, on: connection, for: request, found: .error(ControlAnswers.notRunning(name.string, nil)))
        }
    }

    /// Offers a request for an instance to the features until a feature serves it. The caller has already
    /// applied the directory rules.
    package func serve(_ request: consuming InstanceRequest) {
        if request.content != nil, instances.limits?.handle(&request) == true { return }
        for handler in instances.handlers where handler.handle(&request) { return }
    }

    /// Offers a request for an instance to the features after `feature` until a feature serves it.
    package func serve(_ request: InstanceRequest, after feature: any InstanceRequestHandler) {
        var request = request
        let isLimits = feature === instances.limits
        let handlers = isLimits ? instances.handlers[...] : instances.handlers.drop { $0 !== feature }.dropFirst()
        for handler in handlers where handler.handle(&request) { return }
    }

    /// Routes a request again, because its instance was replaced before a feature had begun to respond.
    package func reroute(_ request: InstanceRequest) {
        let connection = request.connection
        perform(route(connection, segment: request.segment, target: request.receivedTarget), connection)
    }

    /// Checks whether a project that the loops do not know exists. The project's folder may have been
    /// created a moment ago.
    package func lookFor(
        _ name: ProjectName, on connection: ClientConnection, for request: ControlRequest, found: ControlResponse
    ) {
        callControl(connection, request) { _, control in
            await control.status(name) == nil ? .error(ControlAnswers.projectNotFound(name.string)) : found
        }
    }

    enum Decision {
        case refusal(GatewayError)
        /// A browser's preflight request receives this response.
        case preflight(GatewayAnswer)
        /// The endpoint with this index serves the request.
        case endpoint(Int)
        /// A feature serves the request to an instance.
        case instance(InstanceRequest)
        /// The step applies the directory rules to the request before a feature serves it.
        case ruled(InstanceRequest, (InstanceRequest) -> Void)
        /// The gateway examines the request's body before a feature serves the request.
        case examined(InstanceRequest)
        /// The request waits for an instance that will soon be ready.
        case awaitsInstance(ProjectName, segment: ArraySlice<UInt8>, target: ArraySlice<UInt8>)
        /// The routing table contains no project with this name, but the project's folder may have been
        /// created a moment ago.
        case unknown(ProjectName)
    }

    /// Returns the endpoint or the refusal of a request. The decision uses only the head and the
    /// credentials, not the body.
    private func decide(_ connection: ClientConnection) -> Decision {
        guard connection.listenerNumber == 0 else { return decideForListener(connection) }
        let head = connection.head
        let request = connection.request
        let policy = request.pinPolicy(of: snapshot)
        if !policy.trustedProxies.isEmpty {
            request.forwardedClient = Admission.client(behind: connection.peerAddress, head.fields, policy)
        }
        if let preflight = Preflight(head) {
            return decision(preflight, allow: setUp.endpoints.allow(head) ?? rootMethods(head), connection)
        }
        switch setUp.endpoints.match(head) {
        case .instance(let index, let segment, let target):
            let requirement = setUp.endpoints.requirements[index]
            let refusal = admit(
                connection, for: request, requirement: requirement, namesProject: true, segment: { segment })
            if let refusal { return .refusal(refusal) }
            return route(connection, segment: segment, target: Self.withoutCredentials(target))
        case .endpoint(let index):
            if let refusal = admit(connection, for: request, to: index, of: setUp.endpoints) {
                return .refusal(refusal)
            }
            let refusal = setUp.endpoints.endpoints[index].body.refusal(of: head, connection.framing)
            return refusal.map { .refusal($0) } ?? .endpoint(index)
        case .unknownProject(let index, let name):
            let refusal = admit(connection, for: request, to: index, of: setUp.endpoints)
            return .refusal(refusal ?? ControlAnswers.projectNotFound(name))
        case .methodNotAllowed(let allow): return .refusal(Self.methodNotAllowed(allow))
        case .notFound: return decideAtRoot(connection)
        }
    }

    /// Returns a target without the credentials that its query may contain.
    static func withoutCredentials(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        TicketParameter.removed(from: AuthToken.removed(from: target))
    }

    /// Returns the decision about a preflight request. `allow` contains the methods of the path; nil if
    /// the path is unknown.
    func decision(_ preflight: Preflight, allow: String?, _ connection: ClientConnection) -> Decision {
        do throws(GatewayError) {
            return .preflight(try preflight.answer(allow, crossOriginTerms(connection)))
        } catch {
            return .refusal(error)
        }
    }

    static func methodNotAllowed(_ allow: String) -> GatewayError {
        GatewayError(405, "Method Not Allowed", fields: ["Allow": allow])
    }

    /// Looks up the instance of an admitted request by the undecoded name in the path. The name is decoded only if no
    /// reachable instance is found.
    func route(
        _ connection: ClientConnection, segment: ArraySlice<UInt8>, target: ArraySlice<UInt8>
    ) -> Decision {
        let routes = snapshot.routes
        let request = connection.request
        let policy = request.pinPolicy(of: snapshot)
        let found = routes.route(forSegment: segment)
        let judgement = observe(connection, target: target, to: found)
        if let found, found.isReachable {
            request.project = found.text
            if let refusal = refusal(of: connection, target: target, to: found, policy, judgement: judgement) {
                return .refusal(refusal)
            }
            let decision = instances.rules?.decide(connection.head, target, to: found, under: policy) ?? .passes
            if case .refused(let error) = decision { return .refusal(error) }
            let content = request.limitedContent
            let request = InstanceRequest(
                connection, to: found, policy: policy, segment: segment, target: target, content: content)
            if let content, content.examination.needsBody, content.examinedBody == nil { return .examined(request) }
            if case .depends(let step) = decision { return .ruled(request, step) }
            return .instance(request)
        }
        guard let name = ProjectName(percentEncoded: segment) else {
            return .refusal(ControlAnswers.projectNotFound(String(decoding: segment, as: UTF8.self)))
        }
        // A key that may not send the request must learn this even if the instance is not running.
        if let refusal = scopeRefusal(of: connection, target: target, project: name) { return .refusal(refusal) }
        guard routes.mayBeProject(name) else { return .unknown(name) }
        if found != nil || routes.isProject(name) { request.project = name.string }
        if let found, found.state.isComing,
            instances.handlers.contains(where: { $0.waitsForInstance(connection.head, target) })
        {
            return .awaitsInstance(name, segment: segment, target: target)
        }
        return .refusal(ControlAnswers.notRunning(name.string, found?.state))
    }

    private func serve(_ index: Int, _ connection: ClientConnection) {
        let table = connection.listenerNumber == 0 ? setUp.endpoints : endpointListener(of: connection).endpoints
        let endpoint = table.endpoints[index]
        if endpoint.outlivesKey { connection.request.outlivesKey = true }
        if let action = endpoint.auditedAction { begin(action, of: endpoint, on: connection) }
        switch endpoint.handler {
        case .fixed(let answer): self.answer(connection, answer)
        case .page: table.page(index).map { answer(connection, $0) }
        case .control(let handler):
            callControl(connection, controlRequest(endpoint, connection), body: endpoint.body, handler: handler)
        case .loop(let handler): handler(controlRequest(endpoint, connection), connection, self)
        // ``EndpointTable/match(_:)`` never returns an instance's endpoint in `.endpoint`, so this case does not occur.
        case .instance: break
        }
    }

    /// Returns the request for a handler. ``ControlCall`` adds the request's body after the body has arrived.
    private func controlRequest(_ endpoint: Endpoint, _ connection: ClientConnection) -> ControlRequest {
        let context = connection.request
        var request = ControlRequest(principal: context.principal)
        request.isCancelledWithoutClient = endpoint.isCancelledWithoutClient
        request.client = context.forwardedClient ?? connection.peerAddress
        guard let target = RequestTarget(connection.head.target) else { return request }
        request.query = RequestQuery(TicketParameter.removed(from: target.query).dropFirst())
        guard !endpoint.path.names.isEmpty else { return request }
        request.parameters = endpoint.path.parameters(of: target.path)
        guard endpoint.path.namesProject, let segment = request.parameters["name"] else { return request }
        request.project = ProjectName(percentEncoded: segment)
        // Record only the name of an existing project. A client can send anything as a name, including a secret.
        if let name = request.project, snapshot.routes.isProject(name) { context.project = name.string }
        return request
    }

    /// Returns the storage of a sent head to the pool of the HTTP client for instances.
    package func sent(_ head: consuming ResponseHead) { client.fieldPool.release(head.fields) }

    /// Counts a request that has ended, and logs it.
    package func ended(_ summary: RequestSummary, record: () -> RequestRecord) {
        counts.requests.add(summary.status)
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
                project: request?.project, key: request?.principal?.name, requestID: requestID(record.number),
                client: request?.forwardedClient?.description ?? record.peer))
    }

    /// Counts and logs a client that was rejected.
    package func rejected(_ address: String, _ reason: RejectedClient) {
        counts.requests.addRejected()
        guard reason.isOfAdmitted || refusals.admits(IPAddress(address)) else { return }
        log.log(.warning, "a client was rejected", fields: [LogField("client", address)] + reason.fields)
    }
}
