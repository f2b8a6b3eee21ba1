// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import OpenCodeFamilies

/// The gateway's own ids for all projects' events, which clients of `GET /events` receive.
///
/// The index is a separate log next to the projects' logs, and is stored and reopened in the same way. The index's
/// records contain a project's name and an event's id instead of an event. Each start of the gateway begins a
/// generation, so that no id is assigned twice after a power failure.
package final class EventIndex: Sendable {
    /// An event of one project, with the gateway's own id.
    package struct Entry: Sendable, Equatable {
        /// The id that the gateway assigned.
        package let id: EventID
        /// The name of the event's project.
        package let project: String
        /// The id of the event in the project's log.
        package let event: EventID
        /// The time at which the event was received, in milliseconds since 1970.
        package let time: Int64
    }

    /// An item that a read of the index returns.
    package enum Item: Sendable, Equatable {
        case entry(Entry)
        /// A gap in the events of one project's instance. The first value is the gap's id in the index. `json`
        /// describes the gap. `ended` is the project's last event before the gap; nil if there is no such event, or if
        /// another gap is between this event and the gap.
        case projectGap(EventID, project: String, json: [UInt8], ended: EventID?)
        /// Entries of the index are missing. The gap's ids are ids of the index.
        case gap(EventGap)
    }

    /// An item and the position after it.
    package struct Step: Sendable {
        /// The item of this step.
        package let item: Item
        /// The position after the item.
        package let after: LogPosition
    }

    /// The name of the index's directory. No project can have this name, because project names never begin with a dot.
    static let name = ".index"

    private let log: EventLog

    private init(_ log: EventLog) { self.log = log }

    /// Opens the index in the gateway's state directory, like `EventLog.open`, and begins a generation.
    ///
    /// - Parameter limits: The limits of the index. A tenth of the size of all logs is sufficient, because an entry
    ///   takes about a hundred bytes regardless of its event's size.
    package static func open(
        _ folder: String?, limits: LogLimits, now: Int64, obstacle: String? = nil
    ) -> EventIndex {
        let log = EventLog.open(folder, project: name, limits: limits, now: now, obstacle: obstacle)
        log.beginGeneration(now: now, after: nil)
        return EventIndex(log)
    }

    // MARK: Writing

    /// Allows access to the state directory from now on, like `EventLog.useFolder`.
    package func useFolder(now: Int64) { log.useFolder(now: now) }

    /// Writes the entries in memory to the disk if the disk can be used again, like `EventLog.retryDisk`.
    package func retryDisk(now: Int64) { log.retryDisk(now: now) }

    /// Assigns the gateway's next id to a project's event.
    package func append(_ project: String, _ event: EventID, time: Int64) -> EventID {
        var skeleton = EventSkeleton()
        skeleton.type = Array(project.utf8)
        var line: [UInt8] = []
        line.reserveCapacity(48)
        line.append(contentsOf: event.text.utf8)
        return log.append(skeleton, line: line.span, time: time).id
    }

    /// Records a gap in the events of a project's instance. `isRepeated` means that no event is between this gap and
    /// the previous gap.
    package func append(_ project: String, _ gap: EventGap, time: Int64, isRepeated: Bool = false) {
        var skeleton = EventSkeleton()
        skeleton.type = Array(project.utf8)
        if !isRepeated { skeleton.message = gap.from.map { Array($0.text.utf8) } }
        _ = log.append(skeleton, line: FrameWriter.json(gap, project: project).span, time: time)
    }

    /// Removes the entries that are older than the retention time, and the entries for events that are no longer in any
    /// log. `oldest` is the time at which the oldest kept event was received; nil if no event is kept.
    package func trim(now: Int64, oldest: Int64?) {
        log.trim(now: now)
        log.removeOlder(than: oldest ?? now)
    }

    /// Applies new limits.
    package func change(_ limits: LogLimits, now: Int64) { log.change(limits, now: now) }

    // MARK: Reading

    /// The reason why the index is not stored as configured, as a message for the operator; nil if there is no problem.
    package var warning: String? { log.warning }
    /// Whether entries remain in memory until the disk can be used.
    package var isWaitingForDisk: Bool { log.isWaitingForDisk }
    /// The segments of the index, oldest first.
    package var segments: [LogSegment] { log.segments }
    /// A summary of the stored entries.
    package var summary: LogSummary { log.summary }
    /// The position after all current entries of the index.
    package var end: LogPosition { log.end }
    /// The position before all stored entries.
    package var beginning: LogPosition { log.beginning }

    /// Returns the position at which a client continues after this entry.
    package func position(after id: EventID) -> LogSearch { log.position(after: id) }
    /// Returns the position before this entry; nil if the index does not contain the entry.
    func position(before id: EventID) -> LogPosition? { log.position(before: id) }
    /// Returns the position before the first entry with this time or a later one, in milliseconds since 1970.
    package func position(since time: Int64) -> LogSearch { log.position(since: time) }

    /// Returns the entry with this id; nil if the index does not contain it.
    package func entry(_ id: EventID) -> Entry? {
        guard var position = log.position(before: id), case .event(let event)? = log.next(&position, atMost: 1).first
        else {
            return nil
        }
        return Self.entry(event)
    }

    /// Returns the items after a position, and advances the position. Returns an empty array if there are no items.
    ///
    /// - Parameter bytes: The maximum size of the entries. The first entry is returned regardless of its size.
    package func next(_ position: inout LogPosition, atMost bytes: Int) -> [Item] {
        steps(&position, atMost: bytes).map(\.item)
    }

    /// Returns the same items as ``next(_:atMost:)``, each with the position after the item.
    package func steps(_ position: inout LogPosition, atMost bytes: Int) -> [Step] {
        log.next(&position, atMost: bytes).map { item in
            switch item {
            case .event(let event):
                if let entry = Self.entry(event) { return Step(item: .entry(entry), after: event.after) }
                let gap = Item.projectGap(
                    event.id, project: event.withType { String(decoding: [UInt8](copying: $0), as: UTF8.self) },
                    json: event.withLine { [UInt8](copying: $0) },
                    ended: event.skeleton.message.flatMap { EventID($0.span) })
                return Step(item: gap, after: event.after)
            case .gap(let gap, let after): return Step(item: .gap(gap), after: after)
            }
        }
    }

    private static func entry(_ event: StoredEvent) -> Entry? {
        let project = event.withType { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
        guard let id = event.withLine({ EventID($0) }) else { return nil }
        return Entry(id: event.id, project: project, event: id, time: event.time)
    }
}
