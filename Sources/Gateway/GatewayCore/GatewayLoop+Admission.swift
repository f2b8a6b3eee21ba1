// SPDX-License-Identifier: Apache-2.0

package import Access
import Addresses
import Encodings
import EventLoop
package import HTTPServer
import HTTPTypes
import Instances
import Logging
package import OpenCodeFamilies
import Projects

/// The admission of requests. ``Admission`` decides, and this extension keeps the state that the decision needs.
extension GatewayLoop {
    /// Returns the refusal of a request whose credentials do not permit access to the endpoint. If the credentials
    /// permit access, records the request's principal and returns nil.
    ///
    /// - Parameters:
    ///   - namesProject: Whether the path names a project. Otherwise, the endpoint concerns all projects.
    ///   - segment: Returns the segment of the path that names the project, neither decoded nor checked. The method
    ///     needs the segment only for keys with limited rights.
    func admit(
        _ connection: ClientConnection, for request: RequestContext, requirement: Requirement, namesProject: Bool,
        segment: () -> ArraySlice<UInt8>?
    ) -> GatewayError? {
        guard let scope = requirement.scope else { return nil }
        if request.principal == nil, let refusal = judge(connection, for: request, requirement: requirement) {
            return signIn(after: refusal, connection) ?? refusal.error
        }
        request.require(scope, ofAllProjects: !namesProject)
        guard let principal = request.principal, principal.isLimited else { return nil }
        return refusal(of: principal.rights, scope: scope, to: segment(), request)
    }

    /// Returns the refusal of a request to the endpoint with this index; see
    /// ``admit(_:for:requirement:namesProject:segment:)``.
    func admit(
        _ connection: ClientConnection, for request: RequestContext, to index: Int, of table: EndpointTable
    ) -> GatewayError? {
        admit(
            connection, for: request, requirement: table.requirements[index],
            namesProject: table.endpoints[index].path.namesProject,
            segment: { table.projectSegment(index, of: connection.head) })
    }

    /// Returns the refusal of a request with limited rights; nil if the rights suffice.
    private func refusal(
        of rights: KeyRights, scope: Scope, to segment: ArraySlice<UInt8>?, _ request: RequestContext
    ) -> GatewayError? {
        // Most keys can open all projects, so most requests do not need the name.
        if rights.projects == nil, rights.scope >= scope { return nil }
        guard let segment else { return scope.refusal(of: rights, project: nil) }
        // Other features reject a segment that cannot be a name.
        guard let name = ProjectName(percentEncoded: segment) else { return nil }
        // A key must not reveal whether another project exists.
        guard rights.includes(project: name.string) else {
            request.isOtherProject = true
            return ControlAnswers.projectNotFound(String(decoding: segment, as: UTF8.self))
        }
        return scope.refusal(of: rights, project: name.string)
    }

