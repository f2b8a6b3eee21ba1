internal import Clocks
internal import Logging
package import Projects

/// What happened to instances, over the lives of several gateways.
extension InstanceRegistry {
    /// What is written down of a project's instance.
    package enum HistoryAnswer: Sendable, Equatable {
        /// The events, the oldest first.
        case events([InstanceEvent])
        /// There is no such project.
        case notFound
        /// It can't be read; a sentence.
        case unavailable(String)
    }

    /// What happened to a project's instance, this gateway's time and before.
    package func history(of name: ProjectName) async -> HistoryAnswer {
        guard status(name) != nil else { return .notFound }
        do throws(InstanceHistoryError) {
            return .events(try await links.history.events(of: name))
        } catch {
            return .unavailable(error.description)
        }
    }

    /// An instance is in another state: writes down what of that is an event.
    func noteEvents(of name: ProjectName, now: Int64) {
        guard var instance = instances[name] else { return }
        let isKnown = instance.run.map { $0.isFound && instance.notes.knows(runSince: $0.started) } ?? false
        let events = instance.notes.events(of: instance.machine, isKnown: isKnown, now: now)
        instances[name]?.notes = instance.notes
        for event in events { links.history.record(event, of: name) }
    }

    /// Reads what earlier gateways have written down. A failed instance is still failed, with the same reason and the same
    /// `since`.
    func recallHistory() async {
        let isOpen = links.history.isOpen { [weak self] in Task { await self?.recallHistoryLate() } }
        guard isOpen else { return }
        past = await links.history.lastEvents(before: .max)
        recallFailures()
    }

    /// The same, where the history can only be read once instances have been asked for. What this gateway has seen of an
    /// instance is newer, and stays.
    private func recallHistoryLate() async {
        let found = await links.history.lastEvents(before: made)
        guard end == .none else { return }
        for (name, event) in found {
            past[name] = event
            instances[name]?.recall(event)
        }
        recallFailures()
        if opening.hasFound { noteLost() }
    }

    /// Whether this event of an earlier gateway is the last one that is known of its instance.
    private func isLast(_ event: InstanceEvent, of name: ProjectName) -> Bool {
        instances[name].map { $0.notes.last == event } ?? true
    }

    private func recallFailures() {
        for (name, event) in past where event.kind == .failed && isLast(event, of: name) {
            guard let folder = catalogue.assumeIsolated({ $0.folder(named: name) }),
                instances[name]?.machine.isActive != true
            else { continue }
            enter(folder)
            instances[name]?.machine.recallFailure(event.reason ?? "It failed before the gateway began.")
            instances[name]?.since = event.time
        }
        if !past.isEmpty { publishRoutes() }
    }

    /// An instance that should run and does not has ended while no gateway was there.
    func noteLost() {
        let now = WallClock.nanoseconds()
        for (name, event) in past where event.kind.isActive && isLast(event, of: name) {
            guard instances[name]?.machine.isActive != true else { continue }
            // While its supervisor can't be reached it may still run.
            guard unavailable(name) == nil else { continue }
            let lost = InstanceEvent(time: now, kind: .lost, reason: InstanceMessage.lost)
            past[name] = lost
            links.history.record(lost, of: name)
        }
    }
}
