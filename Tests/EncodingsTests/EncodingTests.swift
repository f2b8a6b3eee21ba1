// SPDX-License-Identifier: Apache-2.0

import Encodings
import Foundation
import Testing

@Suite struct EncodingTests {
    @Test func `only hexadecimal digits have a digit value`() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            #expect(byte.hexadecimalDigitValue == (byte < 0x80 ? character.hexDigitValue.map { UInt8($0) } : nil))
        }
    }

    @Test(
        arguments: (0..<64).flatMap { [UInt64(1) << $0, (1 << $0) - 1] } + [0xdead_beef, 0x0123_4567_89ab_cdef, .max])
    func `numbers are written in lower-case hexadecimal digits`(number: UInt64) {
        var bytes = Array("x".utf8)
        bytes.append(hexadecimal: number)

        #expect(String(decoding: bytes, as: UTF8.self) == "x" + String(number, radix: 16))

        bytes.append(hexadecimal: number & 0xff, digits: 4)

        #expect(String(decoding: bytes.suffix(4), as: UTF8.self) == String(format: "%04x", Int(number & 0xff)))
    }

    @Test(
        arguments: [0, 1, 9, 10, 99, 100, 101, 65_535, 4_294_967_296, 10_000_000_000_000_000_000, .max] as [UInt64])
    func `a number is appended in decimal digits`(number: UInt64) {
        var bytes = Array("x12".utf8)
        bytes.append(decimal: number)

        #expect(String(decoding: bytes, as: UTF8.self) == "x12\(number)")
    }

    @Test(arguments: [0, 7, -1, 12, -120, .max, .min] as [Int64])
    func `a negative number has a minus sign before its digits`(number: Int64) {
        var bytes: [UInt8] = []
        bytes.append(decimal: number)

        #expect(String(decoding: bytes, as: UTF8.self) == "\(number)")

        bytes = []
        bytes.append(decimal: number, digits: 3)

        #expect(String(decoding: bytes, as: UTF8.self) == String(format: "%0\(number < 0 ? 4 : 3)lld", number))
    }

    @Test func `each byte is written and read as two hexadecimal digits`() {
        #expect(Hexadecimal.text([0x00, 0x0f, 0xa0, 0xff]) == "000fa0ff")
        #expect(Hexadecimal.byte(UInt8(ascii: "a"), UInt8(ascii: "F")) == 0xaf)
        #expect(Hexadecimal.byte(UInt8(ascii: "a"), nil) == nil)
        #expect(Hexadecimal.byte(0x67, 0x30) == nil)
    }

    @Test func `every byte survives percent-encoding and decoding`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let encoded = PercentEncoding.encode(bytes)

        #expect(PercentEncoding.decode(encoded).bytes == bytes)
        #expect(PercentEncoding.decode(encoded).whole == 256 - 66)
        #expect(PercentEncoding.decode(encoded).broken == 0)
        #expect(String(decoding: PercentEncoding.encode("a/ü~".utf8), as: UTF8.self) == "a%2F%C3%BC~")
        #expect(PercentEncoding.encode("a/b".utf8) { $0 != UInt8(ascii: "a") }.starts(with: Array("%61/b".utf8)))
    }

    @Test(arguments: [
        ("a%2fb", "a/b", 1, 0), ("%", "%", 0, 1), ("%4", "%4", 0, 1), ("%zz%41", "%zzA", 1, 1), ("%2541", "%41", 1, 0),
        ("a+b", "a+b", 0, 0), ("", "", 0, 0),
    ])
    func `percent-escapes are decoded once, and malformed ones are kept`(
        text: String, plain: String, whole: Int, broken: Int
    ) {
        let decoded = PercentEncoding.decode(Array(text.utf8))

        #expect(String(decoding: decoded.bytes, as: UTF8.self) == plain)
        #expect(decoded.whole == whole)
        #expect(decoded.broken == broken)
    }

    /// The values are the test vectors from RFC 4648 §10, and bytes that encode to the last two characters.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("a>?", "YT4/"), ("~~~", "fn5+"),
    ])
    func `Base64 and its URL-safe form without padding are encoded as in RFC 4648`(text: String, base64: String) {
        #expect(Base64Encoding.encode(Array(text.utf8)) == base64)

        let forAddresses = base64.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }

        #expect(Base64Encoding.encode(Array(text.utf8), isForAddresses: true) == String(forAddresses))
    }

    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm9vYmE=", "fooba"), ("YT4/", "a>?"), ("YT4_", "a>?"), ("fn5-", "~~~"),
        ("Z g=", nil), ("Zg=x", nil), ("\u{E4}", nil),
    ])
    func `Base64 is decoded in both alphabets with and without padding`(base64: String, text: String?) {
        #expect(Base64Encoding.decode(Array(base64.utf8)) == text.map { Array($0.utf8) })
    }

    @Test func `every byte value is encoded in Base64`() {
        let bytes = Array(UInt8.min...UInt8.max)

        #expect(Base64Encoding.encode(bytes) == Data(bytes).base64EncodedString())
    }

    @Test func `a plus sign in a form is decoded as a space`() {
        #expect(PercentEncoding.decode("a+%2B".utf8, plusIsSpace: true).bytes == Array("a +".utf8))
    }

    @Test func `copies of spans are appended at the end`() {
        var bytes = Array("ab".utf8)
        bytes.append(copying: Array("cd".utf8).span)
        bytes.append(copying: [UInt8]().span)

        #expect(bytes == Array("abcd".utf8))
    }
}
