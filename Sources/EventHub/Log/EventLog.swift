internal import Locking
package import OpenCode

/// What one project's instance has said, kept in segments: in files that are mapped, so that nothing is lost with the process,
/// or in memory.
///
/// One thread writes, any threads read; a reader takes the lock once for a batch and never waits for a disk.
package final class EventLog: Sendable {
    /// What readers share with the writer.
    let shared: Locked<LogState>
    /// What is the writing thread's own. The lock orders the few calls that may come from elsewhere; nobody reads behind it.
    private let writer: Locked<SegmentWriter>

    private init(_ writer: sending SegmentWriter, _ state: LogState) {
        self.writer = Locked(writer)
        shared = Locked(state)
    }

    /// Opens a project's log in the gateway's state folder, with what is kept there. Never fails: where the disk can't be used
    /// it is in memory, and `warning` says why. `folder`: nil for memory only; `now`: milliseconds since 1970; `obstacle`: why the
    /// folder must not be touched before ``useFolder(now:)``, a sentence.
    package static func open(
        _ folder: String?, project: String, limits: LogLimits, now: Int64, obstacle: String? = nil
    ) -> EventLog {
        var writer = SegmentWriter(folder.map { SegmentFolder(state: $0, name: project) }, limits, obstacle: obstacle)
        writer.open(now: now)
        let state = writer.state
        return EventLog(writer, state)
    }

    // MARK: Writing

    /// The folder may be touched from now on. What earlier processes have left there is found, and comes before what is in memory.
    package func useFolder(now: Int64) {
        write { $0.useFolder(now: now) }
    }

    /// Writes what is in memory to the disk where that can be used again, and goes on there. Called from time to time while
    /// ``isWaitingForDisk``.
    package func retryDisk(now: Int64) {
        write { $0.retryDisk(now: now) }
    }

    /// Begins a new run of the instance: its generation, greater than every one before. With a reason, a gap stands before it.
    @discardableResult package func beginGeneration(now: Int64, after reason: EventGap.Reason?) -> UInt64 {
        write { $0.beginGeneration(now: now, after: reason) }
    }

    /// Something is missing here, within the generation. Each loss is told, also where no event is between two of them.
    package func append(gap reason: EventGap.Reason, time: Int64) {
        write { $0.append(gap: reason, time: time) }
    }

    /// Keeps an event under the next id of the generation. One that is larger than all that may be kept is not in the log: who
    /// comes later finds a gap there.
    package func append(_ skeleton: EventSkeleton, line: borrowing Span<UInt8>, time: Int64) -> StoredEvent {
        writer.withLock { writer in
            let event = writer.append(skeleton, line: line, time: time)
            if writer.hasChanged { share(&writer) } else { shared.withLock { $0.last = event.id } }
            return event
        }
    }

    /// Removes what is older than is kept. Called from time to time.
    package func trim(now: Int64) {
        write { $0.trim(now: now) }
    }

    /// Removes this many segments, the oldest first.
    package func removeOldest(_ count: Int) {
        write { $0.removeOldest(count) }
    }

    /// Removes the oldest segments whose last record is older than this moment, milliseconds since 1970.
    package func removeOlder(than time: Int64) {
        write { $0.removeOlder(than: time) }
    }

    /// The projects of which anything is kept in the gateway's state folder, those that are gone included.
    /// `folder`: nil for none.
    package static func projects(in folder: String?) -> [String] {
        folder.map { SegmentFolder.projects(in: $0) } ?? []
    }

    /// Goes on with other limits.
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

    /// Tells the readers what has changed but the records themselves.
    private func share(_ writer: inout SegmentWriter) {
        writer.hasChanged = false
        let state = writer.state
        shared.withLock { $0 = state }
    }

    // MARK: What is known

    /// Why not everything is kept as it should be, a sentence for people; nil: all is well.
    package var warning: String? { shared.withLock { $0.warning } }

    /// Whether events are in memory because the disk can't be used, and until ``retryDisk(now:)`` or a new segment finds that it
    /// can.
    package var isWaitingForDisk: Bool { shared.withLock { $0.isWaitingForDisk } }

    /// Whether a gap stands behind the newest event, and no generation has begun since.
    package var endsInGap: Bool { writer.withLock { $0.endsInGap } }

    /// The newest generation that was begun, in this process or an earlier one; 0: none.
    package var lastGeneration: UInt64 { shared.withLock { $0.generation } }

    /// The segments, oldest first.
    package var segments: [LogSegment] { writer.withLock { $0.sizes } }
}
