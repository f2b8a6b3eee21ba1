// SPDX-License-Identifier: Apache-2.0

import Access

/// The numbers of sign-ins with each key. Each sign-in writes to the disk and publishes all keys, so a key must not sign in
/// as often as it may send requests.
struct SignIns {
    /// The maximum number of sign-ins of a key within a minute.
    static let limit = 20
    private static let interval: Int64 = 60_000

    private var counts: [SessionParent: Int] = [:]
    /// The time at which the current minute began, in milliseconds since 1970.
    private var begin: Int64 = 0

    /// Counts a sign-in. Returns false if the key has signed in too often.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    mutating func count(_ parent: SessionParent, at now: Int64) -> Bool {
        if now < begin || now >= begin + Self.interval {
            begin = now
            counts = [:]
        }
        guard counts[parent, default: 0] < Self.limit else { return false }
        counts[parent, default: 0] += 1
        return true
    }
}
