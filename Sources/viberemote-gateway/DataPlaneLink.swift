import Gateway
import Instances
import Locking
import OpenCode

/// The registry's way to the data plane, which is made after it: each needs the other.
final class DataPlaneLink: Sendable {
    private let dataPlane = Locked<DataPlane?>(nil)

    /// From now on there is somebody to talk to.
    func connect(_ dataPlane: DataPlane) { self.dataPlane.withLock { $0 = dataPlane } }

    /// Publishes a routing table to every loop.
    func publish(_ table: RoutingTable) { current?.publish(table) }

    /// Asks an instance for its health.
    func probe(port: UInt16, _ credentials: InstanceCredentials?) async -> ProbeOutcome {
        guard let current else { return .unhealthy(reason: "The gateway is not ready yet.") }
        switch await current.probe(port: port, authorization: credentials?.authorizationHeader) {
        case .answered(.healthy(let version)): return .healthy(version: version)
        case .answered(.unhealthy(let reason)), .failed(let reason): return .unhealthy(reason: reason)
        }
    }

    private var current: DataPlane? { dataPlane.withLock { $0 } }
}
