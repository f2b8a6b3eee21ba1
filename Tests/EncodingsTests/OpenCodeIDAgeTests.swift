// SPDX-License-Identifier: Apache-2.0

import Encodings
import Testing

@Suite struct OpenCodeIDAgeTests {
    private static let now: Int64 = 1_795_381_944_461

    @Test(arguments: [0, 1, 90_000, 86_400_000 * 30])
    func `the age of a new id is known`(age: Int64) {
        let id = String(decoding: OpenCodeID.make("per_", at: Self.now - age), as: UTF8.self)

        #expect(OpenCodeID.age(id, at: Self.now) == age)
    }

    /// The id of a recorded permission request.
    @Test func `the last three digits of the time are a counter`() {
        let id = "per_202835d51001LjR2SoqF11NIVT"
        let time: Int64 = 26 << 36 | 0x2_0283_5d51

        #expect(OpenCodeID.age(id, at: time + 1_500) == 1_500)
    }

    @Test(arguments: [
        "", "per_1", "per_202835d51001LjR2SoqF11NIV", "per_202835d51001LjR2SoqF11NIVT0", "202835d51001LjR2SoqF11NIVT",
        "per_20283xd51001LjR2SoqF11NIVT",
    ])
    func `an id in another form has no age`(id: String) {
        #expect(OpenCodeID.age(id, at: Self.now) == nil)
    }

    @Test func `an impossible age is unknown`() {
        let later = String(decoding: OpenCodeID.make("per_", at: Self.now + 1), as: UTF8.self)
        let older = String(decoding: OpenCodeID.make("per_", at: Self.now - OpenCodeID.longestAge - 1), as: UTF8.self)

        #expect(OpenCodeID.age(later, at: Self.now) == nil)
        #expect(OpenCodeID.age(older, at: Self.now) == nil)
    }
}
