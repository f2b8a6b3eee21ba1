// SPDX-License-Identifier: Apache-2.0

/// The value of an `Authorization` field, split into scheme and credentials (RFC 9110 §11.4).
struct Credentials {
    enum Scheme { case bearer, basic }

    let scheme: Scheme
    /// The range of the credentials, without the surrounding spaces. The range is never empty.
    let range: Range<Int>

    /// Parses a value without copying it, because the gateway parses one value for each request. Returns nil if the
    /// scheme is unknown, or if no credentials follow the scheme.
    init?(_ value: borrowing Span<UInt8>) {
        var start = 0
        var end = value.count
        while start < end, Self.isSpace(value[start]) { start += 1 }
        while end > start, Self.isSpace(value[end - 1]) { end -= 1 }
        var separator = start
        while separator < end, !Self.isSpace(value[separator]) { separator += 1 }
        if Self.matches(value, in: start..<separator, name: "bearer") {
            scheme = .bearer
        } else if Self.matches(value, in: start..<separator, name: "basic") {
            scheme = .basic
        } else {
            return nil
        }
        while separator < end, Self.isSpace(value[separator]) { separator += 1 }
        guard separator < end else { return nil }
        range = separator..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns whether the scheme in `range` has this name. Scheme names are case-insensitive. The argument `name` must
    /// be in lower case.
    private static func matches(_ value: borrowing Span<UInt8>, in range: Range<Int>, name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { expected in
            for index in 0..<expected.count {
                let byte = value[range.lowerBound + index]
                let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
                if lower != expected[index] { return false }
            }
            return true
        }
    }
}
