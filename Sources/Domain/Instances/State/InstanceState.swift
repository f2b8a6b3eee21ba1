// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// The state of an instance that clients see.
package enum InstanceState: Sendable, Equatable {
    /// No server is running, and no start or restart is planned.
    case stopped
    /// The supervisor was asked to start the server.
    case starting
    /// The server is running but has not announced its port.
    case booting
    /// The server has announced its address but has not passed a health check.
    case probing(address: InstanceAddress)
    /// The server is healthy and responds to requests.
    case ready(address: InstanceAddress)
    /// The server responds to health checks slowly but continues to process requests.
    case busy(address: InstanceAddress)
    /// Health checks fail, or the server sends no data at all. The gateway still forwards requests to the server.
    case unhealthy(address: InstanceAddress, reason: String)
    /// The server ended by itself, for the given reason, and will be restarted after the delay. The delay is nil if it
    /// is unknown.
    case restarting(reason: String, delay: Duration?)
    /// The server was asked to end.
    case stopping
    /// The server could not be started, or it ended too often. The value is the reason.
    case failed(reason: String)

    /// The address for requests; nil if the instance has not been found healthy.
    package var address: InstanceAddress? {
        switch self {
        case .ready(let address), .busy(let address), .unhealthy(let address, _): address
        default: nil
        }
    }

    /// Whether the instance will become ready without a client's action.
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

    /// The name of the state in responses and logs.
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

/// The initiator of the end of a working instance.
package enum StopInitiator: Sendable, Equatable {
    /// A client has requested a stop from the gateway.
    case request
    /// The gateway itself ends the instance, for this reason.
    case gateway(reason: String)
    /// The stop was initiated outside the gateway, through the service manager.
    case outside
}

extension InstanceStateMachine {
    /// The initiator of the current end; nil if the server ended by itself.
    package var stopInitiator: StopInitiator? {
        guard case .ending(let ending) = phase else { return nil }
        guard let failure = ending.failure else { return ending.isOurs ? .request : .outside }
        return ending.isOurs ? .gateway(reason: failure) : nil
    }
}
