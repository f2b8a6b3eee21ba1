package import Addresses

/// What an instance is doing, as others see it.
package enum InstanceState: Sendable, Equatable {
    /// Nothing runs.
    case stopped
    /// The supervisor was asked to start it.
    case starting
    /// It runs and has not announced its port.
    case booting
    /// It announced its address and has not answered its health check.
    case probing(address: InstanceAddress)
    /// It answers requests.
    case ready(address: InstanceAddress)
    /// It is slow with its health checks while it still works on requests.
    case busy(address: InstanceAddress)
    /// Its health checks fail, or nothing at all comes from it. Requests still reach it.
    case unhealthy(address: InstanceAddress, reason: String)
    /// It ended by itself and is started again, after this time if that is known; why it ended.
    case restarting(reason: String, delay: Duration?)
    /// It was asked to end.
    case stopping
    /// It could not be started, or has ended by itself too often; the reason.
    case failed(reason: String)

    /// Where requests may go: only an instance that has been found healthy has such an address.
    package var address: InstanceAddress? {
        switch self {
        case .ready(let address), .busy(let address), .unhealthy(let address, _): address
        default: nil
        }
    }

    /// Whether waiting helps: it is on its way to being ready without anybody's doing.
    package var isComing: Bool {
        switch self {
        case .starting, .booting, .probing, .restarting: true
        default: false
        }
    }

    /// The names of all states.
    package static let names = [
        "stopped", "starting", "booting", "probing", "ready", "busy", "unhealthy", "restarting", "stopping", "failed",
    ]

    /// The state's name in answers and logs.
    package var name: String {
        switch self {
        case .stopped: "stopped"
        case .starting: "starting"
        case .booting: "booting"
        case .probing: "probing"
        case .ready: "ready"
        case .busy: "busy"
        case .unhealthy: "unhealthy"
        case .restarting: "restarting"
        case .stopping: "stopping"
        case .failed: "failed"
        }
    }
}

/// Who has an instance end that works; none where it ends by itself.
package enum InstanceEnder: Sendable, Equatable {
    /// Somebody has asked the gateway to stop it.
    case request
    /// The gateway itself, for this reason.
    case gateway(reason: String)
    /// Somebody else, by way of the service manager.
    case outside
}

extension InstanceStateMachine {
    /// Who has it end, while it does.
    package var ender: InstanceEnder? {
        guard case .ending(let ending) = phase else { return nil }
        guard let failure = ending.failure else { return ending.isOurs ? .request : .outside }
        return ending.isOurs ? .gateway(reason: failure) : nil
    }
}
