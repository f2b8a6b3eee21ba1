// SPDX-License-Identifier: Apache-2.0

import Dialects
import Encodings
import GatewayCore
import HTTPServer
import HTTPTypes
internal import Instances
import OpenCodeFamilies

/// The interpretation of the head of an OpenCode 1 request to an OpenCode 2 instance. The
/// interpretation performs no I/O.
enum BridgeRequest {
    /// The gateway's handling of the request.
    enum Handling {
        /// The bridge serves the request. `namesDirectory` states whether the request names a directory instead of
        /// using OpenCode's working directory.
        case bridged(ClientRequest, namesDirectory: Bool)
        /// The request is for a terminal's WebSocket, which has this target in OpenCode 2.
        case terminal(target: [UInt8])
        /// The gateway rejects the request with this error.
        case refused(GatewayError)
    }

    /// Returns whether a target can be one of OpenCode 1's routes. None of these routes is below `/api/`.
    static func isPossible(_ target: ArraySlice<UInt8>) -> Bool {
        target.count < api.count || target[target.startIndex + 4] != UInt8(ascii: "/") || !target.starts(with: api)
    }

    /// Returns the interpretation of the request; nil if the request belongs to OpenCode 2's own API. The caller must
    /// have applied the directory rules to the request.
    ///
    /// - Parameter hasHub: Whether the hub serves event streams.
    static func parse(
        _ head: RequestHead, _ target: ArraySlice<UInt8>, of route: RoutingTable.Route, isPinned: Bool, hasHub: Bool
    ) -> Handling? {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        guard let segments = segments(path) else { return nil }
        let method = head.method == .head ? "GET" : head.methodName
        guard let kind = Bridge.routeKind(method, segments), method != "GET" || !AcceptedTypes.preferPage(head.fields)
        else { return nil }
        var query = Query(target[path.endIndex...].dropFirst())
        if kind == .eventStream { return stream(query, hasHub: hasHub) }
        guard !identified.contains(segments[0]) || segments.allSatisfy({ SessionIdentifier.isValid($0.utf8) })
        else {
            return .refused(
                GatewayError(
                    400, "The path contains an invalid identifier. Use the identifier that OpenCode returned."))
        }
        guard let directory = directory(query.directory, head.fields, of: route, isPinned: isPinned) else {
            return .refused(
                GatewayError(
                    403,
                    "The request names a directory outside project \(route.text). Name a directory inside the project, or omit the directory."
                ))
        }
        if kind == .terminal {
            query.pairs.removeAll { $0.name.hasPrefix("location") }
            return .terminal(target: terminal(path, query: query, in: directory))
        }
        return .bridged(
            ClientRequest(method, segments, query: query.pairs, directory: directory),
            namesDirectory: !query.directory.isEmpty || head.fields.firstIndex(of: .openCodeDirectory) != nil)
    }

    /// Returns the refusal of an event stream that the hub does not serve. Only the hub translates streams.
    private static func stream(_ query: Query, hasHub: Bool) -> Handling? {
        guard hasHub else {
            return .refused(
                GatewayError(
                    501,
                    "The gateway translates event streams only with its event hub, which is off (--event-hub off). "
                        + "Read OpenCode 2's own event stream, /api/event."))
        }
        let hub = query.pairs.first { $0.name == "hub" }?.value
        guard hub == "0" || hub == "off" else { return nil }
        return .refused(
            GatewayError(
                400,
                "hub=0 is not supported here, because OpenCode 2 itself has no such stream. Omit hub, or read /api/event."
            ))
    }

    /// Returns the decoded segments of a path. Returns nil if a segment is empty or not UTF-8, because no
    /// route has such segments.
    private static func segments(_ path: ArraySlice<UInt8>) -> [String]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        var remainder = path.dropFirst()
        while true {
            let raw = remainder.prefix { $0 != UInt8(ascii: "/") }
            let isPlain = !raw.contains(UInt8(ascii: "%"))
            guard !raw.isEmpty,
                let text = isPlain
                    ? String(validating: raw, as: UTF8.self)
                    : String(validating: PercentEncoding.decode(raw).bytes, as: UTF8.self)
            else { return nil }
            segments.append(text)
            guard raw.endIndex < path.endIndex else { return segments }
            remainder = path[(raw.endIndex + 1)...]
        }
    }

    /// A decoded query. The directory is stored separately from the other parameters.
    private struct Query {
        var pairs: [(name: String, value: String)] = []
        private(set) var directory: [UInt8] = []

        init(_ text: ArraySlice<UInt8>) {
            for parameter in text.split(separator: UInt8(ascii: "&")) {
                let raw = parameter.prefix { $0 != UInt8(ascii: "=") }
                let name = String(
                    decoding: PercentEncoding.decode(raw, plusIsSpace: true).bytes, as: UTF8.self)
                let value = PercentEncoding.decode(parameter[raw.endIndex...].dropFirst(), plusIsSpace: true).bytes
                if name == "directory" {
                    if directory.isEmpty { directory = value }
                } else {
                    pairs.append((name, String(decoding: value, as: UTF8.self)))
                }
            }
        }
    }

    /// Returns the absolute path of the directory that OpenCode 1 uses for the request. The directory in the query
    /// takes precedence, then the field `x-opencode-directory`, and then the working directory. Returns nil if the path
    /// is outside the project.
    private static func directory(
        _ named: [UInt8], _ fields: FieldList, of route: RoutingTable.Route, isPinned: Bool
    ) -> String? {
        let workingDirectory = route.scope?.workingDirectory ?? [UInt8(ascii: "/")]
        let text = named.isEmpty ? fields.first(.openCodeDirectory).map { Array($0) } ?? [] : named
        // OpenCode decodes the value a second time, so decode it here as well.
        let decoded = PercentEncoding.decode(text).bytes
        guard !decoded.isEmpty else { return String(decoding: workingDirectory, as: UTF8.self) }
        guard let path = String(validating: decoded, as: UTF8.self), !decoded.contains(0) else { return nil }
        let absolute = FolderPath.absolute(path, in: String(decoding: workingDirectory, as: UTF8.self))
        guard isPinned, let scope = route.scope else { return absolute }
        return scope.contains(Array(absolute.utf8)[...]) ? absolute : nil
    }

    /// Returns OpenCode 2's target for a terminal's WebSocket.
    private static func terminal(_ path: ArraySlice<UInt8>, query: Query, in directory: String) -> [UInt8] {
        var target = Array("/api".utf8) + path
        var separator = UInt8(ascii: "?")
        for (name, value) in query.pairs + [("location[directory]", directory)] {
            target.append(separator)
            target += PercentEncoding.encode(name.utf8) + [UInt8(ascii: "=")] + PercentEncoding.encode(value.utf8)
            separator = UInt8(ascii: "&")
        }
        return target
    }

    private static let api = Array("/api/".utf8)
    /// The first segments of the routes whose other segments are words and identifiers.
    private static let identified: Set<String> = ["session", "permission", "question", "pty"]
}
