import HTTPServer
internal import Instances
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
            holdBack()
            owner.knowledge.remember(session, of: route) { [self] in
                if letGo() { start() }
            }
        }
    }

    /// Judges again by what is on the disk now.
    private func lookForWorktree() {
        holdBack()
        owner.knowledge.askDirectories(of: project) { [self] scope in
            guard letGo(), let connection, let scope = scope ?? route.scope else { return }
            begin(DirectoryRules.verdict(connection.head, target, in: scope, isPresent: true, of: route.text))
        }
    }

    /// Asks for the project's own sessions only.
    private func narrow(_ query: SessionListQuery) {
        guard let scope = route.scope else { return start() }
        if !query.needsProject(in: scope) { return follow(query.narrowed(to: nil, in: scope)) }
        if let own = owner.knowledge.knownProject(route) { return follow(query.narrowed(to: own, in: scope)) }
        holdBack()
        owner.knowledge.askProject(of: route) { [self] own in
            if letGo() { follow(query.narrowed(to: own, in: scope)) }
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

    /// Keeps the client waiting until ``letGo()``.
    func holdBack() {
        connection?.exchange = self
        isHeldBack = true
        owner.undecided[ObjectIdentifier(self)] = self
    }

    /// What the request was held back for is known; false where nobody waits any more, or the instance is not the same any more,
    /// which the client is told.
    func letGo() -> Bool {
        guard isHeldBack, connection != nil, !endHeldBack() else { return false }
        isHeldBack = false
        owner.undecided[ObjectIdentifier(self)] = nil
        // The same instance's, with the directories of this moment.
        if let currentRoute { route = currentRoute }
        return true
    }
}
