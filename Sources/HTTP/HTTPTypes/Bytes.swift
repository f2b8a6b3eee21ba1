// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// The lower case of an ASCII letter; any other byte is unchanged. HTTP ignores the case of ASCII letters only (RFC
    /// 9110 §5.1).
    package var lowercasedLetter: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// Whether the byte is SP or HTAB (RFC 9110 §5.6.3).
    package var isOptionalWhiteSpace: Bool { self == 0x20 || self == 0x09 }

    /// Whether a field's value may contain the byte. The only allowed control character is HTAB (RFC 9110 §5.5).
    package var isFieldContent: Bool { self >= 0x20 && self != 0x7f || self == 0x09 }

    /// Whether the byte may be part of a token, and therefore of a method or a field name (RFC 9110 §5.6.2).
    package var isTokenCharacter: Bool {
        // Each set bit represents an ASCII character: !#$%&'*+-. and digits, then ^_`|~ and letters.
        let set: UInt64 = self < 64 ? 0x03ff_6cfa_0000_0000 : self < 128 ? 0x57ff_ffff_c7ff_fffe : 0
        return set >> UInt64(self & 63) & 1 == 1
    }
}

/// Eight bytes that are processed together. A head has several hundred bytes, and each of them is examined twice.
private struct ByteOctet {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    let word: UInt64

    /// Loads eight bytes from `offset`. All eight bytes must exist. The first byte is the least significant.
    init(_ bytes: RawSpan, at offset: Int) {
        word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Returns the number of bytes before the first occurrence of `byte`; nil if there is none.
    func distance(to byte: UInt8) -> Int? {
        let difference = word ^ Self.ones &* UInt64(byte)
        let zeros = (difference &- Self.ones) & ~difference & Self.highBits
        // A borrow may have set meaningless bits above the first zero byte, so only the lowest bit counts.
        return zeros == 0 ? nil : zeros.trailingZeroBitCount / 8
    }

    /// The eight bytes with each ASCII letter in lower case.
    var lowercased: UInt64 {
        let sevenBits = word & ~Self.highBits
        // The high bit of each byte shows whether its lower seven bits reach, or exceed, a bound.
        let isAtLeastA = sevenBits &+ Self.ones &* (0x80 - 0x41)
        let isAboveZ = sevenBits &+ Self.ones &* (0x7f - 0x5a)
        return word | (isAtLeastA & ~isAboveZ & ~word & Self.highBits) >> 2
    }

    /// Returns whether any byte is below `limit`, which must be at most 0x80.
    func hasByte(below limit: UInt8) -> Bool {
        (word &- Self.ones &* UInt64(limit)) & ~word & Self.highBits != 0
    }
}

extension Span<UInt8> {
    /// Returns the index of the first `byte` at or after `start`; `count` if there is none.
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

    /// Whether all bytes may be part of a request target, which contains no control character and no space.
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

    /// Whether all bytes may be part of a field's value (``UInt8/isFieldContent``).
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
            // Check this byte individually, because HTAB is allowed although it is below 0x20.
            guard self[unchecked: index].isFieldContent else { return false }
            index += 1
        }
        return true
    }

    /// Returns whether the bytes equal `other`, ignoring the case of ASCII letters.
    package func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else {
            // Each index is valid in both spans, because their lengths are equal.
            for index in indices
            where self[unchecked: index].lowercasedLetter != other[unchecked: index].lowercasedLetter { return false }
            return true
        }
        let raw = bytes
        let otherRaw = other.bytes
        var index = 0
        while true {
            guard ByteOctet(raw, at: index).lowercased == ByteOctet(otherRaw, at: index).lowercased else {
                return false
            }
            if index + 8 >= count { return true }
            // The last eight bytes may overlap the previous eight bytes, so that no loop over single bytes is needed.
            index = Swift.min(index + 8, count - 8)
        }
    }

    /// Returns the range of `part` without SP and HTAB at both ends.
    package func trimmingOptionalWhiteSpace(_ part: Range<Int>) -> Range<Int> {
        var first = part.lowerBound
        var last = part.upperBound
        while first < last, self[first].isOptionalWhiteSpace { first += 1 }
        while last > first, self[last - 1].isOptionalWhiteSpace { last -= 1 }
        return first..<last
    }
}

extension ArraySlice<UInt8> {
    /// Returns whether the bytes equal `lowercased`, ignoring the case of ASCII letters.
    package func equalsIgnoringCase(_ lowercased: [UInt8]) -> Bool {
        guard count == lowercased.count else { return false }
        for offset in 0..<lowercased.count where self[startIndex + offset].lowercasedLetter != lowercased[offset] {
            return false
        }
        return true
    }

    /// Returns whether the bytes equal `other`, ignoring the case of ASCII letters.
    package func equalsIgnoringCase(_ other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for offset in 0..<count
        where self[startIndex + offset].lowercasedLetter != other[other.startIndex + offset].lowercasedLetter {
            return false
        }
        return true
    }

    /// Returns whether the bytes begin with `lowercased`, ignoring the case of ASCII letters.
    package func startsIgnoringCase(_ lowercased: [UInt8]) -> Bool {
        count >= lowercased.count && prefix(lowercased.count).equalsIgnoringCase(lowercased)
    }

    /// Returns the bytes without SP and HTAB at both ends.
    package func trimmingOptionalWhiteSpace() -> ArraySlice<UInt8> {
        let left = span.trimmingOptionalWhiteSpace(0..<count)
        return self[(startIndex + left.lowerBound)..<(startIndex + left.upperBound)]
    }
}
