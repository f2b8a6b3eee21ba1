// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
import HTTPServer

/// The gateway's data about the current request on a client's connection. Each connection has one object, which all of
/// its requests use in turn.
package final class RequestContext: ConnectionContext {
    /// The client that has sent a valid key on this connection. ``FailedTries`` does not need to check this client
    /// again.
    var admittedClient: IPAddress?
    /// Whether the gateway's own user or root owns the client's end of the connection; nil until the kernel has
    /// reported
    /// the owner.
    var isGatewayUser: Bool?

    /// The policy of the request, captured at its start. A later reload applies only to later requests.
    private(set) var policy: Policy?
    /// The client that a trusted proxy names in the request; nil if the peer is the client.
    package var forwardedClient: IPAddress?
    /// The principal that has sent the request; nil until a key was checked.
    package private(set) var principal: Principal?
    /// The permissions of the principal.
    private(set) var grant: Grant = []
    /// The project to which the request is addressed; nil if there is none, or if the project is not known to exist.
    var project: String?
    /// Whether the feature itself informs the client when its key is revoked, as a chat does with a close frame.
    package var outlivesKey = false

    /// Returns the request's policy. The first call for a request captures the current policy.
    package func pinPolicy(of snapshot: Snapshot) -> Policy {
        if let policy { return policy }
        policy = snapshot.policy
        return snapshot.policy
    }

    /// Records the result of checking the request's key.
    func admit(_ principal: Principal, _ grant: Grant) {
        self.principal = principal
        self.grant = grant
    }

    func requestEnded() {
        policy = nil
        forwardedClient = nil
        principal = nil
        grant = []
        project = nil
        outlivesKey = false
    }
}

extension ClientConnection {
    /// The gateway's data about this connection and its request.
    package var request: RequestContext {
        if let context = context as? RequestContext { return context }
        let context = RequestContext()
        self.context = context
        return context
    }
}
