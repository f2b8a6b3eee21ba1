// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import OpenCode
internal import Projects

/// Leaves other directories' events out of one stream on its way to the client.
final class EventFilter {
    /// The client's answer if the stream cannot be read.
    static let encoded = "Proxy error: OpenCode's events are compressed, so those of other projects can't be left out."

    private var filter: EventDirectoryFilter
    private let knowledge: RunSessionIndex
    private let log: Logger
    private var output: ((borrowing Span<UInt8>) -> Void)?
    private var hasComplained = false
    /// Called when all bytes that may pass have passed, after ``pass(_:)`` and whenever an answer arrives.
    var settled: (() -> Void)?

    /// A filter that holds `limit` bytes at most.
    init(_ scope: DirectoryScope, limit: Int, sessionIndex knowledge: RunSessionIndex, log: Logger) {
        filter = EventDirectoryFilter(scope: scope, limit: limit)
        self.knowledge = knowledge
        self.log = log
    }

    /// The answers that are needed before anything passes.
    var question: EventSessionIndex.Question? { filter.question }

    /// What may go on is given to `output` from now on; `target` is what was asked for.
    func begin(_ target: ArraySlice<UInt8>, output: @escaping (borrowing Span<UInt8>) -> Void) {
        self.output = output
        knowledge.join(self, isNative: !Self.isWrapped(target))
    }

    /// From the next event on these directories count.
    func follow(_ scope: DirectoryScope) {
        if filter.scope !== scope { filter.scope = scope }
    }

    /// Gives out what may go on of the stream's next bytes.
    func pass(_ bytes: Span<UInt8>) {
        knowledge.willFilter()
        filter.filter(bytes, &knowledge.events) { [output] in output?($0) }
        passed()
    }

    /// An answer has arrived, or will not arrive.
    func goOn() {
        knowledge.willFilter()
        filter.goOn(&knowledge.events) { [output] in output?($0) }
        passed()
    }

    /// The stream has ended: waiting events pass if their project is known.
    func finish() {
        filter.finish(&knowledge.events) { [output] in output?($0) }
        leave()
    }

    /// The client has left.
    func leave() {
        output = nil
        settled = nil
        knowledge.leave(self)
    }

    private func passed() {
        guard output != nil else { return }
        settled?()
        guard output != nil else { return }
        knowledge.filtered(self)
        guard filter.overlongFrames > 0, !hasComplained else { return }
        hasComplained = true
        log.warning(
            "an event was left out: it was not known whose it is before the stream's backlog was full (--stream-backlog)",
            LogField("project", knowledge.project.string))
    }

    /// Whether a stream is plainly OpenCode 1's `/global/event`, whose events name their directory or belong to all.
    private static func isWrapped(_ target: ArraySlice<UInt8>) -> Bool {
        target.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(wrapped)
    }

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
