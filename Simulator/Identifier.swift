// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Creates identifiers in OpenCode's format: a prefix, twelve hexadecimal digits of the time, and fourteen random
/// letters and digits.
enum Identifier {
    private static let last = Monitor((milliseconds: 0, counter: 0))
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Returns an identifier that sorts after all earlier identifiers. If `descending` is true, the identifier sorts
    /// before all earlier identifiers, as session identifiers do.
    static func make(_ prefix: String, descending: Bool = false) -> String {
        let now = Clock.milliseconds
        let counter = last.withLock { last in
            last = last.milliseconds == now ? (now, last.counter + 1) : (now, 1)
            return last.counter
        }
        let ascending = UInt64(now) &* 4096 &+ UInt64(counter)
        let time = (descending ? ~ascending : ascending) & 0xffff_ffff_ffff
        let digits = String(time, radix: 16)
        return "\(prefix)_" + String(repeating: "0", count: 12 - digits.count) + digits + random(14)
    }

    /// Returns the reference of an unexpected error: `err_` and eight hexadecimal digits.
    static func errorReference() -> String {
        let digits = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        return "err_" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Returns a human-readable name for a session.
    static func slug() -> String {
        let first = ["clever", "hidden", "playful", "quiet", "sunny", "tidy", "eager", "neon"]
        let second = ["harbor", "meadow", "orchid", "otter", "wizard", "circuit", "moon", "cactus"]
        return "\(first.randomElement() ?? "clever")-\(second.randomElement() ?? "harbor")"
    }

    /// Returns a random UUID (RFC 9562 §5.4).
    static func uuid() -> String {
        let digits = Array("0123456789abcdef")
        return String(
            "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".map { character in
                switch character {
                case "x": digits[Int.random(in: 0...15)]
                case "y": digits[Int.random(in: 8...11)]
                default: character
                }
            })
    }

    private static func random(_ count: Int) -> String {
        String((0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
    }
}
