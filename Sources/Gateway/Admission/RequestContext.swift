import Access
import Addresses
import HTTPServer

/// What the gateway knows of the request that a client's connection carries, from its head to its line in the log. One
/// object for each connection, used again for each of its requests.
final class RequestContext: ConnectionContext {
    /// The client whose valid key has come on this connection: ``FailedTries`` need not be asked about it again.
    var admittedClient: IPAddress?
    /// Whether the gateway's own user or root owns the client's end of the connection; nil until the kernel was asked.
    var isOwnUser: Bool?

    /// What the request follows, taken when it began; a later reload is for later ones.
    private(set) var policy: Policy?
    /// The client behind the trusted proxy that has brought it; nil where that is the peer itself.
    var forwardedClient: IPAddress?
    /// Who has sent it; nil until a key was judged.
    private(set) var principal: Principal?
    /// What they may.
    private(set) var grant: Grant = []
    /// The project that it is for, one that there is.
    var project: String?
    /// Whether it opens a chat's socket.
    var opensChat = false

    /// A request begins, unless it has begun.
    func begin(_ snapshot: Snapshot) -> Policy {
        if let policy { return policy }
        policy = snapshot.policy
        return snapshot.policy
    }

    /// Its key was judged.
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
        opensChat = false
    }
}

extension ClientConnection {
    /// What the gateway keeps with this connection.
    var request: RequestContext {
        if let context = context as? RequestContext { return context }
        let context = RequestContext()
        self.context = context
        return context
    }
}
