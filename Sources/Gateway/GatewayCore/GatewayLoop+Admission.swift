// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventLoop
import HTTPServer
import HTTPTypes
import Logging

/// The admission of requests. ``Admission`` decides, and this extension keeps the state that the decision needs.
extension GatewayLoop {
    /// Returns the refusal of a request whose credentials do not permit access to the endpoint. If the credentials
    /// permit
    /// access, records the request's principal and returns nil.
    func admit(_ connection: ClientConnection, for request: RequestContext, requirement: Requirement) -> GatewayError? {
        guard !requirement.isOpen else { return nil }
        if request.principal == nil, let refusal = judge(connection, for: request, requirement: requirement) {
            return refusal.error
        }
        return requirement.isMet(by: request.grant) ? nil : Admission.Rejection.notGranted.error
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
        case .admitted(let principal, let grant):
            request.admit(principal, grant)
            if !isKnown {
                connection.vouch()
                if let client {
                    setUp.failedTries.succeeded(client, loop.now)
                    request.admittedClient = client
                }
            }
            return nil
        case .refused(.wrongKey): return client.flatMap(countFailure) ?? .wrongKey
        case .refused(let refusal): return refusal
        }
    }

    /// Aborts the operations whose keys are not in `keys`. The clients receive no regular end, and cannot reconnect
    /// with revoked keys.
    ///
    /// The method iterates over all operations in progress, so call it only if a key was removed.
    func abortRevoked(under keys: KeyTable) -> RevocationCounts {
        func isRevoked(_ principal: Principal?) -> Bool { principal.map { !keys.containsKey(of: $0) } ?? false }
        var counts = RevocationCounts()
        counts.requests =
            clients.server?.cutRequests { context in
                guard let request = context as? RequestContext, !request.outlivesKey else { return false }
                return isRevoked(request.principal)
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
