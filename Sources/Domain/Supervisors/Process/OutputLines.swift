// SPDX-License-Identifier: Apache-2.0

/// Splits a child's output into lines. The output arrives in arbitrary chunks.
package struct OutputLines: Sendable {
    /// The maximum length of a line in bytes. Longer lines are truncated and end with `…`.
    package static let lineLimit = 4096

    private var line: [UInt8] = []
    private var isCut = false

    /// Creates a splitter for a new output.
    package init() {}

    /// Adds bytes, and returns the lines that are now complete. Omits empty lines and replaces invalid UTF-8.
    package mutating func split(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            append(part)
            if let line = finish() { lines.append(line) }
        }
        let remainder = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[($0 + 1)...] } ?? bytes[...]
        append(remainder)
        return lines
    }

    /// Ends the current line and returns it; nil if it is empty. Call this method for an output that ended without a
    /// line feed.
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
