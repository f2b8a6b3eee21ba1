// SPDX-License-Identifier: Apache-2.0

import GatewayCore
package import HTTPTypes
package import Logging
package import OpenCodeFamilies
internal import Projects

/// A filter that removes the events of directories outside the project from an event stream.
package final class EventFilter {
    /// The error message for a client whose stream is compressed, so that the gateway cannot filter it.
    package static let encoded =
        "Proxy error: OpenCode's events are compressed, so the gateway cannot omit the events of other projects. Turn compression off."

    private var filter: EventDirectoryFilter
    private let sessionIndex: RunSessionIndex
    private let log: Logger
    private var output: ((borrowing Span<UInt8>) -> Void)?
    private var hasComplained = false
    /// Called after the filter has forwarded all permitted bytes, in ``pass(_:)`` and whenever the result of
    /// a query has arrived.
    package var settled: (() -> Void)?

    /// Creates a filter that buffers at most `limit` bytes.
    package init(_ scope: DirectoryScope, limit: Int, sessionIndex: RunSessionIndex, log: Logger) {
        filter = EventDirectoryFilter(scope: scope, limit: limit)
        self.sessionIndex = sessionIndex
        self.log = log
    }

    /// The query whose result the filter needs before it can continue.
    var query: EventSessionIndex.Query? { filter.query }

    /// Starts to forward permitted events to `output`.
    ///
    /// - Parameter target: The target of the client's request.
    package func start(_ target: ArraySlice<UInt8>, output: @escaping (borrowing Span<UInt8>) -> Void) {
        self.output = output
        sessionIndex.add(self, isNative: !Self.isWrapped(target))
    }

    /// Applies the directories of `scope` to the following events.
    func follow(_ scope: DirectoryScope) {
        if filter.scope !== scope { filter.scope = scope }
    }

    /// Filters the stream's next bytes and forwards the permitted events.
    package func pass(_ bytes: Span<UInt8>) {
        sessionIndex.willFilter()
        filter.filter(bytes, &sessionIndex.events) { [output] in output?($0) }
        passed()
    }

    /// Continues after the result of a query has arrived, or when no result will arrive.
    func resume() {
        sessionIndex.willFilter()
        filter.resume(&sessionIndex.events) { [output] in output?($0) }
        passed()
    }

    /// Ends the stream. Forwards the buffered events whose project is known.
    package func finish() {
        filter.finish(&sessionIndex.events) { [output] in output?($0) }
        stop()
    }

    /// Stops filtering, and discards the buffered events.
    package func stop() {
        output = nil
        settled = nil
        sessionIndex.remove(self)
    }

    private func passed() {
        guard output != nil else { return }
        settled?()
        guard output != nil else { return }
        sessionIndex.filtered(self)
        guard filter.overlongFrames > 0, !hasComplained else { return }
        hasComplained = true
        log.warning(
            "an event was omitted: its project was unknown when the stream's backlog was full",
            LogField("project", sessionIndex.project.string))
    }

    /// Returns whether the target is exactly OpenCode 1's `/global/event`, whose events name a directory or
    /// apply to all directories.
    private static func isWrapped(_ target: ArraySlice<UInt8>) -> Bool {
        target.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(wrapped)
    }

    /// Returns whether a stream can contain other directories' events, as `/global/event` and
    /// OpenCode 2's `/api/event` can.
    ///
    /// OpenCode's routers decode a path and remove dot segments before they match the path. A path that this
    /// normalization could change therefore counts as one of these streams. If the path is another stream, the only
    /// cost is that the gateway inspects the stream's frames.
    package static func isWanted(for target: ArraySlice<UInt8>) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        guard path.allSatisfy(isPlain) else { return true }
        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if parts.last?.isEmpty ?? false { parts.removeLast() }
        if parts.contains(where: { $0.allSatisfy { $0 == UInt8(ascii: ".") } }) { return true }
        guard parts.count == 2, let first = parts.first, let last = parts.last else { return false }
        return last.equalsIgnoringCase(event) && (first.equalsIgnoringCase(global) || first.equalsIgnoringCase(api))
    }

    /// Returns whether the response's body has a content coding, such as gzip. The filter cannot read an encoded body.
    package static func isEncoded(_ head: ResponseHead) -> Bool {
        (0..<head.fields.count).contains { index in
            head.fields.name(at: index).equalsIgnoringCase(contentEncoding)
                && !head.fields.value(at: index).equalsIgnoringCase(identity)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static let wrapped = Array("/global/event".utf8)
    private static let global = Array("global".utf8)
    private static let api = Array("api".utf8)
    private static let event = Array("event".utf8)
    private static let contentEncoding = Array("content-encoding".utf8)
    private static let identity = Array("identity".utf8)
}
