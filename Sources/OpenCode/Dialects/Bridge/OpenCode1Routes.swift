// SPDX-License-Identifier: Apache-2.0

/// The routes of OpenCode 1, as `METHOD /path/{name}`, from the list in `Sources/CLibraries/COpenCode1API/routes.txt`.
package enum OpenCode1Routes {
    /// All routes, in the order of OpenCode's document.
    static let all: [String] = EmbeddedFiles.routes.split(separator: "\n").compactMap { line in
        // Routes with a counterpart in OpenCode 2 have a third word, for scripts/bridge-document.py.
        let words = line.split(separator: " ")
        return words.count >= 2 && words[0] != "#" ? "\(words[0]) \(words[1])" : nil
    }

    /// Returns the route for a method and decoded path segments, with the values of its placeholders; nil if OpenCode 1
    /// has no such route.
    static func find(_ method: String, _ path: [String]) -> (route: String, values: [String])? {
        guard let first = path.first, let routes = byBeginning[Beginning(first: first, length: path.count)] else {
            return nil
        }
        // Literal segments take precedence over placeholders: `/session/status` is not a session.
        var best: (route: String, values: [String])?
        for route in routes where route.method == method {
            guard let values = route.values(path), best.map({ values.count < $0.values.count }) ?? true else {
                continue
            }
            best = (route.text, values)
        }
        return best
    }

    /// The first segment and the length of a route's path; the first segment is never a placeholder.
    private struct Beginning: Hashable {
        let first: String
        let length: Int
    }

    private struct Route {
        let text: String
        let method: String
        /// The segments of the path; nil represents a placeholder.
        let segments: [String?]

        func values(_ path: [String]) -> [String]? {
            var values: [String] = []
            for (segment, name) in zip(segments, path) {
                if let segment {
                    guard segment == name else { return nil }
                } else {
                    guard !name.isEmpty else { return nil }
                    values.append(name)
                }
            }
            return values
        }
    }

    private static let byBeginning: [Beginning: [Route]] = {
        let routes = all.map { text in
            let words = text.split(separator: " ")
            let segments = words[1].split(separator: "/").map { $0.first == "{" ? nil : String($0) }
            return Route(text: text, method: String(words[0]), segments: segments)
        }
        return Dictionary(grouping: routes) { route in
            Beginning(first: route.segments[0] ?? "", length: route.segments.count)
        }
    }()
}
