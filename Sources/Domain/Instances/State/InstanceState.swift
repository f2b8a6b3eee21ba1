// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// The externally visible state of an instance.
package enum InstanceState: Sendable, Equatable {
    /// No server is running, and none is expected to.
    case stopped
    /// The supervisor was asked to start the server.
    case starting
    /// The server runs but has not announced its port.
    case booting
    /// The server has announced its address but has not responded to its health check.
    case probing(address: InstanceAddress)
    /// The server is healthy and responds to requests.
    case ready(address: InstanceAddress)
    /// The server responds to health checks slowly but still processes requests.
    case busy(address: InstanceAddress)
    /// Health checks fail, or the server sends no data at all. Requests are still forwarded to it.
    case unhealthy(address: InstanceAddress, reason: String)
    /// The server ended by itself and will be restarted, after the delay if it is known. The reason describes how it
    /// ended.
    case restarting(reason: String, delay: Duration?)
    /// The server was asked to end.
    case stopping
    /// The server could not be started, or it has ended too often, for the given reason.
    case failed(reason: String)

    /// The address for requests; nil unless the instance has been found healthy.
    package var address: InstanceAddress? {
        switch self {
        case .ready(let address), .busy(let address), .unhealthy(let address, _): address
        default: nil
        }
    }

    /// Whether the instance is becoming ready without any action by a client.
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
