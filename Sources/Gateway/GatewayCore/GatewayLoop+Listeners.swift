// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPServer
import HTTPTypes

/// Handles requests that arrive through one of ``LoopSetUp/entrances``.
extension GatewayLoop {
    /// Returns the additional listener that accepted the connection. The connection must not come from the gateway's
    /// own listener.
    func entrance(of connection: ClientConnection) -> OpenListener {
        setUp.entrances[Int(connection.listenerNumber) - 1]
    }

    /// Returns the endpoint of a request to an additional listener, or the refusal if its credentials are insufficient.
    func decideBesides(_ connection: ClientConnection) -> Decision {
        let entrance = entrance(of: connection)
        let head = connection.head
        let request = connection.request
        let policy = request.begin(snapshot)
        request.forwardedClient = Admission.client(behind: connection.peerAddress, head.fields, policy)
        if let preflight = Preflight(head) {
            return decision(preflight, allow: entrance.endpoints.allow(head), connection)
        }
        switch entrance.endpoints.match(head) {
        case .endpoint(let index):
            let endpoint = entrance.endpoints.endpoints[index]
            if let refusal = admit(connection, for: request, requirement: endpoint.requirement, by: entrance) {
                return .refusal(refusal)
            }
            let refusal = endpoint.body.refusal(of: head, connection.framing)
            return refusal.map { .refusal($0) } ?? .endpoint(index)
        case .methodNotAllowed(let allow): return .refusal(Self.methodNotAllowed(allow))
        // No additional listener has an instance's endpoint.
        case .notFound, .instance, .unknownProject: return .refusal(.notFound)
        }
    }

    private func admit(
        _ connection: ClientConnection, for request: RequestContext, requirement: Requirement, by entrance: OpenListener
    ) -> GatewayError? {
        if entrance.isOpen, !Admission.presentsKey(connection.head, for: requirement) {
            switch OpenRule.judge(connection.head) {
            case .letIn:
                guard isOwnUser(connection, request) else { return OpenRule.foreignUser }
                connection.vouch()
                return nil
            case .needsKey: break
            case .refused(let sentence): return GatewayError(403, sentence)
            }
        }
        return admit(connection, for: request, requirement: requirement)
    }

    /// Returns whether the client belongs to the gateway's own user or to root. The kernel is queried once for each
    /// connection, because the owner of a socket does not change.
    private func isOwnUser(_ connection: ClientConnection, _ request: RequestContext) -> Bool {
        if let known = request.isOwnUser { return known }
        let isOwn = OpenRule.admits(user: connection.peerUser, gateway: geteuid())
        request.isOwnUser = isOwn
        return isOwn
    }
}
