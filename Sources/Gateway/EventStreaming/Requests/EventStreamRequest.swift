// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import GatewayCore
import HTTPTypes
internal import Instances
import OpenCodeFamilies

/// The parsed head of a request for one of OpenCode's own event streams. Parsing performs no I/O.
struct EventStreamRequest {
    /// The decision about a request for an event stream.
    enum Decision {
        /// The hub serves the request.
        case hub(EventStreamRequest)
        /// The instance receives the request, without the gateway's own parameters.
        case passes(target: ArraySlice<UInt8>)
        /// The request is invalid. The value is the reason.
        case refused(String)
    }

    /// The gateway's own parameters, which the instance never receives.
    private static let gatewayParameters = ["hub", "since", "form", "max_rate"]

    let stream: OpenCodeEventStream
    /// The directory whose events the client requests, in the spelling that events use.
    private(set) var directory: [UInt8]?
    /// The other spelling of the directory, for an OpenCode 2 instance. The instance's events may spell a directory as
    /// in the request, or with symbolic links resolved.
    private(set) var directoryAlias: [UInt8]?
    /// The directory as an absolute path whose symbolic links the gateway must still resolve; nil if there
    /// is nothing to resolve.
    private(set) var unresolvedDirectory: [UInt8]?
    var start = EventCursor.Start.now
    /// The encoding that the request names; nil to use the encoding of the project.
    var encoding: EventEncoding?
    /// The maximum number of updates per second of a text that the model is still writing.
    var maxRate: Int?
    /// Whether the gateway translates the events of an OpenCode 2 instance into OpenCode 1's format.
    private(set) var isTranslated = false
    /// The target for the instance, without the gateway's own parameters.
    let target: ArraySlice<UInt8>

    private init(_ stream: OpenCodeEventStream, target: ArraySlice<UInt8>) {
        self.stream = stream
        self.target = target
    }

    /// Returns whether a target may name one of OpenCode's event streams. The check reads at most two bytes.
    static func isPossible(_ target: ArraySlice<UInt8>) -> Bool {
        guard target.count >= 6 else { return false }
        switch target[target.startIndex + 1] {
        case UInt8(ascii: "e"): return target[target.startIndex + 2] == UInt8(ascii: "v")
        case UInt8(ascii: "g"): return target[target.startIndex + 2] == UInt8(ascii: "l")
        case UInt8(ascii: "a"): return target.count >= 10 && target[target.startIndex + 5] == UInt8(ascii: "e")
        default: return false
        }
    }

