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
