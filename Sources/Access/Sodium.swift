internal import CSodium

/// libsodium, ready for use. sodium_init(3) is thread-safe and idempotent; it runs once, at the first use.
enum Sodium {
    private static let isReady = sodium_init() >= 0

    /// Every entry to libsodium in this module passes here.
    static func require() {
        precondition(isReady, "libsodium could not be initialised: the kernel gives no random bytes")
    }
}
