// SPDX-License-Identifier: Apache-2.0

package import Access
import GatewayCore
package import Instances
import Locking

/// The registry's link to the data plane. The registry and the data plane need each other, but the gateway creates the
/// data plane later. The gateway therefore connects the link after both exist.
package final class DataPlaneLink: Sendable {
    private let dataPlane = Locked<DataPlane?>(nil)

    /// Creates a link that is not connected.
    package init() {}

    /// Connects the link to the data plane.
    package func connect(_ dataPlane: DataPlane) { self.dataPlane.withLock { $0 = dataPlane } }

    /// Publishes a routing table to every loop.
    package func publish(_ table: RoutingTable) { current?.publish(table) }

    /// Performs a health check of an instance.
    package func probe(_ query: HealthQuery) async -> HealthFinding {
        await current?.probe(query) ?? .silent(reason: "The gateway is not ready yet.")
    }

    /// Sends a query to an instance.
    package func send(_ query: InstanceQuery) async -> InstanceReply? { await current?.send(query) }

    /// Returns the number of parts of responses that an instance has sent.
    package func progress(ofSlot slot: Int) async -> UInt64 { await current?.progress(ofSlot: slot) ?? 0 }

    /// Sets the named keys for future requests of every loop.
    package func apply(_ keys: KeyIndex) async { await current?.apply(keys) }

    private var current: DataPlane? { dataPlane.withLock { $0 } }
}
