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

    /// Checks the exchange against a new routing table. A request that waits for a response ends if
    /// its instance was stopped.
    func routesChanged() {
        perform(
            state.routesAction(
                isStopKnown: stopError != nil, isDraining: owner.isDraining, isRouted: isRouted))
    }

    /// Responds to a client whose instance closed the connection before a response. The exchange may wait, because a
    /// stop may become known a moment later.
    func reportLoss(after failure: UpstreamFailure) {
        perform(state.recordLoss(failure, isStopKnown: stopError != nil, isRouted: isRouted))
    }

    private func perform(_ action: ProxyExchangeState.LossAction) {
        switch action {
        case .report(let failure): report(failure)
        case .reportStop:
            connection?.dropWaitingAnswer()
            if let connection, let stopError { owner.refuse(connection, stopError) }
            finish()
        case .wait:
            feature.add(lost: self)
            arm(Self.verdictTime)
        case .nothing: break
        }
    }

    /// Whether requests for the project are still routed to the instance of this exchange.
    private var isRouted: Bool { currentRoute?.endpoint?.generation == route.endpoint?.generation }

    private var currentRoute: RoutingTable.Route? { owner.snapshot.routes.route(to: project) }

    /// The error that names the stop of the instance or of the gateway; nil if no stop is known.
    private var stopError: GatewayError? {
        if owner.isDraining {
            return ControlAnswers.shuttingDown(before: project.string, mayBeReceived: state.mayBeReceived)
        }
        return currentRoute?.stopInitiator.map { ControlAnswers.ended(project.string, by: $0) }
    }

    /// Reports the reason for the missing response to the client and to the log.
    func report(_ failure: UpstreamFailure) {
        owner.logFailure(failure, of: project, port: port)
        fail(LostInstance.error(for: failure, port: port, project: project.string, mayBeReceived: state.mayBeReceived))
    }
}
