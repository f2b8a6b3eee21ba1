package import Instances
import Locking
import OpenCode

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
    package func probe(_ probe: InstanceRegistry.Links.Probe) async -> ProbeOutcome {
        guard let current else { return .silent(reason: "The gateway is not ready yet.") }
        var question = HealthQuestion(
            port: probe.port, credentials: probe.credentials, search: probe.search, timeout: probe.timeout)
        switch await current.probe(question) {
        case .answered(.healthy(let version, let processNumber), let path):
            var enforcesPassword: Bool?
            if probe.checksPassword {
                question.credentials = nil
                question.search = HealthSearch(family: path.family, found: path)
                enforcesPassword = Self.isRefusal(await current.probe(question))
            }
            return .healthy(
                version: version, enforcesPassword: enforcesPassword, path: path, processNumber: processNumber)
        case .answered(.unauthorized(let reason), _): return .unauthorized(reason: reason)
        case .answered(let answer, let path):
            return .unhealthy(reason: answer.trouble(at: path) ?? "It is not healthy.")
        case .failed(let reason): return .silent(reason: reason)
        }
    }

    /// Whether a server that was asked without its password has refused; nil when it has not answered.
    private static func isRefusal(_ answer: ProbeAnswer) -> Bool? {
        switch answer {
        case .answered(.unauthorized, _): true
        case .answered: false
        case .failed: nil
        }
    }

    /// Asks an instance something.
    package func inquire(_ inquiry: InstanceRegistry.Links.Inquiry) async -> InstanceRegistry.Links.Reply? {
        let question = Inquiry(
            port: inquiry.port, path: inquiry.path, authorization: inquiry.authorization, timeout: inquiry.timeout)
        return await current?.inquire(question).map { InstanceRegistry.Links.Reply(status: $0.status, body: $0.body) }
    }

    /// How many pieces of answers have come from an instance.
    package func progress(ofSlot slot: Int) async -> UInt64 { await current?.progress(ofSlot: slot) ?? 0 }

    private var current: DataPlane? { dataPlane.withLock { $0 } }
}
