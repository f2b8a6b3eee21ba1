// SPDX-License-Identifier: Apache-2.0

/// Ids in the form that OpenCode 1.15 and later and OpenCode 2 use. An id consists of a prefix such as `msg_`, the time
/// in twelve hexadecimal digits, and fourteen random letters and digits. The last three digits of the time are a
/// counter. OpenCode counts the ids of each millisecond from 1. In the gateway's ids, the counter is 0.
package enum OpenCodeID {
    /// The number of hexadecimal digits that represent the time.
    package static let digits = 12
    /// The number of random letters and digits at the end.
    package static let letters = 14

    /// Returns a new id in this form.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the id, with its underscore.
    ///   - milliseconds: The time, in milliseconds since 1970.
    ///   - random: Returns the next random number.
    package static func make(
        _ prefix: String, at milliseconds: Int64, random: () -> UInt64 = { UInt64.random(in: 0 ... .max) }
    ) -> [UInt8] {
        var id = Array(prefix.utf8)
        id.append(hexadecimal: UInt64(truncatingIfNeeded: milliseconds) << 12 & 0xFFFF_FFFF_FFFF, digits: digits)
        for _ in 0..<letters { id.append(Base62.alphabet[Int(random() % UInt64(Base62.alphabet.count))]) }
        return id
    }
}
