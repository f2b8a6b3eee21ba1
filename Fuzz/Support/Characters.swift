// SPDX-License-Identifier: Apache-2.0

/// A second implementation of RFC 9110's character rules, against which the gateway's parsers are checked.
enum Characters {
    private static let tokens: [Bool] = (0..<256).map { byte in
        let character = Character(Unicode.Scalar(UInt8(byte)))
        return character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }

    /// Returns whether the bytes are a token (§5.6.2).
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { tokens[Int($0)] }
    }

    /// Returns whether the bytes are a field value that is safe to forward (§5.5).
    static func isFieldValue(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }

    /// Returns the bytes without white space at both ends (§5.6.3).
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }

    /// Returns whether the bytes equal `word`, ignoring the case of letters. The word must be in lower case.
    static func matches(_ bytes: some Collection<UInt8>, _ word: some Collection<UInt8>) -> Bool {
        guard bytes.count == word.count else { return false }
        return zip(bytes, word).allSatisfy { $0 == $1 || (0x41...0x5A).contains($0) && $0 + 0x20 == $1 }
    }

    /// Compares as ``matches(_:_:)`` does, but with a literal.
    static func matches(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        matches(bytes, UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
}

/// The number and the values of a message's framing fields, for both directions (RFC 9112 §6).
struct FramingFields {
    var lengths = 0
    var length: UInt64?
    var codings = 0
    var isChunked = false

    mutating func add(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if Characters.matches(name, "content-length") {
            lengths += 1
            let isNumber = (1...19).contains(value.count) && value.allSatisfy { (0x30...0x39).contains($0) }
            length = isNumber ? UInt64(String(decoding: value, as: UTF8.self)) : nil
        }
        if Characters.matches(name, "transfer-encoding") {
            codings += 1
            isChunked = Characters.matches(value, "chunked")
        }
    }

    /// Whether all parsers find the same end of the message.
    var isClear: Bool {
        switch (lengths, codings) {
        case (0, 0): true
        case (1, 0): length != nil
        case (0, 1): isChunked
        default: false
        }
    }
}
