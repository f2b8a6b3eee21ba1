// SPDX-License-Identifier: Apache-2.0

import Sodium
import Testing

@Suite("Hashes of texts")
struct ContentHashTests {
    @Test(
        arguments: [
            ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
            ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        ])
    func `the hash of a text is its SHA-256 in Base64 (FIPS 180-4, RFC 4648)`(text: String, hash: String) {
        #expect(ContentHash.base64(Array(text.utf8)) == hash)
    }
}
