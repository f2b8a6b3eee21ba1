import Access
import Addresses
import EventLoop
import HTTPServer
import HTTPTypes
import Logging

/// Who is let in, and from where.
extension GatewayLoop {
    /// Finds the client behind a trusted proxy, for the log and for ``admit(_:)``. Everybody else is who has connected.
    func findClient(of connection: ClientConnection) {
        guard let peer = trustedProxy(connection) else { return }
        let fields = connection.head.fields
        var walk = ForwardedClient(peer: peer, trusted: snapshot.policy.trustedProxies)
        for index in stride(from: fields.count - 1, through: 0, by: -1)
        where fields.knownName(at: index) == .forwardedFor {
            walk.read(fields.value(at: index))
        }
        if walk.address != peer { connection.forwardedClient = walk.address }
    }

    /// Whether what the peer says of its clients is believed.
    func isTrustedProxy(_ connection: ClientConnection) -> Bool { trustedProxy(connection) != nil }

    /// The peer's address, where it is a trusted proxy's. Costs nothing where there is none.
    private func trustedProxy(_ connection: ClientConnection) -> IPAddress? {
        guard !snapshot.policy.trustedProxies.isEmpty, let peer = connection.peerAddress else { return nil }
        return snapshot.policy.trustedProxies.contains(peer) ? peer : nil
    }

    /// The refusal of a request whose credentials don't open the gateway.
    func admit(_ connection: ClientConnection) -> Answer? {
        // Several Authorization fields are ambiguous and count as none.
        guard let credentials = connection.head.fields.onlyIndex(of: .authorization) else {
            return unauthorized(.missing)
        }
        let client = connection.forwardedClient ?? connection.peerAddress
        let isKnown = connection.keyHolder != nil && connection.keyHolder == client
        if !isKnown, let client,
            let wait = failedTries.wait(for: client, snapshot.policy.failedTries, loop.now)
        {
            return tooManyTries(wait)
        }
        let verdict = connection.head.fields.withValue(at: credentials) { snapshot.policy.keys.authenticate($0) }
        switch verdict {
        case .principal:
            if !isKnown, let client {
                failedTries.succeeded(client, loop.now)
                connection.keyHolder = client
            }
            return nil
        case .missing: return unauthorized(verdict)
        case .invalid: return client.flatMap(countFailure) ?? unauthorized(verdict)
        }
    }

    private func countFailure(of client: IPAddress) -> Answer? {
        switch failedTries.failed(client, snapshot.policy.failedTries, loop.now) {
        case .counted(let isReport):
            if isReport {
                log.warning(
                    "wrong keys come from this address: further ones are refused for a while (--failed-tries)",
                    LogField("client", client.description))
            }
            return nil
        case .refused(let wait): return tooManyTries(wait)
        }
    }

    private func unauthorized(_ verdict: Authentication) -> Answer {
        var answer = Answer.detail(401, verdict.detail ?? "")
        // RFC 9110 §15.5.2 wants a challenge; a browser that asked for Basic would keep the key.
        answer.head.fields.append("WWW-Authenticate", "Bearer")
        return answer
    }

    /// 429 (RFC 6585 §4) with the seconds after which a try is looked at again.
    private func tooManyTries(_ wait: Duration) -> Answer {
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        var answer = Answer.detail(429, "Too many wrong keys came from your address. Try again in \(seconds) s.")
        answer.head.fields.append("Retry-After", "\(seconds)")
        return answer
    }
}
