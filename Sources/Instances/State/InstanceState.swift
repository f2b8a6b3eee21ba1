/// What an instance is doing, as others see it.
package enum InstanceState: Sendable, Equatable {
    /// Nothing runs.
    case stopped
    /// The supervisor was asked to start it.
    case starting
    /// It runs and has not announced its port.
    case booting
    /// It announced a port and has not answered its health check.
    case probing(port: UInt16)
    /// It answers requests.
    case ready(port: UInt16)
    /// It was asked to end.
    case stopping
    /// It could not be started, or ended by itself; the reason as one sentence.
    case failed(reason: String)

    /// The port that requests may use: only a ready instance has one.
    package var port: UInt16? {
        if case .ready(let port) = self { port } else { nil }
    }

    /// The state's name in answers and logs.
    package var name: String {
        switch self {
        case .stopped: "stopped"
        case .starting: "starting"
        case .booting: "booting"
        case .probing: "probing"
        case .ready: "ready"
        case .stopping: "stopping"
        case .failed: "failed"
        }
    }
}
