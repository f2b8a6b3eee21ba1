/// Splits a child's output into lines, whatever pieces it comes in.
package struct OutputLines: Sendable {
    /// The longest line that is kept whole, bytes; the rest of a longer one is left out and `…` takes its place.
    package static let lineLimit = 4096

    private var line: [UInt8] = []
    private var isCut = false

    /// At the beginning of an output.
    package init() {}

    /// Takes the next bytes; returns the lines that they complete. Empty lines are left out; invalid UTF-8 is repaired.
    package mutating func split(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for piece in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            append(piece)
            if let line = finish() { lines.append(line) }
        }
        let rest = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[($0 + 1)...] } ?? bytes[...]
        append(rest)
        return lines
    }

    /// The last line, when the output ended without a line feed.
    package mutating func finish() -> String? {
        defer {
            line.removeAll(keepingCapacity: true)
            isCut = false
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { return nil }
        return String(decoding: line, as: UTF8.self) + (isCut ? "…" : "")
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        let room = Self.lineLimit - line.count
        line += bytes.prefix(room)
        if bytes.count > room { isCut = true }
    }
}
