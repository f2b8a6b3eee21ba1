// SPDX-License-Identifier: Apache-2.0

internal import Locking
package import OpenCodeFamilies

/// The events of one project's instance, stored in segments. The segments are memory-mapped files, so that no event is
/// lost if the process is killed. If the disk cannot be used, the segments are in memory.
///
/// One thread writes, and any number of threads read. Reading never waits for a write to the disk.
package final class EventLog: Sendable {
    /// The state that readers share with the writer.
    let shared: Locked<LogState>
    /// The writing thread's state. The lock protects the state from the few calls that other threads make. Readers of
    /// events do not acquire this lock.
    private let writer: Locked<SegmentWriter>

    private init(_ writer: sending SegmentWriter, _ state: LogState) {
        self.writer = Locked(writer)
        shared = Locked(state)
    }

    /// Opens a project's log in the gateway's state directory, with the events that are stored there. Opening never
    /// fails. If the disk cannot be used, the log is in memory, and `warning` gives the reason.
    ///
    /// - Parameters:
    ///   - folder: The path of the state directory; nil to use memory only.
    ///   - now: The time in milliseconds since 1970.
    ///   - obstacle: The reason why the directory must not be accessed before ``useFolder(now:)``, as a message; nil if
    ///     the directory may be accessed.
    package static func open(
        _ folder: String?, project: String, limits: LogLimits, now: Int64, obstacle: String? = nil
    ) -> EventLog {
        var writer = SegmentWriter(folder.map { SegmentFolder(state: $0, name: project) }, limits, obstacle: obstacle)
        writer.open(now: now)
        let state = writer.state
        return EventLog(writer, state)
    }

    // MARK: Writing

    /// Allows access to the directory from now on. The events that other processes have stored there become part of the
    /// log and precede the events in memory.
    package func useFolder(now: Int64) {
        write { $0.useFolder(now: now) }
    }

    /// If the disk can be used again, writes the events in memory to the disk and stores later events there. Call this
    /// method from time to time while ``isWaitingForDisk`` is true.
    package func retryDisk(now: Int64) {
        write { $0.retryDisk(now: now) }
    }

    /// Begins a generation for a new run of the instance, and returns it. The generation is greater than every earlier
    /// generation. If `reason` is not nil, a gap precedes the generation.
    @discardableResult package func beginGeneration(now: Int64, after reason: EventGap.Reason?) -> UInt64 {
        write { $0.beginGeneration(now: now, after: reason) }
    }

    /// Records a loss of events at the end of the log, within the generation. Each loss is recorded, even if no event
    /// is between two losses.
    package func append(gap reason: EventGap.Reason, time: Int64) {
        write { $0.append(gap: reason, time: time) }
    }

    /// Stores an event under the next id of the generation. An event that is larger than the log's maximum size is not
    /// stored. Later readers find a gap in its place.
    package func append(_ skeleton: EventSkeleton, line: borrowing Span<UInt8>, time: Int64) -> StoredEvent {
        writer.withLock { writer in
            let event = writer.append(skeleton, line: line, time: time)
            if writer.hasChanged { share(&writer) } else { shared.withLock { $0.last = event.id } }
            return event
        }
    }

    /// Removes segments that are older than the retention time. Call this method regularly.
    package func trim(now: Int64) {
        write { $0.trim(now: now) }
    }

    /// Removes this number of segments, the oldest first.
    package func removeOldest(_ count: Int) {
        write { $0.removeOldest(count) }
    }

    /// Removes the segments whose last record is older than this time, in milliseconds since 1970.
    package func removeOlder(than time: Int64) {
        write { $0.removeOlder(than: time) }
    }

    /// Returns the projects with events in the gateway's state directory, including projects that no longer exist.
    ///
    /// - Parameter folder: The path of the state directory. If the path is nil, the result is empty.
    package static func projects(in folder: String?) -> [String] {
        folder.map { SegmentFolder.projects(in: $0) } ?? []
    }

    /// Applies new limits.
    package func change(_ limits: LogLimits, now: Int64) {
        write { $0.change(limits, now: now) }
    }

    private func write<Result: Sendable>(_ body: (inout SegmentWriter) -> Result) -> Result {
        writer.withLock { writer in
            let result = body(&writer)
            share(&writer)
            return result
        }
    }

    /// Publishes the writer's state to the readers. The records themselves are published when they are written.
    private func share(_ writer: inout SegmentWriter) {
        writer.hasChanged = false
        let state = writer.state
        shared.withLock { $0 = state }
    }

    // MARK: State

    /// The reason why the events are not stored as configured, as a message for the operator; nil if there is no
    /// problem.
    package var warning: String? { shared.withLock { $0.warning } }

    /// Whether events stay in memory because the disk cannot be used. The value becomes false when ``retryDisk(now:)``
    /// or a new segment can use the disk again.
    package var isWaitingForDisk: Bool { shared.withLock { $0.isWaitingForDisk } }

    /// Whether a gap follows the newest event, and no generation has begun after the gap.
    package var endsInGap: Bool { writer.withLock { $0.endsInGap } }

    /// The newest generation, from this process or an earlier one; 0 if there is none.
    package var lastGeneration: UInt64 { shared.withLock { $0.generation } }

    /// The id that the next event of the generation will have.
    package var nextID: EventID { writer.withLock { $0.nextID } }

    /// The segments of the log, oldest first.
    package var segments: [LogSegment] { writer.withLock { $0.sizes } }
}
