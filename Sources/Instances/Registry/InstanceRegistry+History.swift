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

    /// Takes up what earlier gateways have written down: a failed instance has still failed, for the same reason and since the
    /// same time.
    func recallHistory() async {
        past = await links.history.lastEvents()
        recallFailures()
    }

    private func recallFailures() {
        for (name, event) in past where event.kind == .failed {
            guard let folder = catalogue.assumeIsolated({ $0.folder(named: name) }), instances[name] == nil else {
                continue
            }
            enter(folder)
            instances[name]?.machine.recallFailure(event.reason ?? "It failed before the gateway began.")
            instances[name]?.since = event.time
        }
        if !past.isEmpty { publishRoutes() }
    }

    /// What should run and does not was ended while no gateway was there to see it.
    func noteLost() {
        let now = WallClock.nanoseconds()
        for (name, event) in past where event.kind.isActive && instances[name]?.machine.isActive != true {
            // Of what can't be asked nobody knows whether it runs.
            guard unavailable(name) == nil else { continue }
            let lost = InstanceEvent(time: now, kind: .lost, reason: InstanceMessage.lost)
            past[name] = lost
            links.history.record(lost, of: name)
        }
    }
}
