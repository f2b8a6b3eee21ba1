// SPDX-License-Identifier: Apache-2.0

package import DirectoryPinning
package import EventLoop
package import GatewayCore
import HTTPClient
import HTTPServer
import HTTPTypes
import Instances
import OpenCodeFamilies
package import Projects

/// The proxy of one loop. The proxy forwards requests to instances, and the responses to clients.
package final class ProxyFeature {
    unowned let gateway: GatewayLoop
    let pinning: DirectoryPinningFeature
    /// Called before the proxy forwards a request to abort the work of a session to an OpenCode 1 instance.
    let sessionAborted: (@Sendable (ProjectName, _ session: String) -> Void)?
    /// The exchanges whose instance closed the connection, while it is unknown whether there is a stop initiator.
    private var lost: [ObjectIdentifier: ProxyExchange] = [:]

    /// Creates the feature.
    ///
    /// - Parameter sessionAborted: Called before the proxy forwards a request to abort the work of a session to an
    ///   OpenCode 1 instance.
    package init(
        _ gateway: GatewayLoop, pinning: DirectoryPinningFeature,
        sessionAborted: (@Sendable (ProjectName, _ session: String) -> Void)? = nil
    ) {
        self.gateway = gateway
        self.pinning = pinning
        self.sessionAborted = sessionAborted
    }

    /// Keeps an exchange until it is known whether its instance has a stop initiator.
    func add(lost exchange: ProxyExchange) { lost[ObjectIdentifier(exchange)] = exchange }

    func remove(lost exchange: ProxyExchange) { lost[ObjectIdentifier(exchange)] = nil }

    /// The exchanges that wait for an instance or receive its response, and those whose instance has
    /// just closed the connection.
    private var exchanges: [ProxyExchange] {
        gateway.client.delegates.compactMap { $0 as? ProxyExchange } + Array(lost.values)
    }

    private var tunnels: [Tunnel] { gateway.streams.values.compactMap { ($0 as? ProxyExchange)?.tunnel } }
}

extension ProxyFeature: InstanceRequestHandler {
    /// Forwards the request to its instance. If the request is an upgrade and the run has not opened the project's
    /// folder yet, first makes the run open the folder.
    package func handle(_ request: inout InstanceRequest) -> Bool {
        let connection = request.connection
        if request.content?.examination.concernsResponse == true {
            ExaminedExchange(self, request).start()
            return true
        }
        let isUpgrade = connection.framing == .none && RequestForwarding.wantsUpgrade(connection.head)
        guard isUpgrade, let endpoint = request.route.endpoint, endpoint.family == .one,
            !pinning.sessions.isOpen(endpoint)
        else {
            ProxyExchange(self, request).start(isUpgrade: isUpgrade)
            return true
        }
        // OpenCode 1.18.34 never responds to an upgrade for a terminal that no longer exists if the upgrade is the
        // first request about the project (measured). The run must therefore open the project's folder first.
        let held = gateway.hold(request)
        pinning.awaitFolder(endpoint) { [unowned self] in
            if let request = held.release() { ProxyExchange(self, request).start(isUpgrade: true) }
        }
        return true
    }
}

extension ProxyFeature: LoopFeature {
    /// Responds to requests whose instance has ended.
    package func routesChanged() {
        for exchange in exchanges { exchange.routesChanged() }
    }

    /// Closes the tunnels that revoked keys have opened.
    package func abort(revoked isRevoked: (UsedRights?) -> Bool) -> RevocationCounts {
        let revoked = tunnels.filter { isRevoked($0.usedRights) }
        for tunnel in revoked { tunnel.close() }
        var counts = RevocationCounts()
        counts.tunnels = revoked.count
        return counts
    }

    /// Ends the tunnels of clients that have vanished.
    package func endLostClients(by loss: PeerLoss) {
        for tunnel in tunnels { tunnel.endIfLost(by: loss) }
    }

    /// Ends all requests immediately (``ProxyExchange/abort()``).
    package func endRequests() {
        for exchange in exchanges { exchange.abort() }
        for exchange in gateway.client.delegates { (exchange as? ExaminedExchange)?.abort() }
    }
}
