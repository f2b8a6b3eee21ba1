// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("Classes of bytes in HTTP")
struct BytesTests {
    @Test func `only ASCII letters have a lower case`() {
        for byte in UInt8.min...UInt8.max {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            #expect(byte.lowercasedLetter == (isUpper ? byte + 32 : byte))
        }
    }

    @Test func `optional white space is SP and HTAB (RFC 9110, section 5.6.3)`() {
        #expect((UInt8.min...UInt8.max).filter(\.isOptionalWhiteSpace) == [0x09, 0x20])
    }

    @Test func `token characters are exactly those of RFC 9110, section 5.6.2`() {
        let expected = "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~"

        #expect((UInt8.min...UInt8.max).filter(\.isTokenCharacter).text == expected)
    }

    @Test(
        arguments: [("", ""), (" ", ""), ("\t \t", ""), ("a", "a"), ("  a b\t", "a b"), ("\ra\n", "\ra\n")])
    func `trimming removes optional white space at both ends`(text: String, expected: String) {
        let inside = "x\(text)x".bytes

        #expect(inside[1..<(inside.count - 1)].trimmingOptionalWhiteSpace().text == expected)
    }

    @Test(
        arguments: [
            ("chunked", "chunked", true), ("CHUNKED", "chunked", true), ("chunke", "chunked", false),
            ("chunkedd", "chunked", false), ("", "", true), ("a-b", "a-b", true), ("a\rb", "a-b", false),
            ("@", "`", false), ("[", "{", false), ("\u{212a}", "k", false),
        ])
    func `a comparison ignores the case of ASCII letters and nothing else`(
        text: String, lowercased: String, isEqual: Bool
    ) {
        let inside = "X\(text)X".bytes
        let slice = inside[1..<(inside.count - 1)]

        #expect(slice.equalsIgnoringCase(lowercased.bytes) == isEqual)
        #expect(slice.equalsIgnoringCase("__\(lowercased)".bytes[2...]) == isEqual)
        #expect(slice.equalsIgnoringCase(lowercased.uppercased().bytes[...]) == isEqual)
    }

    @Test(
        arguments: [
            ("http://a", true), ("HTTP://a", true), ("http://", true), ("http:/", false), ("", false),
            ("https://", false), (" http://", false),
        ])
    func `a prefix is compared without regard to the case of ASCII letters`(text: String, startsSo: Bool) {
        #expect(text.bytes[...].startsIgnoringCase("http://".bytes) == startsSo)
    }

    // Each of these tests has a single expectation, because thousands would block one of the few threads that all
    // asynchronous tests share.

    @Test func `a byte is found at its first occurrence, at any distance and from any start`() {
        var wrong: [String] = []
        // The search must not mistake adjacent byte values, or byte values that differ only in the highest bit, for the
        // byte that it looks for.
        for filling in [0x00, 0x0b, 0x8a] as [UInt8] {
            for count in 0...17 {
                var bytes = [UInt8](repeating: filling, count: count)
                for position in 0...count {
                    // If `position` is the end of the bytes, there is no occurrence. Otherwise, one occurrence is at
                    // `position`, and another one is the last byte.
                    if position < count { bytes[position] = 0x0a }
                    if position < count { bytes[count - 1] = 0x0a }
                    for start in [0, 1, 7, 8, 9, position, position + 1, count] where start <= count {
                        let expected =
                            position >= start
                            ? position : count == 0 || position == count ? count : max(start, count - 1)
                        let found = bytes.span.firstIndex(of: 0x0a, from: start)
                        if found != expected {
                            wrong.append("\(filling) × \(count), at \(position), from \(start): \(found)")
                        }
                    }
                    if position < count { bytes[position] = filling }
                    if count > 0 { bytes[count - 1] = filling }
                }
            }
        }

        #expect(wrong.isEmpty)
    }

    @Test func `eight bytes at a time are compared like single bytes at any position and length`() {
        var wrong: [String] = []
        for count in [1, 7, 8, 9, 15, 16, 17] {
            var left = [UInt8](repeating: UInt8(ascii: "q"), count: count)
            var right = [UInt8](repeating: UInt8(ascii: "Q"), count: count)
            for position in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    left[position] = byte
                    // A byte that differs only in the bit for lower case, other bytes that could be mistaken for the
                    // searched byte, and the byte itself.
                    for other in [byte, byte ^ 0x20, byte ^ 0x80, byte ^ 0xa0, byte &+ 1, 0x0d, 0x2d] {
                        right[position] = other
                        let isEqual = left.span.equalsIgnoringCase(right.span)
                        if isEqual != (byte.lowercasedLetter == other.lowercasedLetter) {
                            wrong.append("\(byte) and \(other) at \(position) of \(count)")
                        }
                    }
                }
                left[position] = UInt8(ascii: "q")
                right[position] = UInt8(ascii: "Q")
            }
        }

        #expect(wrong.isEmpty)
    }

    @Test func `each byte is allowed or forbidden throughout a request target`() {
        var wrong: [String] = []
        for filling in [0x21, 0x7e, 0x80, 0xff] as [UInt8] {
            for count in [1, 7, 8, 9, 17] {
                var bytes = [UInt8](repeating: filling, count: count)
                for position in 0..<count {
                    for byte in UInt8.min...UInt8.max {
                        bytes[position] = byte
                        if bytes.span.isTargetContent != (byte > 0x20 && byte != 0x7f) {
                            wrong.append("\(byte) at \(position) of \(count) beside \(filling)")
                        }
                    }
                    bytes[position] = filling
                }
            }
        }

        #expect(wrong.isEmpty)
    }

    @Test func `each byte is allowed or forbidden throughout a field value (RFC 9110, section 5.5)`() {
        var wrong: [String] = []
        for filling in [0x09, 0x7e, 0xff] as [UInt8] {
            for count in [1, 7, 8, 9, 17] {
                var bytes = [UInt8](repeating: filling, count: count)
                for position in 0..<count {
                    for byte in UInt8.min...UInt8.max {
                        bytes[position] = byte
                        if bytes.span.isFieldContent != byte.isFieldContent {
                            wrong.append("\(byte) at \(position) of \(count) beside \(filling)")
                        }
                    }
                    bytes[position] = filling
                }
            }
        }

        #expect(wrong.isEmpty)

        let nothing: [UInt8] = []
        let isContent = nothing.span.isFieldContent

        #expect(isContent)
    }
}
