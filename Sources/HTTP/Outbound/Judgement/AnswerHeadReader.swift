// SPDX-License-Identifier: Apache-2.0

/// Parses a response's head from the lines that libcurl delivers (CURLOPT_HEADERFUNCTION(3)). libcurl delivers HTTP/2
/// heads in HTTP/1.1 format. libcurl also delivers interim responses before the head and trailer fields after the body.
/// The reader performs no I/O.
struct AnswerHeadReader {
    /// The result of reading a line.
    enum Step: Equatable {
        /// The head is incomplete; more lines follow.
        case more
        /// The empty line after the head was read.
        case whole
        /// The lines are not a valid head.
        case fault(String)
    }

    private(set) var status = 0
    private(set) var version = OutboundHead.Version.one
    private(set) var fields: [OutboundField] = []
    private(set) var isWhole = false
    private var length = 0

    /// The maximum size of a head in bytes.
    static let longest = 64 * 1024

    /// Reads the next line including its line end.
    mutating func parse(_ line: some Collection<UInt8>) -> Step {
        length += line.count
        guard length <= Self.longest else { return .fault("the head is longer than \(Self.longest / 1024) KiB") }
        let text = Self.text(line)
        // Trailer fields are ignored.
        if isWhole { return .more }
        if text.isEmpty { return endOfHead() }
        if status == 0 { return parseStatusLine(text) }
        if text.first == " " || text.first == "\t" { return .fault("a field line of the head is folded") }
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            return .fault("a field line of the head is malformed")
        }
        fields.append(OutboundField(String(text[..<colon]), Self.trimmed(text[text.index(after: colon)...])))
        return .more
    }

    private mutating func parseStatusLine(_ text: String) -> Step {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].count == 3, let code = Int(words[1]),
            (100...599).contains(code)
        else { return .fault("the status line is malformed") }
        status = code
        version = words[0].hasPrefix("HTTP/2") ? .two : .one
        return .more
    }

    private mutating func endOfHead() -> Step {
        guard status != 0 else { return .more }
        if status < 200 {
            status = 0
            fields = []
            return .more
        }
        isWhole = true
        return .whole
    }

    private static func text(_ line: some Collection<UInt8>) -> String {
        var text = String(decoding: line, as: UTF8.self)
        // Compare scalars, because CR LF is a single `Character`.
        while let last = text.unicodeScalars.last, last == "\r" || last == "\n" { text.unicodeScalars.removeLast() }
        return text
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
