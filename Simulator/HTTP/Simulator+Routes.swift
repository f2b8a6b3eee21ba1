// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Simulator {
    /// Returns the outcome of a request. Handles an unsupported method like an unknown path.
    func outcome(of request: Request) -> RequestOutcome {
        if request.method == "OPTIONS" { return .answer(.preflight) }
        if let credentials, !credentials.accept(request) { return .answer(.unauthorized) }
        if request.method == "HEAD" {
            guard case .answer(let answer) = outcome(of: request.with(method: "GET")) else {
                return .answer(profile.refusals.head(of: .emptyJSON))
            }
            return .answer(profile.refusals.head(of: answer))
        }
        if let outcome = general(request) ?? instance(request) { return outcome }
        return .answer(profile.refusals.unknownPath(hasBody: true))
    }

    /// Handles the routes that belong to no directory.
    private func general(_ request: Request) -> RequestOutcome? {
        switch (request.method, request.path) {
        case ("GET", "global/health"):
            .answer(.json(["healthy": true, "version": .string(profile.version)]))
        case ("GET", "global/event"): .events(feed(directory: nil))
        case ("POST", "log"): .answer(.json(true))
        default: nil
        }
    }

    /// Handles the routes that belong to one directory.
    private func instance(_ request: Request) -> RequestOutcome? {
        let directory = self.directory(of: request)
        if profile.hangsFirstUpgrade, !store.isOpen, isUpgradeOfMissingTerminal(request) { return .silence }
        store.open()
        switch request.segments.first {
        case "session": return session(request, directory).map(RequestOutcome.answer)
        case "pty": return terminal(request)
        case "permission", "question": return reply(request).map(RequestOutcome.answer)
        case "file", "find": return files(request, directory).map(RequestOutcome.answer)
        default: break
        }
        switch (request.method, request.path) {
        case ("GET", "event"): return .events(feed(directory: directory))
        case ("POST", "instance/dispose"):
            bus.dispose(directory: directory)
            return .answer(.json(true))
        case ("GET", "skill"): return .answer(skills)
        case ("GET", let path):
            return Documents(profile: profile, home: home, directory: directory).json(path).map { .answer(.json($0)) }
        default: return nil
        }
    }

    private var skills: SimulatedAnswer {
        switch profile.refusals.generation {
        case .first: profile.refusals.search
        case .second: .json([])
        case .third:
            .json([
                [
                    "name": "customize-opencode", "description": "How to change the configuration.",
                    "location": "<built-in>", "content": "# Customizing",
                ]
            ])
        }
    }

    /// Handles lists of pending permission requests and questions, and replies to them.
    private func reply(_ request: Request) -> SimulatedAnswer? {
        let kind: PendingRequests.Kind = request.segments[0] == "permission" ? .permission : .question
        switch (request.method, request.segments.count, request.segments.last) {
        case ("GET", 1, _): return .json(.array(store.pending.list(kind)))
        case ("POST", 3, "reply"):
            guard let body = request.json else { return profile.refusals.malformed }
            if kind == .permission { return answer(request.segments[1], .permission(body["reply"]?.text ?? "reject")) }
            guard let answers = body["answers"] else { return profile.refusals.missing(list: "answers", in: body) }
            return answer(request.segments[1], .answers(answers))
        case ("POST", 3, "reject") where kind == .question: return answer(request.segments[1], .answers(nil))
        default: return nil
        }
    }

    /// Passes a reply to the waiting turn. An unknown id is not an error.
    func answer(_ id: String, _ reply: PendingRequests.Reply) -> SimulatedAnswer {
        _ = store.pending.reply(id, reply)
        return .json(true)
    }
}
