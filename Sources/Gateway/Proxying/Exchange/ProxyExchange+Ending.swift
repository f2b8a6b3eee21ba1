// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import HTTPClient
import HTTPServer
internal import Instances
internal import Projects

/// Handles instances that end before they have responded. The responses to the client name the stop initiator.
extension ProxyExchange {
    /// The time to wait until a stop initiator is known. The service manager reports a stop after the instance's
    /// connections are closed.
    private static let verdictTime = Duration.milliseconds(200)

    /// Checks the exchange against a new routing table. A request that waits for a response ends if its instance has a
    /// stop initiator.
    func routesChanged() {
        guard case .waiting = phase else { return }
        if upstream != nil {
            // While the gateway shuts down, its instances continue to run for a while, so the exchange continues.
            if !owner.isDraining { endWithItsInstance() }
        } else if let lost, !endWithItsInstance(), !isRouted {
            // The instance has ended by itself, so report the failure.
            report(lost)
        }
    }

    /// Handles a connection that the instance closed before it responded. A stop initiator may become known a moment
    /// later.
    func lostInstance(_ failure: UpstreamFailure) {
        if failure.reachedNoServer { mayBeReceived = false }
        switch failure {
        case .badAnswer, .outOfDescriptors: return report(failure)
        case .refused, .brokenBody: return endWithItsInstance() ? () : report(failure)
        case .noAnswer: guard !endWithItsInstance() else { return }
        }
        guard isRouted else { return report(failure) }
        phase = .waiting
        lost = failure
        feature.add(lost: self)
        arm(Self.verdictTime)
    }

    /// Whether requests for the project are still routed to the instance of this exchange.
    private var isRouted: Bool { currentRoute?.endpoint?.generation == route.endpoint?.generation }

    private var currentRoute: RoutingTable.Route? { owner.snapshot.routes.route(to: project) }

    /// Responds with the stop initiator of the instance. Returns false if there is none.
    @discardableResult
    private func endWithItsInstance() -> Bool {
        let error: GatewayError
        if owner.isDraining {
            error = ControlAnswers.shuttingDown(before: project.string, mayBeReceived: mayBeReceived)
        } else if let initiator = currentRoute?.stopInitiator {
            error = ControlAnswers.ended(project.string, by: initiator)
        } else {
            return false
        }
        connection?.dropWaitingAnswer()
        if let connection { owner.refuse(connection, error) }
        finish()
        return true
    }

    /// Reports the reason for the missing response to the client and to the log.
    func report(_ failure: UpstreamFailure) {
        owner.logFailure(failure, of: project, port: port)
        fail(LostInstance.error(for: failure, port: port, project: project.string, mayBeReceived: mayBeReceived))
    }
}
