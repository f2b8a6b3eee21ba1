// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
package import Audit
import Encodings
package import HTTPServer
import HTTPTypes
internal import Instances
package import OpenCodeFamilies
import Projects

/// The entries of the audit log about the requests of a loop.
///
/// A request that only reads costs nothing, because the loop does not determine its route.
extension GatewayLoop {
    /// Determines the action of a request to an instance. The entry is recorded when the request ends. A request can be
    /// routed several times, and only the last entry remains.
    ///
    /// - Parameters:
    ///   - target: The target as the instance receives it.
    ///   - route: The route to the instance; nil if there is none.
    /// - Returns: The judgement of the request (``judgement(of:_:to:)``); nil if the method did not need it.
    func observe(
        _ connection: ClientConnection, target: ArraySlice<UInt8>, to route: RoutingTable.Route?
    ) -> RouteJudgement? {
        guard mayAct(connection), let audit = setUp.audit else { return nil }
        let judgement = judgement(of: connection, target, to: route)
        record(judgement, of: connection, target: target, audit)
        return judgement
    }

    private func record(
        _ judgement: RouteJudgement, of connection: ClientConnection, target: ArraySlice<UInt8>,
        _ audit: any RequestRecorder
    ) {
        let request = connection.request
        let found = judgement.route
        // Some spellings of a path have several meanings for OpenCode's routers. The entry then shows that the gateway does
        // not know the action.
        guard let action = found == nil ? .unknown : found?.action.map({ AuditAction($0) }) else {
            request.audit = nil
            return
        }
        let client = request.forwardedClient ?? connection.peerAddress
        guard action != .unknown || audit.admitsUnknownAction(of: client) else {
            request.audit = nil
            return
        }
        var entry = entry(action, of: connection)
        entry.route = found.map { "\($0.method.rawValue) \($0.template)" }
        if let found, case .reply(let reply) = found.content {
            let body = request.limitedContent?.examinedBody ?? connection.completeBody
            entry.choice = body.flatMap(reply.choice)
            entry.waited = found.repliedID(in: target).flatMap { OpenCodeID.age($0, at: entry.time) }
        }
        request.audit = PendingAuditEntry(entry, hasBegun: false, audit)
    }

    /// Returns whether a request to an instance may be an action: it may change something, or it may open a terminal.
    private func mayAct(_ connection: ClientConnection) -> Bool {
        switch connection.head.method {
        case .get: connection.head.mayHave(.upgrade) && connection.head.fields.contains(.webSocket, in: .upgrade)
        case .head, .options: false
        default: true
        }
    }

    /// Begins an action of one of the gateway's own endpoints. The entry is recorded when the request ends.
    func begin(_ action: AuditAction, of endpoint: Endpoint, on connection: ClientConnection) {
        guard let audit = setUp.audit else { return }
        var entry = entry(action, of: connection)
        entry.route = "\(connection.head.methodName) \(endpoint.path.template)"
        connection.request.audit = PendingAuditEntry(entry, hasBegun: true, audit)
    }

    /// Records an action that continues after its response, such as an open terminal.
    ///
    /// - Parameter status: The status of the response.
    package func recordNow(_ connection: ClientConnection, status: Int) {
        let request = connection.request
        request.audit?.complete(status: status, project: request.project)
        request.audit = nil
    }

    private func entry(_ action: AuditAction, of connection: ClientConnection) -> AuditEntry {
        let request = connection.request
        return AuditEntry(
            time: WallClock.milliseconds, action, by: request.principal.map { AuditEntry.Key($0) },
            from: (request.forwardedClient ?? connection.peerAddress)?.description)
    }

    // MARK: Refusals

