// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Initialises libsodium. sodium_init(3) is thread-safe and idempotent. It runs once, at the first use.
enum Library {
    private static let isReady = sodium_init() >= 0

    /// Ensures that libsodium is initialised. Every use of libsodium calls this first.
    static func require() {
        precondition(isReady, "libsodium could not be initialised: the kernel provides no random bytes")
    }

    /// Returns two lower-case digits for each byte, in a time that does not depend on the bytes' values.
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
