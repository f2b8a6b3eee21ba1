// SPDX-License-Identifier: Apache-2.0

import Addresses
import GatewayCore
import HTTPClient
import HTTPServer
internal import Instances
import Proxying

/// Handles the end of an instance that has not responded yet.
extension BridgeRun {
    /// The time to wait until a stop initiator is known, as for forwarded requests.
    private static let verdictTime = Duration.milliseconds(200)

    /// Whether requests for the project are still routed to the instance of this run.
    var isRouted: Bool { currentRoute?.endpoint?.generation == route.endpoint?.generation }

    private var currentRoute: RoutingTable.Route? { owner.snapshot.routes.route(to: route.name) }

    /// Checks the run against a new routing table.
    func routesChanged() {
        // While the gateway shuts down, its instances continue to run for a while, so the run continues too.
        guard !owner.isDraining else { return }
        if case .ended = phase { return }
        if let initiator = currentRoute?.stopInitiator {
            fail(ControlAnswers.ended(route.text, by: initiator))
        } else if !isRouted {
            switch phase {
            case .lost(let failure, _): report(failure)
            // The connection reports the failure of a call in progress.
            case .calling: break
            case .running, .waiting, .ended: endOfInstance()
            }
        }
    }

    /// Ends the run because the instance accepts no more calls.
    func endOfInstance() {
        if owner.isDraining { return failAtShutdown() }
        if let initiator = currentRoute?.stopInitiator { return fail(ControlAnswers.ended(route.text, by: initiator)) }
        if mayBeReceived { return fail(GatewayError(502, LostInstance.gone(route.text))) }
        fail(ControlAnswers.notRunning(route.text, currentRoute?.state))
    }

    /// Ends the run because the time limit of the gateway's shutdown has passed.
    func failAtShutdown() { fail(ControlAnswers.shuttingDown(before: route.text, mayBeReceived: mayBeReceived)) }

    /// Handles a connection that the instance has closed. The run may wait, because a stop initiator may become
    /// known a moment later.
    func lostInstance(_ failure: UpstreamFailure) {
        if failure.reachedNoServer { mayBeReceived = isPartlyDone }
        if owner.isDraining || currentRoute?.stopInitiator != nil { return endOfInstance() }
        guard case .noAnswer = failure, isRouted, case .calling(_, let continuation) = phase else {
            return report(failure)
        }
        phase = .lost(failure, continuation)
        arm(Self.verdictTime)
    }

    /// Reports the reason for the missing response to the client and to the log.
    func report(_ failure: UpstreamFailure) {
        let port = route.endpoint?.address.port ?? 0
        owner.logFailure(failure, of: route.name, port: port)
        fail(LostInstance.error(for: failure, port: port, project: route.text, mayBeReceived: mayBeReceived))
    }

    /// Replaces a response that rejects the instance's password. Such a response comes from another server that now
    /// uses the port.
    func refuseAnswerOfAnother(_ endpoint: InstanceEndpoint) {
        owner.logForeignServer(route.name, endpoint.address.port)
        mayBeReceived = isPartlyDone
        guard mayBeReceived else { return fail(ControlAnswers.portTaken(endpoint.address.port)) }
        fail(GatewayError(502, LostInstance.replaced(endpoint.address.port, route.text)))
    }
}
