// SPDX-License-Identifier: Apache-2.0

import Access
import Encodings
import EventLoop
import Keys
import Locking
import Sodium

/// The pairing codes that no device has used yet. A code is stored only as a hash, and only in memory, so a restart of the
/// gateway ends all codes.
final class PairingCodes: Sendable {
    /// The time for which a code is valid.
    static let lifetime = Duration.seconds(300)
    /// The maximum number of unused codes.
    static let limit = 100

    /// The rights that a code grants.
    struct Grant: Sendable {
        /// The values of the device's key.
        let draft: KeyDraft
        /// Whether the administrator has chosen the name. Otherwise, the device chooses it.
        let hasName: Bool
        /// The administrator that has created the code.
        let creator: Principal
    }

    /// A code that was used.
    struct UsedCode: Sendable {
        /// The rights that the code grants.
        let grant: Grant
        fileprivate let code: PairingCode
        /// The time at which the code expires.
        fileprivate let end: MonotonicTime
    }

    private struct Entry {
        let grant: Grant
        let end: MonotonicTime
    }

    private let entries = Locked<[String: Entry]>([:])

    /// Returns a new code; nil if there are too many unused codes.
    func issue(_ grant: Grant, at now: MonotonicTime) -> PairingCode? {
        let code = PairingCode.random()
        return entries.withLock { entries in
            entries = entries.filter { $0.value.end > now }
            guard entries.count < Self.limit else { return nil }
            entries[Hash.hex(code.digits)] = Entry(grant: grant, end: now + Self.lifetime)
            return code
        }
    }

    /// Uses a code up. Returns nil if the code is unknown or has expired.
    func redeem(_ code: PairingCode, at now: MonotonicTime) -> UsedCode? {
        guard let entry = entries.withLock({ $0.removeValue(forKey: Hash.hex(code.digits)) }), entry.end > now else {
            return nil
        }
        return UsedCode(grant: entry.grant, code: code, end: entry.end)
    }

    /// Makes a used code valid again until its expiry, because the device has not received a key.
    func restore(_ used: UsedCode) {
        entries.withLock { $0[Hash.hex(used.code.digits)] = Entry(grant: used.grant, end: used.end) }
    }
}

/// A pairing code: 80 random bits as 16 digits of Crockford's base 32, in groups of four.
struct PairingCode: CustomStringConvertible, Equatable {
    /// The digits without separators, in ASCII.
    let digits: [UInt8]

    // The alphabet contains no I, L, O and U, which are easily confused with other characters.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let length = 16

    /// Returns a new random code.
    static func random() -> PairingCode {
        PairingCode(digits: RandomBytes.bytes(length).map { alphabet[Int($0 & 31)] })
    }

    private init(digits: [UInt8]) { self.digits = digits }

    /// Creates a code from the text that a user has entered: in upper or lower case, with or without separators, and with
    /// the letters that are easily confused. Returns nil if the text cannot be a code.
    init?(_ text: String) {
        var digits: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"):
                digits.append(UInt8(ascii: "1"))
            case UInt8(ascii: "o"), UInt8(ascii: "O"): digits.append(UInt8(ascii: "0"))
            default:
                let digit = byte &- 0x61 < 26 ? byte & 0xDF : byte
                guard Self.alphabet.contains(digit) else { return nil }
                digits.append(digit)
            }
            guard digits.count <= Self.length else { return nil }
        }
        guard digits.count == Self.length else { return nil }
        self.digits = digits
    }

    /// The code in groups of four digits, such as `0123-4567-89AB-CDEF`.
    var description: String {
        stride(from: 0, to: digits.count, by: 4)
            .map { String(decoding: digits[$0..<min($0 + 4, digits.count)], as: UTF8.self) }.joined(separator: "-")
    }
}
