// SPDX-License-Identifier: Apache-2.0

import Foundation
import Sodium
import Testing

@Suite struct SecretBase64Tests {
    private func decode(_ text: String, room: Int = 64) -> [UInt8]? {
        SecretBase64.withDecoded(Array(text.utf8).span, atMost: room) { decoded in
            decoded.indices.map { decoded[$0] }
        }
    }

    // The test vectors from RFC 4648 §10.
    @Test(arguments: [
        ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ])
    func `the test vectors of RFC 4648 are decoded`(text: String, plain: String) {
        #expect(decode(text) == Array(plain.utf8))
    }

    @Test func `every byte value is decoded, at each length from 1 to 256 bytes`() {
        let bytes = (0...255).map { UInt8($0) }
        for count in 1...256 {
            #expect(decode(Data(bytes[..<count]).base64EncodedString(), room: 256) == Array(bytes[..<count]))
        }
    }

    @Test(arguments: [
        "", "Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zg==Zg==", "Zm 9", "Zm9v\n", "Zm-_", "=g==",
        "Zm9vZ=g=",
    ])
    func `each invalid Base64 text is rejected`(text: String) {
        #expect(decode(text) == nil)
    }

    @Test(arguments: 128...255) func `each byte above ASCII is rejected`(byte: Int) {
        let text = Array("Zm9v".utf8.prefix(3)) + [UInt8(byte)]

        #expect(SecretBase64.withDecoded(text.span, atMost: 64) { _ in true } == nil)

        let other = [UInt8(ascii: "Z"), UInt8(byte)] + Array("==".utf8)

        #expect(SecretBase64.withDecoded(other.span, atMost: 64) { _ in true } == nil)
    }

    @Test func `a text that decodes to more bytes than allowed is rejected`() {
        #expect(decode("Zm9v", room: 3) != nil)
        #expect(decode("Zm9v", room: 2) == nil)
    }
}