    /// Records a refusal because of the client's key. Refusals of clients without a key are not recorded.
    package func recordRefusal(_ error: GatewayError, of connection: ClientConnection) {
        let request = connection.request
        // The response for a project that the key cannot open is that for an unknown project.
        let isRefusal = [401, 403, 429].contains(error.status) || request.isOtherProject
        guard isRefusal, let audit = setUp.audit else { return }
        // The result of an action that has begun is recorded when the request ends.
        if let pending = request.audit, pending.hasBegun { return }
        let attempted = request.audit?.entry.route
        request.audit = nil
        // Ask for the limit before the key is checked again, because the check costs more.
        let principal = request.principal ?? request.refusedPrincipal
        guard
            principal != nil || request.hasWrongSecret
                || Admission.presentsKey(connection.head, for: .webSocketKey(.read)),
            audit.admitsRefusal(
                of: request.forwardedClient ?? connection.peerAddress, isOfKey: principal != nil),
            let key = principal.map({ AuditEntry.Key($0) }) ?? refusedKey(connection, request)
        else { return }
        var entry = entry(.refused, of: connection)
        entry.key = key
        let place = place(of: connection)
        // An administrator for some projects must not learn the names of others.
        entry.project = request.isOtherProject ? nil : request.project ?? place.project
        entry.route = attempted ?? place.route
        entry.result = .status(error.status)
        audit.record(entry)
    }

    /// Returns the key in a request that was refused because of this key; nil if the request contains none. The key can be
    /// wrong, so that only its id may be known.
    private func refusedKey(_ connection: ClientConnection, _ request: RequestContext) -> AuditEntry.Key? {
        // The secret in a body can be an administrator's key or a pairing code, which have no id.
        if request.hasWrongSecret { return AuditEntry.Key(id: nil, name: nil) }
        let head = connection.head
        var known: KnownCredentials?
        let admission = Admission.judge(head, snapshot, for: .webSocketKey(.read), known: &known)
        switch admission {
        case .admitted(let principal): return AuditEntry.Key(principal)
        case .refused(.wrongKey), .refused(.mistypedKey), .refused(.expiredKey):
            guard let index = head.fields.onlyIndex(of: .authorization),
                let id = head.fields.withValue(at: index, { KeyToken.id(inAuthorization: $0) })
            else { return AuditEntry.Key(id: nil, name: nil) }
            // Any client can send the id of a key, so only the correct secret shows the key itself.
            let found = admission == .refused(.expiredKey) ? snapshot.namedKeys.entry(of: id) : nil
            return AuditEntry.Key(id: id.description, name: found?.name, projects: found?.rights.projects)
        case .refused: return nil
        }
    }

    /// Returns the method and the template of the route that a refused request names, and the project. A value is nil if it
    /// is unknown.
    private func place(of connection: ClientConnection) -> (route: String?, project: String?) {
        let head = connection.head
        let table = connection.listenerNumber == 0 ? endpoints : endpointListener(of: connection).endpoints
        switch table.match(head) {
        case .endpoint(let index), .unknownProject(let index, _):
            let route = head.method.name.map { "\($0) \(table.endpoints[index].path.template)" }
            return (route, table.projectSegment(index, of: head).flatMap(knownProject))
        case .instance(_, let segment, let target):
            let route = RouteJudgement(head.methodName, target, for: nil).route
            return (route.map { "\($0.method.rawValue) \($0.template)" }, knownProject(segment))
        case .methodNotAllowed, .notFound: return (nil, nil)
        }
    }

    /// Returns the name of an existing project. A client can send anything as a name, including a secret.
    private func knownProject(_ segment: ArraySlice<UInt8>) -> String? {
        guard let name = ProjectName(percentEncoded: segment), snapshot.routes.isProject(name) else { return nil }
        return name.string
    }
}

extension AuditAction {
    /// Creates the action of a route.
    package init(_ action: RouteAction) {
        self =
            switch action {
            case .prompt: .prompt
            case .abort: .abort
            case .permission: .permission
            case .question: .question
            case .shell: .shell
            case .terminal: .terminal
            case .restart: .restart
            }
    }
}
