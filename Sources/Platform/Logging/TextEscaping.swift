// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Escapes untrusted text so that it can neither end a log line, nor forge a field, nor control a terminal.
extension [UInt8] {
    /// Appends a message. Dangerous characters become `\n`, `\t` or `\u{1b}`, and an invalid byte becomes `\xff`.
    mutating func appendTextMessage(_ bytes: Span<UInt8>) {
        appendTextEscaped(bytes, isQuoted: false)
    }

    /// Appends a field's value. An ambiguous value is put in quotes, with `"` and `\` escaped as well.
    ///
    /// - Parameter whole: The collection that `bytes` refers to, which is copied in one step.
    mutating func appendTextValue(_ bytes: Span<UInt8>, _ whole: some Collection<UInt8>) {
        guard Self.needsQuotes(bytes) else {
            append(contentsOf: whole)
            return
        }
        append(ASCII.quote)
        appendTextEscaped(bytes, isQuoted: true)
        append(ASCII.quote)
    }

    private static func needsQuotes(_ bytes: Span<UInt8>) -> Bool {
        if bytes.isEmpty || bytes.count > LogValue.longest { return true }
        for index in bytes.indices {
            switch bytes[index] {
            case 0...ASCII.space, ASCII.quote, ASCII.equals, ASCII.backslash, ASCII.delete...0xFF: return true
            default: break
            }
        }
        return false
    }

    private mutating func appendTextEscaped(_ bytes: Span<UInt8>, isQuoted: Bool) {
        let count = LogValue.loggedCount(bytes)
        var index = 0
        while index < count {
            let scan = UTF8Scan(bytes, at: index)
            switch scan.scalar {
            case nil:
                append(contentsOf: "\\x".utf8)
                append(hexadecimal: UInt64(bytes[index]), digits: 2)
            case 0x0A: append(contentsOf: "\\n".utf8)
            case 0x0D: append(contentsOf: "\\r".utf8)
            case 0x09: append(contentsOf: "\\t".utf8)
            case let scalar? where UTF8Scan.isDangerous(scalar):
                append(contentsOf: "\\u{".utf8)
                append(hexadecimal: UInt64(scalar), digits: scalar > 0xFF ? 4 : 2)
                append(ASCII.closeBrace)
            case 0x22 where isQuoted, 0x5C where isQuoted:
                append(ASCII.backslash)
                append(bytes[index])
            default: append(copying: bytes.extracting(index..<index + scan.length))
            }
            index += scan.length
        }
        if count < bytes.count { append(contentsOf: "…".utf8) }
    }
}
