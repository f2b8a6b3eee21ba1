// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The requests to which OpenCode responds only at the end of a turn, of a shell command, or of a model's output. No
/// byte of the response is sent earlier, however long that takes.
///
/// One table serves both families, because their paths do not overlap, and OpenCode 1.18 has routes of both kinds.
package enum TurnRoutes {
    /// The segments of a route's path; nil represents an identifier.
    private struct Route {
        let segments: [[UInt8]?]

        init(_ template: String) {
            segments = template.split(separator: "/").map { $0.hasPrefix("{") ? nil : Array($0.utf8) }
        }
    }

    /// The method of all routes in the table.
    private static let method = "POST"

    private static let routes = [
        // The routes of OpenCode 1.
        "/session/{sessionID}/message", "/session/{sessionID}/command", "/session/{sessionID}/shell",
        "/session/{sessionID}/summarize", "/session/{sessionID}/init",
        // Additional routes of OpenCode 1.18.
        "/api/session/{sessionID}/wait",
        // The routes of OpenCode 2. Its /shell responds after the command has ended. /command, /compact and /prompt
        // respond immediately.
        "/api/experimental/session/{sessionID}/wait", "/api/session/{sessionID}/generate", "/api/experimental/generate",
        "/api/session/{sessionID}/shell",
    ].map(Route.init)

    /// Returns whether a request belongs to one of the routes in the table.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - target: The target as the instance receives it.
    ///
    /// The path is interpreted as OpenCode's routers interpret it: decoded, without empty segments, and ended by `?` or
    /// `;`.
    package static func contains(_ method: String, _ target: ArraySlice<UInt8>) -> Bool {
        guard method == Self.method else { return false }
        let segments = segments(of: target)
        return routes.contains { route in
            route.segments.count == segments.count
                && zip(route.segments, segments).allSatisfy { wanted, segment in
                    wanted.map { segment.spells($0) } ?? true
                }
        }
    }

    /// Returns the session whose turn a request aborts; nil if it is not a request of OpenCode 1 to abort a session.
    package static func abortedSession(_ method: String, _ target: ArraySlice<UInt8>) -> String? {
        guard method == Self.method else { return nil }
        let segments = segments(of: target)
        guard segments.count == 3, segments[0].spells(Array("session".utf8)), segments[2].spells(Array("abort".utf8))
        else { return nil }
        return String(decoding: PercentEncoding.decode(segments[1]).bytes, as: UTF8.self)
    }

    private static func segments(of target: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ";") }.split(separator: UInt8(ascii: "/"))
    }
}
