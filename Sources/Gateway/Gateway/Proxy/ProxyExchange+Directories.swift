// SPDX-License-Identifier: Apache-2.0

import HTTPServer
internal import Instances
import OpenCode

/// The steps that the directory rules require before a request is forwarded. The request is held back for them.
extension ProxyExchange {
    /// Forwards the request according to the verdict.
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

    /// Repeats the decision with the current state of the disk.
    private func lookForWorktree() {
        holdBack()
        owner.knowledge.askDirectories(of: project) { [self] scope in
            guard letGo(), let connection, let scope = scope ?? route.scope else { return }
            begin(DirectoryRules.verdict(connection.head, target, in: scope, isPresent: true, of: route.text))
        }
    }

    /// Restricts the request to the project's own sessions.
    private func narrow(_ query: SessionListQuery) {
        guard let scope = route.scope else { return start() }
        if !query.needsProject(in: scope) { return follow(query.narrowed(to: nil, in: scope)) }
        if let own = owner.knowledge.knownProject(route) { return follow(query.narrowed(to: own, in: scope)) }
        holdBack()
        owner.knowledge.askProject(of: route) { [self] own in
            if letGo() { follow(query.narrowed(to: own, in: scope)) }
        }
    }

    private func follow(_ outcome: SessionListQuery.Decision) {
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

    /// Ends the hold. Returns false if no client waits any more. If the instance has changed, it answers the client and
    /// also returns false.
    func letGo() -> Bool {
        guard isHeldBack, connection != nil, !endHeldBack() else { return false }
        isHeldBack = false
        owner.undecided[ObjectIdentifier(self)] = nil
        // The route still has the same instance, but may have newer directories.
        if let currentRoute { route = currentRoute }
        return true
    }
}
