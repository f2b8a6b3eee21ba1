// SPDX-License-Identifier: Apache-2.0

import Encodings
import Testing

@Suite struct SHA1Tests {
    /// The values are the test vectors from RFC 3174 §7.3, and lengths whose padding needs another block.
    @Test func `SHA-1 digests match known test vectors`() {
        func hex(_ text: String) -> String {
            SHA1.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }

        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        #expect(hex(String(repeating: "a", count: 1_000_000)) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    }
}
