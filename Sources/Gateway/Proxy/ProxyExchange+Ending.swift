import HTTPClient
import HTTPServer
internal import Instances
internal import Projects

/// What a client is told whose instance is ended before it has answered: by whom.
extension ProxyExchange {
    /// How long it may take until it is known that somebody has the instance end: its service manager tells of that after the
    /// instance's connections have gone.
    private static let verdictTime = Duration.milliseconds(200)

    /// The instance's route is perhaps another one now. A request that waits for an answer does so no longer when somebody has
    /// its instance end.
    func routesChanged() {
        guard case .waiting = phase else { return }
        if isHeldBack {
            if !owner.isDraining { _ = endHeldBack() }
        } else if upstream != nil {
            // While the gateway ends its instances go on for a while.
            if !owner.isDraining { endWithItsInstance() }
        } else if let lost, !endWithItsInstance(), !isRouted {
            // It has ended by itself.
            tell(lost)
        }
    }

    /// Answers a request that was held back and whose instance is another one now, or none; false where it still is the same.
    func endHeldBack() -> Bool {
        guard !endWithItsInstance() else { return true }
        guard !isRouted else { return false }
        if let connection { owner.answer(connection, ControlAnswers.notRunning(project.string, currentRoute?.state)) }
        end()
        return true
    }

    /// The instance has ended the connection before it has answered. Whether somebody has it end may be known a moment later.
    func lostInstance(_ failure: UpstreamFailure) {
        if failure.reachedNobody { mayBeTaken = false }
        switch failure {
        case .badAnswer, .outOfDescriptors: return tell(failure)
        case .refused, .brokenBody: return endWithItsInstance() ? () : tell(failure)
        case .noAnswer: guard !endWithItsInstance() else { return }
        }
        guard isRouted else { return tell(failure) }
        phase = .waiting
        lost = failure
        owner.undecided[ObjectIdentifier(self)] = self
        arm(Self.verdictTime)
    }

    /// Whether requests for the project still go to the instance that this one went to.
    private var isRouted: Bool { currentRoute?.endpoint?.generation == route.endpoint?.generation }

    var currentRoute: RoutingTable.Route? { owner.snapshot.routes.route(to: project) }

    /// Answers with who has the instance end; false where nobody has.
    @discardableResult
    private func endWithItsInstance() -> Bool {
        let answer: Answer
        if owner.isDraining {
            answer = ControlAnswers.shuttingDown(before: project.string, mayBeTaken: mayBeTaken)
        } else if let ender = currentRoute?.ender {
            answer = ControlAnswers.ended(project.string, by: ender)
        } else {
            return false
        }
        connection?.dropWaitingAnswer()
        if let connection { owner.answer(connection, answer) }
        end()
        return true
    }

    /// Tells the client, and the log, why there is no answer.
    func tell(_ failure: UpstreamFailure) {
        owner.note(failure, project, port)
        let (status, sentence) = LostInstance.sentence(failure, port, project.string, mayBeTaken: mayBeTaken)
        fail(status, sentence)
    }
}