    /// Returns the refusal of a request to an instance that the request's key does not permit; nil if it does.
    ///
    /// - Parameters:
    ///   - target: The target as the instance receives it.
    ///   - known: The judgement of the request, if it was needed before.
    func refusal(
        of connection: ClientConnection, target: ArraySlice<UInt8>, to route: RoutingTable.Route, _ policy: Policy,
        judgement known: RouteJudgement?
    ) -> GatewayError? {
        let request = connection.request
        // A named key can lose rights during the request, so judge the request even if the key has all rights.
        guard let principal = request.principal, principal.isLimited else {
            return route.endpoint?.family == .one
                ? nil : InstanceScope.pairingRefusal(connection.head.methodName, target)
        }
        let judgement = known ?? judgement(of: connection, target, to: route)
        var examination = InstanceScope.examination(of: judgement, principal.rights)
        // Without an examination, the request depends on the rights that made the examination unnecessary.
        let isExamined = examination.reply != nil || examination.secrets != nil
        request.require(
            isExamined ? judgement.scope : InstanceScope.unexaminedScope(of: judgement), ofAllProjects: false,
            namesAnyObject: principal.rights.projects == nil)
        if let refusal = InstanceScope.refusal(of: judgement, principal.rights, project: route.text) { return refusal }
        // The gateway itself restricts the sessions of an OpenCode 2 to those of the project.
        if route.endpoint?.family == .two, judgement.route?.template == "/session" { examination.list = nil }
        // A request whose body was examined is routed again.
        let body = request.limitedContent?.examinedBody
        var isolation: ProjectIsolation?
        if principal.rights.projects != nil {
            guard policy.pinsDirectories, let directories = route.scope else { return InstanceScope.needsPinning }
            // OpenCode also reads the workspace from a field.
            guard connection.head.fields.values(named: Self.workspaceField).isEmpty else {
                return ProjectIsolation.Violation.workspace.error(of: route.text)
            }
            do throws(GatewayError) {
                isolation = try Self.isolation(
                    target, judgement.route, body.flatMap { body in examination.references.map { ($0, body) } },
                    in: directories, of: route.text)
            } catch {
                return error
            }
        }
        request.limitedContent =
            examination == ContentExamination() && isolation?.isEmpty ?? true && body == nil
            ? nil : LimitedContent(examination, isolation, examinedBody: body)
        return nil
    }

    /// Returns the judgement of a request to an instance.
    ///
    /// - Parameters:
    ///   - target: The target as the instance receives it.
    ///   - route: The route to the instance; nil if there is none.
    func judgement(
        of connection: ClientConnection, _ target: ArraySlice<UInt8>, to route: RoutingTable.Route?
    ) -> RouteJudgement {
        // The gateway serves OpenCode 1's API for OpenCode 2 instances too, so both tables apply to these.
        let isCompatible = connection.request.pinPolicy(of: snapshot).isOpenCode1Compatible
        return RouteJudgement(
            connection.head.methodName, target, for: isCompatible ? nil : route?.endpoint?.family)
    }

    /// Returns the refusal of a request to an instance that is not reachable, if the scope of the request's key does not
    /// permit the request to any instance; nil otherwise.
    func scopeRefusal(
        of connection: ClientConnection, target: ArraySlice<UInt8>, project: ProjectName
    ) -> GatewayError? {
        guard let principal = connection.request.principal, principal.isLimited else { return nil }
        let judgement = RouteJudgement(connection.head.methodName, target, for: nil)
        return judgement.scope.refusal(of: principal.rights, project: project.string)
    }

    private static let workspaceField = Array("x-opencode-workspace".utf8)

    /// Returns the objects that a request names in its path, its query and its examined body.
    private static func isolation(
        _ target: ArraySlice<UInt8>, _ route: ScopeRoute?, _ content: (references: RequestReferences, body: [UInt8])?,
        in directories: DirectoryScope, of project: String
    ) throws(GatewayError) -> ProjectIsolation {
        var findings: [RequestReferences.Finding] = []
        if let content {
            do throws(RequestReferences.Failure) {
                findings = try content.references.findings(inBody: content.body)
            } catch {
                throw error.error
            }
        }
        do throws(ProjectIsolation.Violation) {
            var isolation = try ProjectIsolation(target, route, in: directories)
            try isolation.add(findings, in: directories)
            return isolation
        } catch {
            throw error.error(of: project)
        }
    }

