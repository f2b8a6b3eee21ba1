/// The requests that OpenCode answers at the end of a turn, of a command of the shell, or of what a model writes: no byte comes
/// before, for as long as that takes.
///
/// One table for both families. Their paths don't meet, and OpenCode 1.18 has routes of both kinds.
package enum TurnRoutes {
    /// One such route: every segment of its path, in which nil stands for an identifier.
    private struct Route {
        let segments: [[UInt8]?]

        init(_ template: String) {
            segments = template.split(separator: "/").map { $0.hasPrefix("{") ? nil : Array($0.utf8) }
        }
    }

    /// They are all POST.
    private static let method = "POST"

    private static let routes = [
        // OpenCode 1.
        "/session/{sessionID}/message", "/session/{sessionID}/command", "/session/{sessionID}/shell",
        "/session/{sessionID}/summarize", "/session/{sessionID}/init",
        // OpenCode 1.18, besides.
        "/api/session/{sessionID}/wait",
        // OpenCode 2. Its /shell answers when the command has ended; /command, /compact and /prompt answer at once.
        "/api/experimental/session/{sessionID}/wait", "/api/session/{sessionID}/generate", "/api/experimental/generate",
        "/api/session/{sessionID}/shell",
    ].map(Route.init)

    /// Whether a request with this method and this target, as the instance gets it, is one of them.
    ///
    /// The path is read as OpenCode's routers read it: decoded, without empty segments, and ended by `?` or `;`.
    package static func contains(_ method: String, _ target: ArraySlice<UInt8>) -> Bool {
        guard method == Self.method else { return false }
        let path = target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ";") }
        let segments = path.split(separator: UInt8(ascii: "/"))
        return routes.contains { route in
            route.segments.count == segments.count
                && zip(route.segments, segments).allSatisfy { wanted, segment in
                    wanted.map { segment.spells($0) } ?? true
                }
        }
    }
}
