extension UInt8 {
    /// A letter's lower case; any other byte itself (ASCII only, as RFC 9110 §5.1 wants it).
    package var lowercasedLetter: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// SP or HTAB (RFC 9110 §5.6.3).
    package var isOptionalWhiteSpace: Bool { self == 0x20 || self == 0x09 }

    /// A byte that may stand in a field's value: no control character but HTAB (RFC 9110 §5.5).
    package var isFieldContent: Bool { self >= 0x20 && self != 0x7f || self == 0x09 }

    /// A character that may stand in a token, and so in a method or a field name (RFC 9110 §5.6.2).
    package var isTokenCharacter: Bool {
        // One bit for each ASCII character: !#$%&'*+-. and digits, then ^_`|~ and letters.
        let set: UInt64 = self < 64 ? 0x03ff_6cfa_0000_0000 : self < 128 ? 0x57ff_ffff_c7ff_fffe : 0
        return set >> UInt64(self & 63) & 1 == 1
    }
}

/// Eight bytes at a time: a head has some hundreds, and each is looked at twice.
private struct ByteOctet {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    let word: UInt64

    /// The bytes from `offset` on, of which there must be eight; the first one is the lowest.
    init(_ bytes: RawSpan, at offset: Int) {
        word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// How many bytes stand before the first that is `byte`; nil where there is none.
    func distance(to byte: UInt8) -> Int? {
        let difference = word ^ Self.ones &* UInt64(byte)
        let zeros = (difference &- Self.ones) & ~difference & Self.highBits
        // Above the first zero byte a borrow may have set bits that mean nothing.
        return zeros == 0 ? nil : zeros.trailingZeroBitCount / 8
    }

    /// Each letter in its lower case, any other byte itself.
    var lowercased: UInt64 {
        let sevenBits = word & ~Self.highBits
        // The high bit of each byte says whether its lower seven are at least, or above, a bound.
        let isAtLeastA = sevenBits &+ Self.ones &* (0x80 - 0x41)
        let isAboveZ = sevenBits &+ Self.ones &* (0x7f - 0x5a)
        return word | (isAtLeastA & ~isAboveZ & ~word & Self.highBits) >> 2
    }

    /// Whether any byte is below `limit`, which is at most 0x80.
    func hasByte(below limit: UInt8) -> Bool {
        (word &- Self.ones &* UInt64(limit)) & ~word & Self.highBits != 0
    }
}

extension Span<UInt8> {
    /// The index of the first `byte` at or after `start`; `count` where there is none.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int {
        precondition(start >= 0)
        let raw = bytes
        var index = start
        while index + 8 <= count {
            if let distance = ByteOctet(raw, at: index).distance(to: byte) { return index + distance }
            index += 8
        }
        while index < count, self[unchecked: index] != byte { index += 1 }
        return Swift.min(index, count)
    }

    /// Whether all bytes may stand in a request's target: no control character and no space.
    package var isTargetContent: Bool {
        let raw = bytes
        var index = 0
        while index + 8 <= count {
            let octet = ByteOctet(raw, at: index)
            guard !octet.hasByte(below: 0x21), octet.distance(to: 0x7f) == nil else { return false }
            index += 8
        }
        while index < count {
            guard self[unchecked: index] > 0x20, self[unchecked: index] != 0x7f else { return false }
            index += 1
        }
        return true
    }

    /// Whether all bytes may stand in a field's value (``UInt8/isFieldContent``).
    package var isFieldContent: Bool {
        let raw = bytes
        var index = 0
        while index < count {
            if index + 8 <= count {
                let octet = ByteOctet(raw, at: index)
                if !octet.hasByte(below: 0x20), octet.distance(to: 0x7f) == nil {
                    index += 8
                    continue
                }
            }
            // HTAB is below 0x20, too.
            guard self[unchecked: index].isFieldContent else { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes are `other`, letters in any spelling.
    package func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else {
            // Both have so many.
            for index in indices
            where self[unchecked: index].lowercasedLetter != other[unchecked: index].lowercasedLetter { return false }
            return true
        }
        let (raw, otherRaw) = (bytes, other.bytes)
        var index = 0
        while true {
            guard ByteOctet(raw, at: index).lowercased == ByteOctet(otherRaw, at: index).lowercased else {
                return false
            }
            if index + 8 >= count { return true }
            // The last eight overlap those before.
            index = Swift.min(index + 8, count - 8)
        }
    }

    /// A part without the SP and HTAB at both its ends.
    package func trimmingOptionalWhiteSpace(_ part: Range<Int>) -> Range<Int> {
        var (first, last) = (part.lowerBound, part.upperBound)
        while first < last, self[first].isOptionalWhiteSpace { first += 1 }
        while last > first, self[last - 1].isOptionalWhiteSpace { last -= 1 }
        return first..<last
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes are `lowercased` in any spelling of its letters.
    package func equalsIgnoringCase(_ lowercased: [UInt8]) -> Bool {
        guard count == lowercased.count else { return false }
        for offset in 0..<lowercased.count where self[startIndex + offset].lowercasedLetter != lowercased[offset] {
            return false
        }
        return true
    }

    /// Whether the bytes are `other`, letters in any spelling.
    package func equalsIgnoringCase(_ other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for offset in 0..<count
        where self[startIndex + offset].lowercasedLetter != other[other.startIndex + offset].lowercasedLetter {
            return false
        }
        return true
    }

    /// Whether the bytes begin with `lowercased` in any spelling of its letters.
    package func startsIgnoringCase(_ lowercased: [UInt8]) -> Bool {
        count >= lowercased.count && prefix(lowercased.count).equalsIgnoringCase(lowercased)
    }

    /// The bytes without SP and HTAB at both ends.
    package func trimmingOptionalWhiteSpace() -> ArraySlice<UInt8> {
        let left = span.trimmingOptionalWhiteSpace(0..<count)
        return self[(startIndex + left.lowerBound)..<(startIndex + left.upperBound)]
    }
}

extension [UInt8] {
    /// Adds borrowed bytes at the end.
    package mutating func append(_ span: Span<UInt8>) {
        // The pointer lives for the one call: an array takes bytes in bulk only from a buffer.
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// Adds a number in decimal digits.
    package mutating func append(decimal number: UInt64) {
        // From the last digit on, so that the divisor is a constant; then the other way round.
        var first = count
        var rest = number
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var last = count - 1
        while first < last {
            swapAt(first, last)
            first += 1
            last -= 1
        }
    }
}
