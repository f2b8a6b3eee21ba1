// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

extension Simulator {
    /// Handles `/pty` and the paths below it.
    func terminal(_ request: Request) -> RequestOutcome? {
        let remainder = Array(request.segments.dropFirst())
        switch (request.method, remainder.count) {
        case ("GET", 0): return .answer(.json(.array(store.allTerminals)))
        case ("POST", 0): return .answer(createTerminal(request))
        case ("GET", 2) where remainder[1] == "connect":
            guard asksForUpgrade(request), store.terminal(remainder[0]) != nil else {
                return .answer(profile.refusals.noUpgrade)
            }
            return .terminal(remainder[0])
        case ("GET", 1), ("PUT", 1):
            return .answer(
                store.terminal(remainder[0]).map { .json($0) } ?? profile.refusals.missing(terminal: remainder[0]))
        case ("DELETE", 1):
            return .answer(
                store.removeTerminal(remainder[0])
                    ? .json(true) : profile.refusals.deletion(ofMissingTerminal: remainder[0]))
        default: return nil
        }
    }

    private func asksForUpgrade(_ request: Request) -> Bool {
        request.fields.first("Upgrade")?.lowercased() == "websocket"
    }

    /// Returns whether a request is a WebSocket upgrade for a terminal that does not exist.
    func isUpgradeOfMissingTerminal(_ request: Request) -> Bool {
        let segments = request.segments
        return request.method == "GET" && segments.count == 3 && segments[0] == "pty" && segments[2] == "connect"
            && asksForUpgrade(request) && store.terminal(segments[1]) == nil
    }

    private func createTerminal(_ request: Request) -> SimulatedAnswer {
        guard let body = request.json else { return profile.refusals.malformed }
        let id = Identifier.make("pty")
        // A shell without arguments becomes a login shell, so its arguments are `-l`.
        let arguments = body["args"]?.elements ?? []
        let info: JSON = [
            "id": .string(id), "title": .string(body["title"]?.text ?? "Terminal \(id.suffix(4))"),
            "command": .string(body["command"]?.text ?? "/bin/sh"),
            "args": .array(arguments.isEmpty ? ["-l"] : arguments),
            "cwd": .string(body["cwd"]?.text ?? directory(of: request)), "status": "running",
            "pid": .integer(Int(getpid())),
        ]
        store.addTerminal(id, info)
        return .json(info)
    }
}