    /// Returns whether the target names an event stream of any family.
    static func isOne(_ target: ArraySlice<UInt8>) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return OpenCodeEventStream(path: path, of: .one) != nil || OpenCodeEventStream(path: path, of: .two) != nil
    }

    /// Parses a request. Returns nil if the request is not for one of OpenCode's event streams.
    ///
    /// - Parameter isOpenCode1Compatible: Whether the gateway serves OpenCode 1's streams for an OpenCode 2 instance.
    static func parse(
        _ head: RequestHead, _ target: ArraySlice<UInt8>, of route: RoutingTable.Route, isOpenCode1Compatible: Bool
    ) -> Decision? {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        let family = route.endpoint?.family
        guard let stream = OpenCodeEventStream(path: path, of: family, isOpenCode1Compatible: isOpenCode1Compatible)
        else { return nil }
        // A browser that navigates to this path requests a page of OpenCode 2 instead of a stream.
        if OpenCodeEventStream.isTranslated(path, of: family), AcceptedTypes.preferPage(head.fields) { return nil }
        let parameters = target[path.endIndex...].dropFirst()
        let query = RequestQuery(parameters)
        var request = EventStreamRequest(stream, target: self.target(path, parameters))
        request.isTranslated = OpenCodeEventStream.isTranslated(path, of: family)
        switch query["hub"] {
        case "0"? where request.isTranslated, "off"? where request.isTranslated:
            return .refused(
                "hub=0 is not supported here, because OpenCode 2 itself has no such stream. Omit hub, or read /api/event."
            )
        case "0"?, "off"?: return .passes(target: request.target)
        case nil, "1"?, "on"?: break
        case let other?:
            return .refused(
                "hub=\(other) is neither 0 nor 1. Omit hub, or use hub=0 for OpenCode's own stream.")
        }
        if stream == .directory {
            guard request.parseDirectory(head, query, of: route) else {
                guard request.isTranslated else { return .passes(target: request.target) }
                return .refused("The parameter directory of /event is not an absolute path. Name an absolute path.")
            }
        }
        if let text = query["form"] {
            guard let encoding = EventEncoding(rawValue: text) else {
                return .refused("form=\(text) is unknown. Use raw, delta or full.")
            }
            request.encoding = encoding
        }
        do throws(EventQuery.QueryError) {
            request.maxRate = try EventQuery.maxRate(query)
        } catch {
            return .refused(error.sentence)
        }
        request.start = start(head, query)
        return .hub(request)
    }

    /// Returns the client's start position from the field `Last-Event-ID`, or otherwise from the parameter `since`.
    static func start(_ head: RequestHead, _ query: RequestQuery) -> EventCursor.Start {
        if let value = head.fields.values(named: lastEventID).first(where: { !$0.isEmpty }) {
            return EventID(value.span).map { .after($0) } ?? .unknown
        }
        guard let since = query["since"], !since.isEmpty, since != "now" else { return .now }
        if let id = EventID(Array(since.utf8).span) { return .after(id) }
        return RFC3339.milliseconds(since).map { .time($0) } ?? .unknown
    }

    /// Determines the directory that OpenCode uses for the request. The directory in the query takes precedence,
    /// then the field `x-opencode-directory`, and then the working directory. Returns false if the gateway
    /// cannot determine the directory.
    ///
    /// Since 1.2.21, OpenCode makes a path absolute (`path.resolve`), follows symbolic links (`realpath`), and uses the
    /// result in its events. Earlier versions use the directory's text in the request.
    private mutating func parseDirectory(_ head: RequestHead, _ query: RequestQuery, of route: RoutingTable.Route)
        -> Bool
    {
        var named = query["directory"].map { Array($0.utf8) }
        if named?.isEmpty ?? true, let index = head.fields.firstIndex(of: .openCodeDirectory) {
            named = Array(head.fields.value(at: index))
        }
        guard let named, !named.isEmpty else {
            directory = route.scope?.workingDirectory
            if isTranslated { directoryAlias = route.scope?.namedDirectory }
            return directory != nil
        }
        // OpenCode decodes the value a second time, so decode it here as well.
        let decoded = PercentEncoding.decode(named).bytes
        guard !decoded.contains(UInt8(ascii: "%")) else { return false }
        let traits = EventStreamTraits(route.endpoint?.family, version: route.endpoint?.version)
        guard traits.resolvesDirectories else {
            // No recording shows how events spell a relative path, so the instance itself serves the request.
            directory = decoded
            return decoded.first == UInt8(ascii: "/")
        }
        guard decoded.first == UInt8(ascii: "/") || route.scope != nil,
            let path = DirectoryScope.absolute(decoded, in: route.scope?.workingDirectory ?? [])
        else { return false }
        if let scope = route.scope, scope.isFolder(path[...]) {
            directory = scope.workingDirectory
            if isTranslated { directoryAlias = scope.namedDirectory }
        } else {
            directory = path
            unresolvedDirectory = path
            if isTranslated { directoryAlias = path }
        }
        return true
    }

    /// Sets the directory to `path`, whose symbolic links have been resolved.
    mutating func resolve(_ path: [UInt8]) {
        directory = path
        unresolvedDirectory = nil
    }

    /// Returns the target without the gateway's own parameters.
    private static func target(_ path: ArraySlice<UInt8>, _ parameters: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let kept = parameters.split(separator: UInt8(ascii: "&")).filter { parameter in
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            return !gatewayParameters.contains { $0.utf8.elementsEqual(name) }
        }
        guard !kept.isEmpty else { return path }
        return path + [UInt8(ascii: "?")] + Array(kept.joined(separator: [UInt8(ascii: "&")]))
    }

    private static let lastEventID = Array("last-event-id".utf8)
}
