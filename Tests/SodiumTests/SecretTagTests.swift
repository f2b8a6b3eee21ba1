// SPDX-License-Identifier: Apache-2.0

import Sodium
import Testing

@Suite struct SecretTagTests {
    @Test func `equal secrets have equal tags, and each other secret has another tag`() {
        let secret = Array("a key that is long enough".utf8)
        var others = [secret + [0], Array(secret.dropLast()), []]
        for index in secret.indices {
            var other = secret
            other[index] ^= 0x80
            others.append(other)
        }

        #expect(SecretTag(secret.span) == SecretTag(Array(secret).span))
        for other in others { #expect(SecretTag(other.span) != SecretTag(secret.span)) }
    }
}
