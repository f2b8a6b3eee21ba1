// SPDX-License-Identifier: Apache-2.0

/// A generator whose random numbers are the same in every run (SplitMix64), for tests that compare an implementation
/// with a model.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator. Generators with the same seed return the same numbers.
    package init(seed: UInt64) { state = seed }

    /// Returns the next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
