import Addresses
import HTTPClient
import HTTPServer
internal import Instances

/// What becomes of a run whose instance is ended before it has answered.
extension BridgeRun {
    /// How long it may take until it is known that somebody has the instance end, as for requests that are passed on.
    private static let verdictTime = Duration.milliseconds(200)

    /// Whether requests for the project still go to the instance that this one goes to.
    var isRouted: Bool { currentRoute?.endpoint?.generation == route.endpoint?.generation }

    private var currentRoute: RoutingTable.Route? { owner.snapshot.routes.route(to: route.name) }

    /// The instance's route is perhaps another one now.
    func routesChanged() {
        // While the gateway ends its instances go on for a while.
        guard !owner.isDraining else { return }
        if case .ended = phase { return }
        if let ender = currentRoute?.ender {
            fail(ControlAnswers.ended(route.text, by: ender))
        } else if !isRouted {
            switch phase {
            case .lost(let failure): tell(failure)
            // Its connection tells.
            case .calling: break
            case .thinking, .waiting, .ended: endOfInstance()
            }
        }
    }

    /// Nothing can be asked of the instance any more.
    func endOfInstance() {
        if owner.isDraining { return failAtTheEnd() }
        if let ender = currentRoute?.ender { return fail(ControlAnswers.ended(route.text, by: ender)) }
        if mayBeTaken { return fail(.detail(502, LostInstance.gone(route.text))) }
        fail(ControlAnswers.notRunning(route.text, currentRoute?.state))
    }

    /// The gateway ends, and waits no longer.
    func failAtTheEnd() { fail(ControlAnswers.shuttingDown(before: route.text, mayBeTaken: mayBeTaken)) }

    /// The instance has ended the connection. Whether somebody has it end may be known a moment later.
    func lostInstance(_ failure: UpstreamFailure) {
        if failure.reachedNobody { mayBeTaken = isPartlyDone }
        if owner.isDraining || currentRoute?.ender != nil { return endOfInstance() }
        guard case .noAnswer = failure, isRouted else { return tell(failure) }
        phase = .lost(failure)
        arm(Self.verdictTime)
    }

    /// Says, and logs, why there is no answer.
    func tell(_ failure: UpstreamFailure) {
        let port = route.endpoint?.address.port ?? 0
        owner.note(failure, route.name, port)
        let (status, sentence) = LostInstance.sentence(failure, port, route.text, mayBeTaken: mayBeTaken)
        fail(.detail(status, sentence))
    }

    /// Who refuses the instance's password is not the instance.
    func refuseAnswerOfAnother(_ endpoint: InstanceEndpoint) {
        owner.noteAnother(route.name, endpoint.address.port)
        mayBeTaken = isPartlyDone
        guard mayBeTaken else { return fail(ControlAnswers.portTaken(endpoint.address.port)) }
        fail(.detail(502, LostInstance.replaced(endpoint.address.port, route.text)))
    }
}
