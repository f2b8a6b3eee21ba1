// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
import Locking

/// A budget for the total size of the bodies that requests hold in memory at the same time.
///
/// Without a budget, a few large bodies at once could use all of the machine's memory. All loops share a budget.
package final class BodyBudget: Sendable {
    private let limit: Int
    private let reserved = Locked(0)

    /// Creates a budget.
    ///
    /// - Parameter limit: The maximum total size of all bodies, in bytes.
    package init(limit: Int) { self.limit = limit }

    /// The maximum total size of all bodies that are examined for keys with limited rights, in bytes. A single response
    /// has at most 32 MiB.
    package static let limitOfExaminedBodies = 64 << 20

    /// The error for a body that must be examined, for which the budget has no room.
    package static let noRoomToExamine = GatewayError(
        503,
        "The bodies that the gateway examines for keys with limited rights exceed \(limitOfExaminedBodies >> 20) MiB in "
            + "total. Try again in a moment.",
        fields: ["Retry-After": "1"])

    /// Reserves bytes. If the budget has no room, reserves nothing and returns false.
    package func reserve(_ count: Int) -> Bool {
        reserved.withLock { reserved in
            guard count <= limit - reserved else { return false }
            reserved += count
            return true
        }
    }

    /// Releases bytes that were reserved.
    package func release(_ count: Int) { reserved.withLock { $0 -= count } }
}
