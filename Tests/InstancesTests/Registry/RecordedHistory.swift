// SPDX-License-Identifier: Apache-2.0

import Instances
import Locking
import Projects
import TemporaryHomes

/// An in-memory history that one fixture passes to the next, like a file.
final class RecordedHistory: InstanceHistory {
    private let state = Locked<[ProjectName: [InstanceEvent]]>([:])
    /// The closures to call when the history becomes readable; nil when it is readable.
    private let waiting = Locked<[@Sendable () -> Void]?>(nil)

    /// Creates a history with the given events.
    ///
    /// - Parameter isOpen: Whether the history is readable before ``open()``.
    init(_ events: [ProjectName: [InstanceEvent]] = [:], isOpen: Bool = true) {
        state.withLock { $0 = events }
        if !isOpen { waiting.withLock { $0 = [] } }
    }

    func open() {
        let bodies = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for body in bodies { body() }
    }

    func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool {
        waiting.withLock { waiting in
            waiting?.append(body)
            return waiting == nil
        }
    }

    func record(_ event: InstanceEvent, of project: ProjectName) {
        state.withLock { $0[project, default: []].append(event) }
    }

    func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent] { self[project] }

    func lastEvents(before time: Int64) async -> [ProjectName: InstanceEvent] {
        state.withLock { $0.compactMapValues { $0.last { $0.time < time } } }
    }

    subscript(project: ProjectName) -> [InstanceEvent] { state.withLock { $0[project] ?? [] } }

    /// Returns the events without their times, such as `ready 1.2.27` and `failed: why`.
    func words(_ project: ProjectName) -> [String] {
        self[project].map { event in
            event.kind.rawValue + (event.actor.map { " by \($0)" } ?? "") + (event.version.map { " \($0)" } ?? "")
                + (event.reason.map { ": \($0)" } ?? "")
        }
    }
}
