// SPDX-License-Identifier: Apache-2.0

import Sodium
import Testing

@Suite struct HashTests {
    /// The expected values were created with `b2sum -l 256`.
    @Test(arguments: [
        ("", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
        ("abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
    ])
    func `the hash is BLAKE2b with 256 bits, in hexadecimal digits`(text: String, digits: String) {
        #expect(Hash.hex(Array(text.utf8)) == digits)
    }
}
