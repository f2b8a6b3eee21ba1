// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Encodes untrusted bytes as JSON strings (RFC 8259 §7).
extension [UInt8] {
    /// Appends a JSON string with its quotes.
    ///
    /// Most values need no escapes and are copied in one step.
    ///
    /// - Parameter whole: The collection that `bytes` refers to.
    mutating func appendJSONString(_ bytes: Span<UInt8>, _ whole: some Collection<UInt8>) {
        guard Self.isPlainJSON(bytes) else {
            appendEscapedJSONString(bytes)
            return
        }
        append(ASCII.quote)
        append(contentsOf: whole)
        append(ASCII.quote)
    }

    private static func isPlainJSON(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= LogValue.longest else { return false }
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < ASCII.space || byte >= ASCII.delete || byte == ASCII.quote || byte == ASCII.backslash {
                return false
            }
        }
        return true
    }

    /// Appends a JSON string with every byte that is not valid UTF-8 replaced by U+FFFD. Also escapes the terminal
    /// control characters that JSON allows, because users view these lines in terminals as well.
    private mutating func appendEscapedJSONString(_ bytes: Span<UInt8>) {
        append(ASCII.quote)
        let count = LogValue.loggedCount(bytes)
        var index = 0
        while index < count {
            let byte = bytes[index]
            if byte >= ASCII.space && byte < ASCII.delete {
                if byte == ASCII.quote || byte == ASCII.backslash { append(ASCII.backslash) }
                append(byte)
                index += 1
                continue
            }
            let scan = UTF8Scan(bytes, at: index)
            switch scan.scalar {
            case nil: append(contentsOf: "\u{FFFD}".utf8)
            case 0x0A: append(contentsOf: "\\n".utf8)
            case 0x0D: append(contentsOf: "\\r".utf8)
            case 0x09: append(contentsOf: "\\t".utf8)
            case let scalar? where UTF8Scan.isDangerous(scalar):
                append(contentsOf: "\\u".utf8)
                append(hexadecimal: UInt64(scalar), digits: 4)
            default: append(copying: bytes.extracting(index..<index + scan.length))
            }
            index += scan.length
        }
        if count < bytes.count { append(contentsOf: "…".utf8) }
        append(ASCII.quote)
    }
}
