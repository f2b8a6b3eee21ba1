// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import Logging
package import Projects

/// Manages the history of instances across restarts of the gateway.
extension InstanceRegistry {
    /// The result of a request for the history of a project's instance.
    package enum HistoryAnswer: Sendable, Equatable {
        /// The recorded events, oldest first.
        case events([InstanceEvent])
        /// There is no such project.
        case notFound
        /// The history cannot be read. The value is the reason.
        case unavailable(String)
    }

    /// Returns the history of a project's instance from this gateway and from earlier gateways.
    package func history(of name: ProjectName) async -> HistoryAnswer {
        guard status(name) != nil else { return .notFound }
        do throws(InstanceHistoryError) {
            return .events(try await links.history.events(of: name))
        } catch {
            return .unavailable(error.description)
        }
    }

    /// Records the events that result from an instance's new state.
    func recordEvents(of name: ProjectName, now: Int64) {
        guard var instance = instances[name] else { return }
        let isKnown = instance.run.map { $0.isFound && instance.historyTracker.covers(runSince: $0.started) } ?? false
        let events = instance.historyTracker.events(of: instance.machine, isKnown: isKnown, now: now)
        instances[name]?.historyTracker = instance.historyTracker
        for event in events { links.history.record(event, of: name) }
    }

    /// Reads the events that earlier gateways recorded. A failed instance remains failed, with the same reason and the
    /// same `since`.
    func recallHistory() async {
        let isOpen = links.history.isOpen { [weak self] in Task { await self?.recallHistoryLate() } }
        guard isOpen else { return }
        previousEvents = await links.history.lastEvents(before: .max)
        recallFailures()
    }

    /// Reads the events of earlier gateways if the history becomes readable only after clients have requested
    /// instances. Events that this gateway has recorded are newer and remain valid.
    private func recallHistoryLate() async {
        let found = await links.history.lastEvents(before: made)
        guard end == .none else { return }
        for (name, event) in found {
            previousEvents[name] = event
            instances[name]?.restore(event)
        }
        recallFailures()
        if opening.hasFound { recordLost() }
    }

    /// Returns whether this event from an earlier gateway is the last known event of its instance.
    private func isLast(_ event: InstanceEvent, of name: ProjectName) -> Bool {
        instances[name].map { $0.historyTracker.last == event } ?? true
    }

    private func recallFailures() {
        for (name, event) in previousEvents where event.kind == .failed && isLast(event, of: name) {
            guard let folder = catalogue.assumeIsolated({ $0.folder(named: name) }),
                instances[name]?.machine.isActive != true
            else { continue }
            enter(folder)
            instances[name]?.machine.recallFailure(event.reason ?? "The instance failed before the gateway started.")
            instances[name]?.since = event.time
        }
        if !previousEvents.isEmpty { publishRoutes() }
    }

    /// Records the instances that ended while no gateway was running, although they should still run.
    func recordLost() {
        let now = WallClock.nanoseconds()
        for (name, event) in previousEvents where event.kind.isActive && isLast(event, of: name) {
            guard instances[name]?.machine.isActive != true else { continue }
            // If the instance's supervisor is unreachable, the instance may still run. Do not record it as lost.
            guard unavailable(name) == nil else { continue }
            let lost = InstanceEvent(time: now, kind: .lost, reason: InstanceMessage.lost)
            previousEvents[name] = lost
            links.history.record(lost, of: name)
        }
    }
}
