// SPDX-License-Identifier: Apache-2.0

internal import Projects
internal import Systemd

/// Manages the registry's start and its shutdown. The registry must not be used before it has started.
extension InstanceRegistry {
    /// The state of the registry's start.
    struct Opening {
        /// Whether the start is in progress.
        var isUnderWay = false
        /// Whether all running servers are known.
        var hasFound = false
        /// The tasks that wait for the end of the start.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The task that waits until the found servers are ready.
        var settling: CheckedContinuation<Void, Never>?
        var deadline: EventSource?
    }

    /// Opens the supervisors, and waits up to ``InstanceLimits/found`` until the found servers are ready. After the
    /// call, all running servers are known. Call this method once, before any other method.
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
        recordLost()
        await settle()
    }

    private func openCatalogue() {
        catalogue.assumeIsolated { catalogue in
            catalogue.open { [weak self] in self?.assumeIsolated { $0.projectsChanged() } }
        }
        publishRoutes()
    }

    /// Waits until every found instance is ready or is known not to be ready.
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

    /// Ends the wait for the found instances if an instance's new state means that all of them have settled.
    func checkSettled() {
        guard opening.settling != nil, !isSettling else { return }
        endSettling()
    }

    private func endSettling() {
        opening.deadline = nil
        opening.settling?.resume()
        opening.settling = nil
    }

    // MARK: Ending

    /// The stages of the gateway's shutdown.
    enum End {
        case none
        /// The registry no longer starts instances that would end together with the gateway.
        case near
        /// The registry no longer starts any instance.
        case over
    }

    static let shuttingDown = StartAnswer.failed(InstanceMessage.startFailed("the gateway is shutting down."))

    /// Returns whether the shutdown prevents a start of the project.
    func refusesStarts(of name: ProjectName) -> Bool {
        switch end {
        case .none: false
        case .near: !supervisor(of: name).outlivesGateway
        case .over: true
        }
    }

    /// Starts the shutdown. If an instance ends with the gateway, callers that wait for its start receive a failure
    /// now.
    package func prepareShutdown() { endStarts(.near) }

    private func endStarts(_ stage: End) {
        end = stage
        for name in instances.keys where refusesStarts(of: name) {
            perform(.answerStarts(Self.shuttingDown), of: name)
        }
    }

    /// Ends all instances and prevents further starts. Instances that outlive the gateway continue to run.
    package func shutdown() async {
        endStarts(.over)
        endSettling()
        // Wait until the registry has started. Without this wait, a server that a supervisor is currently taking over
        // would continue to run.
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
