// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import Locking

/// The number of bytes that the bodies of all translated requests together may hold.
///
/// Reading a body takes up to 18 times its size, so that a few large ones at once would use the memory of the whole
/// machine.
final class BodyBudget: Sendable {
    /// The limit for all bodies together, in bytes. One body has at most ``BridgeExchange/longestBody``.
    static let limit = 40 << 20

    private let limit: Int
    private let held = Locked(0)

    init(limit: Int = BodyBudget.limit) { self.limit = limit }

    /// Reserves bytes. Returns false, and reserves nothing, if there is no room for them.
    func reserve(_ count: Int) -> Bool {
        held.withLock { held in
            guard count <= limit - held else { return false }
            held += count
            return true
        }
    }

    /// Releases bytes that were reserved.
    func release(_ count: Int) { held.withLock { $0 -= count } }
}
