// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import Locking

/// A budget for the total size of the bodies of all translated requests.
///
/// Reading a body takes up to 18 times the body's size in memory. Without the budget, a few large bodies at once could
/// use all of the machine's memory.
final class BodyBudget: Sendable {
    /// The maximum total size of all bodies, in bytes. A single body has at most ``BridgeExchange/longestBody``.
    static let limit = 40 << 20

    private let limit: Int
    private let reserved = Locked(0)

    init(limit: Int = BodyBudget.limit) { self.limit = limit }

    /// Reserves bytes. If the budget has no room, reserves nothing and returns false.
    func reserve(_ count: Int) -> Bool {
        reserved.withLock { reserved in
            guard count <= limit - reserved else { return false }
            reserved += count
            return true
        }
    }

    /// Releases bytes that were reserved.
    func release(_ count: Int) { reserved.withLock { $0 -= count } }
}