    private func judge(
        _ connection: ClientConnection, for request: RequestContext, requirement: Requirement
    ) -> Admission.Rejection? {
        let client = request.forwardedClient ?? connection.peerAddress
        let isKnown = request.admittedClient != nil && request.admittedClient == client
        if !isKnown, let client, Admission.presentsKey(connection.head, for: requirement),
            let wait = setUp.failedTries.wait(for: client, snapshot.policy.failedTries, loop.now)
        {
            return .tooManyTries(wait: wait)
        }
        var admission = Admission.judge(
            connection.head, snapshot, for: requirement, known: &request.knownCredentials)
        if case .refused(.noKey) = admission, connection.head.fields.firstIndex(of: .authorization) == nil {
            admission = judgeWithoutKey(connection, request) ?? admission
        }
        switch admission {
        case .admitted(let principal):
            if let meter = principal.meter, let refusal = rateRefusal(of: principal, meter, request) {
                request.refusedPrincipal = principal
                return refusal
            }
            reportUse(of: principal, by: client, connection)
            request.admit(principal)
            if !isKnown {
                connection.vouch()
                if let client {
                    setUp.failedTries.succeeded(client, loop.now)
                    request.admittedClient = client
                }
            }
            return nil
        // A mistyped key cannot be a guess, because its checksum is wrong. It counts nevertheless, so that one limit
        // applies to all keys that the gateway does not accept.
        case .refused(let refusal) where refusal == .wrongKey || refusal == .mistypedKey:
            return client.flatMap(countFailure) ?? refusal
        case .refused(let refusal):
            request.hasWrongSecret = refusal.concernsOtherCredentials
            return refusal
        }
    }

    /// Returns the admission of a request without a key by its ticket, by the cookie of a session, or by the identity that a
    /// trusted proxy reports; nil if it has none of them.
    private func judgeWithoutKey(_ connection: ClientConnection, _ request: RequestContext) -> Admission? {
        let head = connection.head
        if let ticket = Admission.judge(ticketIn: head, setUp.tickets, snapshot.keys, at: loop.now) { return ticket }
        let session = Admission.judge(sessionOf: head, snapshot.keys)
        if case .admitted? = session { return session }
        let policy = request.pinPolicy(of: snapshot)
        let isTrusted = policy.trusts(connection.peerAddress)
        return IdentityHeader.judge(head, isTrusted: isTrusted, policy, snapshot.keys) ?? session
    }

    /// Returns the redirection of a browser's user to the page for signing in; nil if the client is not a browser, or if
    /// the gateway has no such page.
    private func signIn(after refusal: Admission.Rejection, _ connection: ClientConnection) -> GatewayError? {
        guard refusal == .noKey || refusal == .endedSession, connection.listenerNumber == 0,
            let path = setUp.signInPath, PageOrigin.isNavigation(connection.head),
            let target = RequestTarget(connection.head.target)
        else { return nil }
        let next = AuthToken.removed(from: TicketParameter.removed(from: target.path + target.query))
        return GatewayError(
            303, "Sign in to see this page.",
            fields: [
                "Location": "\(path)?next=\(String(decoding: PercentEncoding.encode(next), as: UTF8.self))",
                "Cache-Control": "no-store",
            ])
    }

    /// Returns a function that decides whether one of OpenCode's lists may show the entry of an owner to a principal: a
    /// directory of one of the principal's projects, or a session.
    ///
    /// - Parameter ownsSession: Returns whether a session belongs to the project of the request.
    package func isVisible(
        to principal: Principal?, ownsSession: @escaping ([UInt8]) -> Bool
    ) -> (ProjectList.Owner) -> Bool {
        let projects = principal?.rights.projects ?? []
        let scopes = projects.compactMap { ProjectName($0).flatMap { snapshot.routes.route(to: $0)?.scope } }
        return { owner in
            switch owner {
            case .directory(let directory): scopes.contains { $0.contains(directory[...]) }
            case .session(let id): ownsSession(id)
            }
        }
    }

    /// Counts the request of a named key. Returns the refusal if the key has used its rate.
    private func rateRefusal(
        of principal: Principal, _ meter: KeyMeter, _ request: RequestContext
    ) -> Admission.Rejection? {
        let policy = request.pinPolicy(of: snapshot)
        guard let rate = principal.limits.completed(by: policy.keyLimits).rate,
            let wait = meter.count(at: rate, loop.now.nanoseconds)
        else { return nil }
        return .tooManyRequests(rate, wait: wait)
    }

