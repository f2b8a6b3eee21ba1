// SPDX-License-Identifier: Apache-2.0

/// A parser for the content of one environment file.
struct EnvironmentFileReader {
    private(set) var assignments: [EnvironmentFile.Assignment] = []
    private(set) var ignoredLines: [EnvironmentFileProblem] = []

    private let path: String
    private var remaining: ArraySlice<UInt8>
    /// The line number of the next byte.
    private var line = 1

    private static let tab = UInt8(ascii: "\t")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let space = UInt8(ascii: " ")
    private static let backslash = UInt8(ascii: "\\")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(_ bytes: [UInt8], path: String) {
        self.path = path
        remaining = bytes[...]
    }

    /// Parses the whole content and collects the lines that have no effect. Throws if a problem makes the whole file
    /// unusable.
    mutating func readAll() throws(EnvironmentFileProblem) {
        // Like systemd, reject the whole file if it contains a NUL byte.
        if let end = remaining.firstIndex(of: 0) {
            for byte in remaining[..<end] where byte == Self.lineFeed { line += 1 }
            throw problem("contains a NUL byte: remove the byte", line)
        }
        while let byte = remaining.first {
            switch byte {
            case Self.space, Self.tab, Self.lineFeed, Self.carriageReturn: advance()
            case UInt8(ascii: "#"), UInt8(ascii: ";"): skipLine()
            default: try readAssignment()
            }
        }
    }

    private mutating func readAssignment() throws(EnvironmentFileProblem) {
        let start = line
        // Like systemd, treat a leading "=" as part of the name. Without a second "=", the line has no value.
        let end =
            remaining.dropFirst().firstIndex { $0 == UInt8(ascii: "=") || Self.endsLine($0) } ?? remaining.endIndex
        let name = remaining[..<end].dropLastWhile(Self.isBlank)
        remaining = remaining[end...]
        guard remaining.first == UInt8(ascii: "=") else {
            ignoredLines.append(problem(Self.problem(ofText: name), start))
            return
        }
        advance()
        let value = try readValue()
        guard let nameText = text(name), let valueText = text(value[...]) else {
            throw problem("is not UTF-8 text: save the file as UTF-8", start)
        }
        if let wrong = Self.problem(ofName: name) {
            ignoredLines.append(problem(wrong, start))
            return
        }
        assignments.append(EnvironmentFile.Assignment(name: nameText, value: valueText, line: start))
    }

    /// Reads the value after `=`: any number of quoted parts, then optionally plain text, where quotes have no meaning.
    private mutating func readValue() throws(EnvironmentFileProblem) -> [UInt8] {
        var value: [UInt8] = []
        while let byte = remaining.first, !Self.endsLine(byte) {
            switch byte {
            case Self.space, Self.tab: advance()
            case UInt8(ascii: "'"): try readSingleQuoted(into: &value)
            case UInt8(ascii: "\""): try readDoubleQuoted(into: &value)
            default:
                readPlain(into: &value)
                return value
            }
        }
        return value
    }

    /// Reads plain text up to the end of the line. A backslash before a byte keeps that byte. A backslash at the end of
    /// a line joins the next line to it. White space at the end is dropped unless a backslash precedes it.
    private mutating func readPlain(into value: inout [UInt8]) {
        var kept = value.count
        while let byte = remaining.first, !Self.endsLine(byte) {
            advance()
            guard byte == Self.backslash else {
                value.append(byte)
                if !Self.isBlank(byte) { kept = value.count }
                continue
            }
            if let next = remaining.first {
                advance()
                if !Self.endsLine(next) { value.append(next) }
            }
            kept = value.count
        }
        value.removeLast(value.count - kept)
    }

    private mutating func readSingleQuoted(into value: inout [UInt8]) throws(EnvironmentFileProblem) {
        let start = line
        advance()
        while let byte = remaining.first {
            advance()
            if byte == UInt8(ascii: "'") { return }
            value.append(byte)
        }
        throw unclosed("'", start)
    }

    /// Reads a double-quoted part that begins at the next byte. A backslash escapes `"`, `\`, `` ` `` and `$`. A
    /// backslash at the end of a line joins the next line to it. Any other backslash is an ordinary byte.
    private mutating func readDoubleQuoted(into value: inout [UInt8]) throws(EnvironmentFileProblem) {
        let start = line
        advance()
        while let byte = remaining.first {
            advance()
            if byte == UInt8(ascii: "\"") { return }
            guard byte == Self.backslash, let next = remaining.first else {
                value.append(byte)
                continue
            }
            advance()
            if next == Self.lineFeed { continue }
            if !"\"\\`$".utf8.contains(next) { value.append(Self.backslash) }
            value.append(next)
        }
        throw unclosed("\"", start)
    }

    private mutating func skipLine() {
        remaining = remaining.drop { !Self.endsLine($0) }
    }

    /// Consumes one byte and counts lines. CR LF counts as one line end, and so does a CR alone.
    private mutating func advance() {
        guard let byte = remaining.popFirst() else { return }
        if byte == Self.lineFeed || (byte == Self.carriageReturn && remaining.first != Self.lineFeed) { line += 1 }
    }

    /// Returns the text; nil if it is not valid UTF-8 or contains noncharacters, which systemd.exec(5) excludes.
    private func text(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validating: bytes, as: UTF8.self).flatMap { text in
            text.unicodeScalars.contains { $0.properties.isNoncharacterCodePoint } ? nil : text
        }
    }

    private static func problem(ofText text: ArraySlice<UInt8>) -> String {
        if text.first == UInt8(ascii: "=") { return "has no name before \"=\": write NAME=VALUE" }
        return "has no \"=\": write NAME=VALUE, or # before a comment"
    }

    private static func problem(ofName name: ArraySlice<UInt8>) -> String? {
        if name.starts(with: byteOrderMark) {
            return "begins with a byte order mark: save the file as UTF-8 without one"
        }
        if name.starts(with: "export ".utf8) || name.starts(with: "export\t".utf8) {
            return "begins with export: write NAME=VALUE alone, because no shell reads this file"
        }
        let isName = name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        let beginsWithDigit = name.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        guard !isName || beginsWithDigit else { return nil }
        return "has no valid name before \"=\": use letters, digits and _, and begin with a letter or _"
    }

    private func unclosed(_ quote: String, _ line: Int) -> EnvironmentFileProblem {
        problem("opens a quote that is never closed: add the closing \(quote)", line)
    }

    private func problem(_ text: String, _ line: Int) -> EnvironmentFileProblem {
        EnvironmentFileProblem(path: path, line: line, problem: text)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }
}

extension ArraySlice<UInt8> {
    fileprivate func dropLastWhile(_ isDropped: (UInt8) -> Bool) -> ArraySlice {
        self[..<(lastIndex { !isDropped($0) }.map { $0 + 1 } ?? startIndex)]
    }
}
