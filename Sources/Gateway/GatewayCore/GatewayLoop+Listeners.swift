// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPServer
import HTTPTypes

/// Handles requests that arrive through one of ``LoopSetUp/endpointListeners``.
extension GatewayLoop {
    /// Returns the additional listener that accepted the connection. The connection must not come from
    /// the gateway's own listener.
    func endpointListener(of connection: ClientConnection) -> OpenListener {
        setUp.endpointListeners[Int(connection.listenerNumber) - 1]
    }

    /// Returns the decision about a request to an additional listener: the endpoint, or a refusal.
    func decideForListener(_ connection: ClientConnection) -> Decision {
        let listener = endpointListener(of: connection)
        let head = connection.head
        let request = connection.request
        let policy = request.pinPolicy(of: snapshot)
        request.forwardedClient = Admission.client(behind: connection.peerAddress, head.fields, policy)
        if let preflight = Preflight(head) {
            return decision(preflight, allow: listener.endpoints.allow(head), connection)
        }
        switch listener.endpoints.match(head) {
        case .endpoint(let index):
            let endpoint = listener.endpoints.endpoints[index]
            if let refusal = admit(connection, for: request, to: index, by: listener) {
                return .refusal(refusal)
            }
            let refusal = endpoint.body.refusal(of: head, connection.framing)
            return refusal.map { .refusal($0) } ?? .endpoint(index)
        case .methodNotAllowed(let allow): return .refusal(Self.methodNotAllowed(allow))
        // No additional listener serves an instance's endpoint, so reject the request.
        case .notFound, .instance, .unknownProject: return .refusal(.notFound)
        }
    }

    private func admit(
        _ connection: ClientConnection, for request: RequestContext, to index: Int, by listener: OpenListener
    ) -> GatewayError? {
        let requirement = listener.endpoints.requirements[index]
        if listener.isOpen, !Admission.presentsKey(connection.head, for: requirement) {
            switch OpenRule.judge(connection.head) {
            case .admitted:
                guard isGatewayUser(connection, request) else { return OpenRule.foreignUser }
                connection.vouch()
                return nil
            case .needsKey: break
            case .refused(let sentence): return GatewayError(403, sentence)
            }
        }
        return admit(connection, for: request, to: index, of: listener.endpoints)
    }

    /// Returns whether the client belongs to the gateway's own user or to root. The kernel is queried once for each
    /// connection, because the owner of a socket does not change.
    private func isGatewayUser(_ connection: ClientConnection, _ request: RequestContext) -> Bool {
        if let known = request.isGatewayUser { return known }
        let isGatewayUser = OpenRule.admits(user: connection.peerUser, gateway: geteuid())
        request.isGatewayUser = isGatewayUser
        return isGatewayUser
    }
}