    /// Checks a secret in the body of a request, such as a key in the form for signing in. The request counts towards the
    /// rate of a named key, and a secret that the gateway does not accept counts towards the limit on failed tries.
    package func admit(secret: [UInt8], of connection: ClientConnection) throws(GatewayError) -> Principal {
        // Other requests of the client may have failed while the body arrived.
        if let refusal = failedTriesRefusal(of: connection) { throw refusal }
        let admission = Admission(snapshot.keys.authenticate(key: secret.span))
        switch admission {
        case .admitted(let principal):
            if let meter = principal.meter, let refusal = rateRefusal(of: principal, meter, connection.request) {
                connection.request.refusedPrincipal = principal
                throw refusal.error
            }
            reportUse(
                of: principal, by: connection.request.forwardedClient ?? connection.peerAddress, connection)
            connection.vouch()
            return principal
        case .refused(let refusal): throw failure(of: connection) ?? refusal.error
        }
    }

    /// Returns the refusal of a request whose body contains a secret, if its client has sent too many wrong secrets.
    package func failedTriesRefusal(of connection: ClientConnection) -> GatewayError? {
        guard let client = connection.request.forwardedClient ?? connection.peerAddress else { return nil }
        let wait = setUp.failedTries.wait(for: client, snapshot.policy.failedTries, loop.now)
        return wait.map { Admission.Rejection.tooManyTries(wait: $0).error }
    }

    /// Counts a wrong secret in the body of a request. Returns the refusal if the client has sent too many.
    package func failure(of connection: ClientConnection) -> GatewayError? {
        connection.request.hasWrongSecret = true
        return (connection.request.forwardedClient ?? connection.peerAddress).flatMap(countFailure)?.error
    }

    /// Returns the principal of a browser's session; nil if the request has no cookie of a session.
    package func session(of connection: ClientConnection) -> Principal? {
        guard case .admitted(let principal)? = Admission.judge(sessionOf: connection.head, snapshot.keys) else {
            return nil
        }
        return principal
    }

    /// Counts a stream of the request's key until the request ends. Returns the refusal if the key has too many open
    /// streams. Call this method before the response begins.
    package func streamRefusal(of connection: ClientConnection) -> GatewayError? {
        let request = connection.request
        guard let principal = request.principal, let meter = principal.meter,
            let limit = principal.limits.completed(by: request.pinPolicy(of: snapshot).keyLimits).streams
        else { return nil }
        guard let stream = meter.openStream(atMost: limit) else {
            // The gateway cannot know when another stream will end.
            let streams = limit == 1 ? "1 open stream" : "\(limit) open streams"
            return GatewayError(
                429, "This key may have \(streams). Close a stream, or ask the administrator for a higher limit.",
                fields: ["Retry-After": "10"])
        }
        request.openStream = stream
        return nil
    }

    /// Aborts the operations that the keys no longer permit. A client therefore sees an abort instead of a regular end,
    /// and cannot reconnect with a revoked key.
    ///
    /// The method iterates over all operations in progress, so call it only if keys were changed.
    func abortRevoked(under keys: AcceptedKeys) -> RevocationCounts {
        func isRevoked(_ used: UsedRights?) -> Bool { used.map { !$0.arePermitted(by: keys) } ?? false }
        var counts = RevocationCounts()
        // Ask the features first, because a feature may respond to a request that the loop would abort.
        forEachFeature { counts += $0.abort(revoked: isRevoked) }
        counts.requests +=
            clients.server?.cutRequests { context in
                guard let request = context as? RequestContext, !request.outlivesKey else { return false }
                return isRevoked(request.usedRights)
            } ?? 0
        return counts
    }

    private func countFailure(of client: IPAddress) -> Admission.Rejection? {
        switch setUp.failedTries.failed(client, rate: snapshot.policy.failedTries, at: loop.now) {
        case .counted(let isReport):
            if isReport {
                log.warning("too many wrong keys from one address", LogField("client", client.description))
            }
            return nil
        case .refused(let wait): return .tooManyTries(wait: wait)
        }
    }
}
