// SPDX-License-Identifier: Apache-2.0

/// The routes of OpenCode 1, from the list in `Sources/CLibraries/COpenCode1API/routes.txt`.
enum OpenCode1Routes {
    /// The result of a search for the route of a request.
    struct Match: Sendable {
        let route: OpenCode1Route
        let values: PathValues
        /// The route's entry in ``BridgeRoute/all``; nil if the gateway does not support the route for OpenCode 2.
        let bridged: BridgeRoute?
    }

    /// All routes, in the order of OpenCode's document.
    static let all: [OpenCode1Route] = EmbeddedFiles.routes.split(separator: "\n").compactMap { line in
        // If a route has a counterpart in OpenCode 2, its line has a third word. Only scripts/bridge-document.py uses
        // this word.
        let words = line.split(separator: " ")
        return words.count >= 2 ? OpenCode1Route(method: words[0], template: words[1]) : nil
    }

    /// Returns the route for a method and decoded path segments; nil if OpenCode 1 has no such route.
    static func find(_ method: String, _ path: [String]) -> Match? {
        guard let first = path.first, let method = OpenCode1Route.Method(rawValue: method),
            let entries = byBeginning[Beginning(first: first, length: path.count)]
        else { return nil }
        // Literal segments take precedence over variable segments, so `/session/status` does not name a session.
        var best: Match?
        for entry in entries where entry.route.method == method {
            guard let values = entry.pattern.values(path), best.map({ values.count < $0.values.count }) ?? true else {
                continue
            }
            best = Match(route: entry.route, values: values, bridged: entry.bridged)
        }
        return best
    }

    /// The first segment and the length of a route's path. The first segment is never variable.
    private struct Beginning: Hashable {
        let first: String
        let length: Int
    }

    private struct Entry {
        let route: OpenCode1Route
        let pattern: OpenCode1Route.Pattern
        let bridged: BridgeRoute?
    }

    private static let byBeginning: [Beginning: [Entry]] = {
        let bridged = Dictionary(BridgeRoute.all.map { ($0.route, $0) }) { first, _ in first }
        let entries = all.map { route in
            Entry(route: route, pattern: OpenCode1Route.Pattern(route.template), bridged: bridged[route])
        }
        return Dictionary(grouping: entries) { entry in
            Beginning(first: entry.pattern.literals.first.flatMap(\.self) ?? "", length: entry.pattern.literals.count)
        }
    }()
}
