// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventLoop
import HTTPServer
import HTTPTypes
import Instances
import Logging
import OpenCodeFamilies
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
            return refusal.error
        }
        request.require(scope, ofAllProjects: !namesProject)
        guard let principal = request.principal, !principal.isUnlimited else { return nil }
        return refusal(of: principal.rights, scope: scope, to: segment())
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
    private func refusal(of rights: KeyRights, scope: Scope, to segment: ArraySlice<UInt8>?) -> GatewayError? {
        guard let segment else { return scope.refusal(of: rights, project: nil) }
        // Other features reject a segment that cannot be a name.
        guard let name = ProjectName(percentEncoded: segment) else { return nil }
        // A key must not reveal whether another project exists.
        guard rights.includes(project: name.string) else {
            return ControlAnswers.projectNotFound(String(decoding: segment, as: UTF8.self))
        }
        return scope.refusal(of: rights, project: name.string)
    }

    /// Returns the refusal of a request to an instance that the request's key does not permit; nil if it does.
    ///
    /// - Parameter target: The target as the instance receives it.
    func refusal(
        of connection: ClientConnection, target: ArraySlice<UInt8>, to route: RoutingTable.Route, _ policy: Policy
    ) -> GatewayError? {
        let request = connection.request
        guard let principal = request.principal, !principal.isUnlimited else { return nil }
        // The gateway serves OpenCode 1's API for OpenCode 2 instances too, so both tables apply to these.
        let family = policy.isOpenCode1Compatible ? nil : route.endpoint?.family
        let judgement = RouteJudgement(connection.head.methodName, target, for: family)
        request.require(judgement.scope, ofAllProjects: false)
        return InstanceScope.refusal(of: judgement, principal.rights, project: route.text)
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
        switch Admission.judge(connection.head, snapshot, for: requirement) {
        case .admitted(let principal):
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
        case .refused(let refusal): return refusal
        }
    }

    /// Aborts the operations that the keys no longer permit. A client therefore sees an abort instead of a regular end,
    /// and cannot reconnect with a revoked key.
    ///
    /// The method iterates over all operations in progress, so call it only if keys were changed.
    func abortRevoked(under keys: AcceptedKeys) -> RevocationCounts {
        func isRevoked(_ used: UsedRights?) -> Bool { used.map { !$0.arePermitted(by: keys) } ?? false }
        var counts = RevocationCounts()
        counts.requests =
            clients.server?.cutRequests { context in
                guard let request = context as? RequestContext, !request.outlivesKey else { return false }
                return isRevoked(request.usedRights)
            } ?? 0
        forEachFeature { counts += $0.abort(revoked: isRevoked) }
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
