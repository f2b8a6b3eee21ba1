// SPDX-License-Identifier: Apache-2.0

import Access
import Testing

@Suite struct KeyTokenTests {
    private let id: KeyID
    private let token: [UInt8]

    init() throws {
        id = try #require(KeyID("0123456789"))
        token = KeyToken.make(for: id)
    }

    private func isMistyped(_ text: [UInt8]) -> Bool { KeyToken.isMistyped(text.span) }
    private func isMistyped(_ text: String) -> Bool { isMistyped(Array(text.utf8)) }
    private func id(in text: [UInt8]) -> KeyID? { KeyToken.id(in: text.span) }

    @Test func `a token has the documented form`() throws {
        let text = String(decoding: token, as: UTF8.self)

        #expect(text.wholeMatch(of: try Regex(KeyToken.pattern)) != nil)
        #expect(text.hasPrefix("vr_0123456789_"))
        #expect(token.count == KeyToken.length)
    }

    @Test func `a token contains the id of its key`() {
        #expect(id(in: token) == id)
        #expect(!isMistyped(token))
    }

    @Test func `tokens and ids do not repeat`() {
        let tokens = Set((0..<100).map { _ in KeyToken.make(for: id) })
        let ids = Set((0..<100).map { _ in KeyID.random() })

        #expect(tokens.count == 100)
        #expect(ids.count == 100)
    }

    @Test func `each digit of random text occurs`() {
        #expect(Set(RandomDigits.text(5_000)).count == 62)
    }

    @Test func `each wrong character of a token is detected`() {
        for index in 3..<token.count {
            for replacement in [UInt8(ascii: "x"), UInt8(ascii: "Y"), UInt8(ascii: "-")]
            where token[index] != replacement {
                var mistyped = token
                mistyped[index] = replacement

                #expect(isMistyped(mistyped), "\(index)")
            }
        }
    }

    @Test func `two exchanged characters of a token are detected`() {
        for index in 3..<(token.count - 1) where token[index] != token[index + 1] {
            var mistyped = token
            mistyped.swapAt(index, index + 1)

            #expect(isMistyped(mistyped), "\(index)")
        }
    }

    @Test(arguments: [0, 1, 10, 33])
    func `a token with missing characters is detected`(count: Int) {
        #expect(isMistyped(Array(token.prefix(4 + count))))
        #expect(isMistyped(token + [UInt8(ascii: "0")]))
    }

    @Test(arguments: ["", "v", "vr", "vr_", "secret", "VR_0123456789_", "vibe"])
    func `a text that does not begin like a token is not a mistyped token`(text: String) {
        #expect(!isMistyped(text))
        #expect(id(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: ["", "012345678", "01234567890", "01234 6789", "012345678_", "é12345678"])
    func `a text that is not ten digits is not an id`(text: String) {
        #expect(KeyID(text) == nil)
    }

    @Test func `an id keeps its text`() {
        #expect(KeyID("AZaz09bcDE")?.description == "AZaz09bcDE")
        #expect(KeyID("AZaz09bcDE") != KeyID("AZaz09bcDF"))
        #expect(KeyID("AZaz09bcDE") != KeyID("aZaz09bcDE"))
    }

    /// The checksum was computed with zlib: `base62(crc32(b"vr_0123456789_" + b"A" * 28))`, padded to six digits.
    @Test func `the checksum is the CRC-32 of zlib in base 62`() {
        let text = "vr_0123456789_" + String(repeating: "A", count: 28)

        #expect(!isMistyped("\(text)0n63ie"))
    }
}
