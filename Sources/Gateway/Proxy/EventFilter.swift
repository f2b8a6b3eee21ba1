import HTTPServer
import HTTPTypes
import Instances
import Logging
import OpenCode

/// Leaves other directories' events out of one stream on its way to the client.
struct EventFilter {
    /// What the client is told where the stream can't be read.
    static let encoded = "Proxy error: OpenCode's events are compressed, so those of other projects can't be left out."

    private var filter: EventDirectoryFilter
    private var hasComplained = false

    /// A filter that holds `limit` bytes at most.
    init(_ scope: DirectoryScope, limit: Int) { filter = EventDirectoryFilter(scope: scope, limit: limit) }

    /// Whether a stream can carry events of other directories: `/global/event` and V2's `/api/event` do.
    ///
    /// OpenCode's routers decode a path and take dot segments away before they look at it: a path that is anything but
    /// plain is taken for one of these. That costs such a stream a look at its frames, and nothing else.
    static func isWanted(for target: ArraySlice<UInt8>) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        guard path.allSatisfy(isPlain) else { return true }
        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if parts.last?.isEmpty ?? false { parts.removeLast() }
        if parts.contains(where: { $0.allSatisfy { $0 == UInt8(ascii: ".") } }) { return true }
        guard parts.count == 2, let first = parts.first, let last = parts.last else { return false }
        return last.equalsIgnoringCase(event) && (first.equalsIgnoringCase(global) || first.equalsIgnoringCase(api))
    }

    /// Whether the answer's body is in a coding that has to be taken off before it can be read.
    static func isEncoded(_ head: ResponseHead) -> Bool {
        (0..<head.fields.count).contains { index in
            head.fields.name(at: index).equalsIgnoringCase(contentEncoding)
                && !head.fields.value(at: index).equalsIgnoringCase(identity)
        }
    }

    /// Writes to the client what may go on of the stream's next bytes.
    mutating func pass(
        _ bytes: Span<UInt8>, to client: DetachedConnection, _ log: Logger, _ project: ProjectName
    ) {
        // The client of a stream is cut when it does not keep up, and never asks its source to pause.
        filter.filter(bytes) { _ = client.write($0) }
        guard filter.overlongFrames > 0, !hasComplained else { return }
        hasComplained = true
        log.warning(
            "an event was left out: it named no directory before the stream's backlog was full (--stream-backlog)",
            LogField("project", project.string))
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

    private static let global = Array("global".utf8)
    private static let api = Array("api".utf8)
    private static let event = Array("event".utf8)
    private static let contentEncoding = Array("content-encoding".utf8)
    private static let identity = Array("identity".utf8)
}
