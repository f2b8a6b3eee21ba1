// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The routes on which OpenCode responds only at the end of a turn, a shell command or a model's output. OpenCode sends
/// no byte of the response earlier, however long the wait is.
///
/// One table contains the routes of both families, because the families' paths do not overlap. OpenCode 1.18 also has
/// routes below `/api`.
package enum TurnRoutes {
    /// A route's path, divided into segments. A segment is nil if it represents an identifier.
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
        // An additional route of OpenCode 1.18.
        "/api/session/{sessionID}/wait",
        // The routes of OpenCode 2. OpenCode 2 responds to /shell after the command has ended. OpenCode 2 responds to
        // /command, /compact and /prompt immediately.
        "/api/experimental/session/{sessionID}/wait", "/api/session/{sessionID}/generate", "/api/experimental/generate",
        "/api/session/{sessionID}/shell",
    ].map(Route.init)

    /// The numbers of segments of the routes.
    private static let segmentCounts = 3...5

    /// Returns whether a request matches one of these routes.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - target: The target as the instance receives it.
    ///
    /// The method interprets the path as OpenCode's routers do: it decodes the path, ignores empty segments, and ends
    /// the path at `?` or `;`.
    package static func contains(_ method: String, _ target: ArraySlice<UInt8>) -> Bool {
        guard method == Self.method, segmentCounts.contains(segmentCount(of: target)) else { return false }
        let segments = segments(of: target)
        return routes.contains { route in
            route.segments.count == segments.count
                && zip(route.segments, segments).allSatisfy { wanted, segment in
                    wanted.map { segment.spells($0) } ?? true
                }
        }
    }

    /// Returns the id of the session whose turn a request aborts; nil if the request does not match OpenCode 1's route
    /// for aborting a session.
    package static func abortedSession(_ method: String, _ target: ArraySlice<UInt8>) -> String? {
        guard method == Self.method, segmentCount(of: target) == 3 else { return nil }
        let segments = segments(of: target)
        guard segments[0].spells(Array("session".utf8)), segments[2].spells(Array("abort".utf8))
        else { return nil }
        return String(decoding: PercentEncoding.decode(segments[1]).bytes, as: UTF8.self)
    }

    /// Returns the number of segments of the path. The method allocates nothing, because the gateway calls it for each
    /// POST request.
    private static func segmentCount(of target: ArraySlice<UInt8>) -> Int {
        var count = 0
        var isInSegment = false
        for byte in target {
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: ";") { break }
            let isSeparator = byte == UInt8(ascii: "/")
            if !isSeparator, !isInSegment { count += 1 }
            isInSegment = !isSeparator
        }
        return count
    }

    private static func segments(of target: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ";") }.split(separator: UInt8(ascii: "/"))
    }
}
