/// Bytes that must never be printed: every way of turning it into text gives a mask.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What stands in its place.
    package static let mask = "********"

    /// The secret itself, for whoever compares or hashes it. Comparing it with `==` is not constant-time.
    package let bytes: [UInt8]

    /// Takes over the bytes.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The mask.
    package var description: String { Self.mask }
    /// The mask.
    package var debugDescription: String { Self.mask }
    /// Shows nothing to `dump` and debuggers either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which keys are good enough to guard the gateway.
enum KeyPolicy {
    /// The sentence's end that says how to make one.
    static let fix = "make a key with `openssl rand -hex 32` and pass it in the environment or by --key-file"
    /// The fewest bytes of a key.
    static let shortest = 16
    /// What the original gateway shipped with: everybody knows it.
    private static let published = "change-me-in-production"

    /// Reads a key from the environment.
    static func parse(_ text: String) throws(InvalidValue) -> Secret {
        if text == published { throw InvalidValue("is the published example", fix: fix) }
        let bytes = Array(text.utf8)
        if bytes.count < shortest { throw InvalidValue("is shorter than \(shortest) bytes", fix: fix) }
        // Such a key could never arrive in a header field (RFC 9110 §5.5).
        if bytes.first == 0x20 || bytes.last == 0x20 || bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw InvalidValue("holds a control character or begins or ends with a space", fix: fix)
        }
        return Secret(bytes: bytes)
    }
}

extension ValueForm where Value == Secret? {
    /// The key that clients must send.
    static let key = ValueForm(
        placeholder: "KEY", isSecret: true, parse: KeyPolicy.parse,
        text: { $0?.description ?? "none" })
}
