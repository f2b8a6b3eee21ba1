import HTTPServer
import Instances
import OpenCode

/// What the rules about directories want done before a request goes on: until then it is held.
extension ProxyExchange {
    /// Sends the request on, as that verdict wants it.
    func begin(_ verdict: DirectoryRules.Verdict) {
        switch verdict {
        case .passes: start()
        case .refused(let sentence): fail(403, sentence)
        case .unknownDirectory: lookForWorktree()
        case .withoutDirectory(let target):
            self.target = target
            dropsDirectory = true
            start()
        case .sessionList(let query): narrow(query)
        case .removal(let session):
            hold { exchange, proceed in exchange.owner.knowledge.remember(session, of: exchange.route, proceed: proceed)
            }
        }
    }

    /// Judges again by what is on the disk now.
    private func lookForWorktree() {
        connection?.exchange = self
        owner.knowledge.askDirectories(of: project) { [self] scope in
            guard isHeld, let connection, let scope = scope ?? route.scope else { return }
            begin(DirectoryRules.verdict(connection.head, target, in: scope, isPresent: true, of: route.text))
        }
    }

    /// Asks for the project's own sessions only.
    private func narrow(_ query: SessionListQuery) {
        guard let scope = route.scope else { return start() }
        if !query.needsProject(in: scope) { return follow(query.narrowed(to: nil, in: scope)) }
        if let own = owner.knowledge.knownProject(route) { return follow(query.narrowed(to: own, in: scope)) }
        connection?.exchange = self
        owner.knowledge.askProject(of: route) { [self] own in
            if isHeld { follow(query.narrowed(to: own, in: scope)) }
        }
    }

    private func follow(_ outcome: SessionListQuery.Outcome) {
        switch outcome {
        case .unchanged: start()
        case .query(let query):
            target = DirectoryRules.target(target, query: query)
            start()
        case .refused(let refusal):
            fail(refusal == .unknownProject ? 503 : 403, DirectoryRules.sentence(refusal, route.text))
        }
    }

    /// Sends the request on once something else is done.
    private func hold(until step: (ProxyExchange, @escaping () -> Void) -> Void) {
        connection?.exchange = self
        step(self) { [self] in
            if isHeld { start() }
        }
    }

    /// Whether the client still waits and nothing was sent.
    private var isHeld: Bool {
        guard case .waiting = phase, upstream == nil else { return false }
        return connection != nil
    }
}
