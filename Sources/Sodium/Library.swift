internal import CSodium

/// libsodium, ready for use. sodium_init(3) is thread-safe and idempotent; it runs once, at the first use.
enum Library {
    private static let isReady = sodium_init() >= 0

    /// Every entry to libsodium passes here.
    static func require() {
        precondition(isReady, "libsodium could not be initialised: the kernel gives no random bytes")
    }

    /// Two lower-case digits a byte, in a time that tells nothing about them.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let length = 2 * bytes.count + 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { text in
            // sodium_bin2hex writes a NUL-terminated string of that length.
            guard let start = text.baseAddress, sodium_bin2hex(start, length, bytes, bytes.count) != nil else {
                return ""
            }
            return String(cString: start)
        }
    }
}
