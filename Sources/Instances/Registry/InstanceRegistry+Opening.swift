internal import Projects
internal import Systemd

/// The registry's beginning, before which nobody may ask it anything, and its end.
extension InstanceRegistry {
    /// What is waited for while it begins.
    struct Opening {
        /// Whether a supervisor still looks for what runs already.
        var isUnderWay = false
        /// Whether it is known what runs already.
        var hasFound = false
        /// Who waits for that to be over.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Waits until what was found is ready.
        var settling: CheckedContinuation<Void, Never>?
        var deadline: EventSource?
    }

    /// Begins to hear from the supervisors. When it returns, what runs already is known; it is ready, too, unless that
    /// takes longer than ``InstanceLimits/found``. Call it once, before anybody asks for anything.
    package func open() async throws(LaunchError) {
        opening.isUnderWay = true
        defer {
            opening.isUnderWay = false
            for continuation in opening.waiting { continuation.resume() }
            opening.waiting = []
        }
        openCatalogue()
        await recallHistory()
        try await openSupervisors()
        opening.hasFound = true
        noteLost()
        await settle()
    }

    private func openCatalogue() {
        catalogue.assumeIsolated { catalogue in
            catalogue.open { [weak self] in self?.assumeIsolated { $0.projectsChanged() } }
        }
        publishRoutes()
    }

    /// Waits until every instance that was found is ready, or has turned out not to be.
    private func settle() async {
        guard isSettling, end != .over else { return }
        opening.deadline = try? loop.timer(after: limits.found) { [weak self] in
            self?.assumeIsolated { $0.endSettling() }
        }
        guard opening.deadline != nil else { return }
        await withCheckedContinuation { opening.settling = $0 }
    }

    private var isSettling: Bool {
        instances.values.contains {
            switch $0.machine.state {
            case .booting, .probing: true
            default: false
            }
        }
    }

    /// An instance is in another state.
    func noteSettled() {
        guard opening.settling != nil, !isSettling else { return }
        endSettling()
    }

    private func endSettling() {
        opening.deadline = nil
        opening.settling?.resume()
        opening.settling = nil
    }

    // MARK: Ending

    /// How far the gateway's own end has come.
    enum End {
        case none
        /// Nothing is started any more that would end with it.
        case near
        /// Nothing is started any more.
        case over
    }

    static let shuttingDown = StartAnswer.failed(InstanceMessage.startFailed("the gateway is shutting down."))

    /// Whether the gateway's own end keeps the project from being started.
    func refusesStarts(of name: ProjectName) -> Bool {
        switch end {
        case .none: false
        case .near: !supervisor(of: name).outlivesGateway
        case .over: true
        }
    }

    /// The gateway begins to end. Who waits for an instance that ends with it hears of that now, and not that it was
    /// started.
    package func prepareShutdown() { endStarts(.near) }

    private func endStarts(_ stage: End) {
        end = stage
        for name in instances.keys where refusesStarts(of: name) {
            perform(.answerStarts(Self.shuttingDown), of: name)
        }
    }

    /// Ends all instances, and starts no more. Instances that outlive the gateway go on.
    package func shutdown() async {
        endStarts(.over)
        endSettling()
        // What is just being taken over would be left behind.
        if opening.isUnderWay, !supervisors.allSatisfy(\.outlivesGateway) {
            await withCheckedContinuation { opening.waiting.append($0) }
        }
        let ending = instances.filter { $0.value.machine.isActive && !$0.value.supervisor.outlivesGateway }.keys
        await withTaskGroup(of: Void.self) { group in
            for name in ending { group.addTask { _ = await self.stop(name, because: InstanceMessage.gatewayEnded) } }
        }
        for supervisor in supervisors where supervisor.outlivesGateway { supervisor.close() }
    }
}
