// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Initialises libsodium at the first use. sodium_init(3) is thread-safe and idempotent.
enum Library {
    private static let isReady = sodium_init() >= 0

    /// Ensures that libsodium is initialised. Every function that uses libsodium calls this method first.
    static func require() {
        precondition(isReady, "libsodium could not be initialised: the kernel provides no random bytes")
    }
}
