package import Instances
import Locking

/// The registry's way to the data plane, which is made after it: each needs the other.
package final class DataPlaneLink: Sendable {
    private let dataPlane = Locked<DataPlane?>(nil)

    /// A link to nobody yet.
    package init() {}

    /// From now on there is somebody to talk to.
    package func connect(_ dataPlane: DataPlane) { self.dataPlane.withLock { $0 = dataPlane } }

    /// Publishes a routing table to every loop.
    package func publish(_ table: RoutingTable) { current?.publish(table) }

    /// Makes a health check.
    package func probe(_ question: HealthQuery) async -> HealthFinding {
        await current?.probe(question) ?? .silent(reason: "The gateway is not ready yet.")
    }

    /// Asks an instance something.
    package func inquire(_ question: InstanceQuery) async -> InstanceReply? { await current?.inquire(question) }

    /// How many pieces of answers have come from an instance.
    package func progress(ofSlot slot: Int) async -> UInt64 { await current?.progress(ofSlot: slot) ?? 0 }

    private var current: DataPlane? { dataPlane.withLock { $0 } }
}
