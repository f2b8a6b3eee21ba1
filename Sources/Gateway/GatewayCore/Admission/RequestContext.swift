// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
import EventLoop
import HTTPServer
import OpenCodeFamilies

/// The gateway's data about the current request on a client's connection. Each connection has one such object, and the
/// connection's requests use the object one after another.
package final class RequestContext: ConnectionContext {
    /// The client that has sent a valid key on this connection. ``FailedTries`` does not need to
    /// check this client again.
    var admittedClient: IPAddress?
    /// Whether the gateway's own user or root owns the client's end of the connection; nil until the kernel has
    /// reported the owner.
    var isGatewayUser: Bool?

    /// The credentials with which the previous request of the connection was admitted.
    var knownCredentials: KnownCredentials?
    /// The key whose use the connection has reported last, and the time of the report.
    var lastUse: (key: KeyID, time: MonotonicTime)?

    /// The policy of the request, captured at its start. A later reload applies only to later requests.
    private(set) var policy: Policy?
    /// The client that a trusted proxy names in the request; nil if the peer is the client.
    package var forwardedClient: IPAddress?
    /// The principal that has sent the request; nil until a key was checked.
    package private(set) var principal: Principal?
    /// The scope that the request needs. A key that loses this scope during the request loses the request.
    private(set) var scope = Scope.read
    /// Whether the request concerns all projects that its key can open.
    private(set) var concernsAllProjects = false
    /// Whether the request may name objects of all projects, because its key can open all of them.
    private(set) var namesAnyObject = false
    /// The project to which the request is addressed; nil if the request names no project, or if the gateway does not
    /// know whether the project exists.
    var project: String?
    /// Whether the request reaches its project at the root, instead of below the project's base path.
    package var isAtRoot = false
    /// Whether the feature itself ends the request when the key is revoked, as a chat does with a close frame. The loop
    /// does not abort such a request.
    package var outlivesKey = false

    /// The content that the gateway examines because the request's key has limited rights; nil for most requests.
    var limitedContent: LimitedContent?
    /// The stream that counts towards the limit of the request's key; nil if there is none.
    var openStream: KeyMeter.OpenStream?
    /// Whether the request contained wrong credentials outside of its Authorization field, such as a key in the form for
    /// signing in, or the cookie of an ended session.
    var hasWrongSecret = false
    /// The principal of a request that was refused because of a limit of its key.
    var refusedPrincipal: Principal?
    /// Whether the request names a project that its key cannot open.
    var isOtherProject = false
    /// The entry of the audit log that waits for the result of the request; nil for most requests.
    var audit: PendingAuditEntry?

    /// Returns the request's policy. The first call for a request captures the current policy.
    package func pinPolicy(of snapshot: Snapshot) -> Policy {
        if let policy { return policy }
        policy = snapshot.policy
        return snapshot.policy
    }

    /// Records the result of checking the request's key.
    func admit(_ principal: Principal) { self.principal = principal }

    /// Records what the request needs from its key.
    func require(_ scope: Scope, ofAllProjects: Bool, namesAnyObject: Bool = false) {
        self.scope = scope
        concernsAllProjects = ofAllProjects
        self.namesAnyObject = namesAnyObject
    }

    /// The rights that the request uses; nil if it needs no key.
    package var usedRights: UsedRights? {
        principal.map {
            UsedRights(of: $0, scope: scope, projects: usedProjects)
        }
    }

    private var usedProjects: UsedRights.Projects {
        if concernsAllProjects { return .all }
        return namesAnyObject ? .anyObject : project.map { .one($0) } ?? .none
    }

    func requestEnded(_ summary: RequestSummary) {
        if let audit {
            audit.complete(status: summary.status, project: project)
            self.audit = nil
        }
        policy = nil
        forwardedClient = nil
        principal = nil
        scope = .read
        concernsAllProjects = false
        namesAnyObject = false
        project = nil
        outlivesKey = false
        isAtRoot = false
        openStream = nil
        hasWrongSecret = false
        refusedPrincipal = nil
        isOtherProject = false
        limitedContent = nil
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
