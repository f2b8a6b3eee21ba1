// SPDX-License-Identifier: Apache-2.0

/// Secret bytes, which must never be printed. Every conversion to text returns a mask.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text that replaces the secret.
    package static let mask = "********"

    /// The secret itself, for comparing or hashing. Comparison with `==` is not constant-time.
    package let bytes: [UInt8]

    /// Creates a secret from its bytes.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The mask instead of the secret.
    package var description: String { Self.mask }
    /// The mask instead of the secret, also for debuggers.
    package var debugDescription: String { Self.mask }
    /// An empty mirror, so that `dump` and debuggers do not show the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The requirements for the gateway's keys.
enum KeyPolicy {
    /// The fix in error messages about keys.
    static let fix = "create a key with `openssl rand -hex 32` and pass it in the environment or with --key-file"
    /// The minimum length of a key in bytes.
    static let shortest = 16
    /// The example key of the original gateway. The key is publicly known, so the gateway rejects it.
    private static let published = "change-me-in-production"

    /// Parses a key from the environment.
    static func parse(_ text: String) throws(InvalidValue) -> Secret {
        if text == published { throw InvalidValue("is the published example key", fix: fix) }
        let bytes = Array(text.utf8)
        if bytes.count < shortest { throw InvalidValue("is shorter than \(shortest) bytes", fix: fix) }
        // Reject keys that a client cannot send in a header field (RFC 9110 §5.5).
        if bytes.first == 0x20 || bytes.last == 0x20 || bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw InvalidValue("contains a control character, or begins or ends with a space", fix: fix)
        }
        return Secret(bytes: bytes)
    }
}

extension ValueSyntax where Value == Secret? {
    /// The syntax of the key that clients must send.
    static let key = ValueSyntax(
        placeholder: "KEY", isSecret: true, parse: KeyPolicy.parse,
        text: { $0?.description ?? "none" })
}
