internal import OpenCode
internal import TextCoding

/// The gateway's own count over all projects' events: what an id of `GET /events` stands for.
///
/// A log of its own beside the projects', kept and found again as they are, whose records hold a project's name and an event's
/// id instead of an event. A generation begins with each start of the gateway, so that no id is given twice after a loss of power.
package final class EventIndex: Sendable {
    /// One event of one project, under the gateway's own id.
    package struct Entry: Sendable, Equatable {
        /// The gateway's own id.
        package let id: EventID
        /// The project's name.
        package let project: String
        /// The project's id of the event.
        package let event: EventID
        /// When it was heard, milliseconds since 1970.
        package let time: Int64
    }

    /// What a reader of the index gets.
    package enum Item: Sendable, Equatable {
        case entry(Entry)
        /// A gap in what one project's instance has said: the index's id for it, the project, and the gap as JSON. `ended`: the
        /// project's last event before it; nil: none, or another gap stands between.
        case projectGap(EventID, project: String, json: [UInt8], ended: EventID?)
        /// Here entries are missing; the ids are the index's.
        case gap(EventGap)
    }

    /// An item and the place behind it.
    package struct Step: Sendable {
        /// What stands there.
        package let item: Item
        /// The place behind it.
        package let behind: LogPosition
    }

    /// No project's: names of projects never begin with a dot.
    static let name = ".index"

    private let log: EventLog

    private init(_ log: EventLog) { self.log = log }

    /// Opens the index in the gateway's state folder and begins a generation; as `EventLog.open`. An entry takes about a hundred bytes,
    /// whatever its event does: a tenth of what all logs keep is enough (`limits`).
    package static func open(
        _ folder: String?, limits: LogLimits, now: Int64, obstacle: String? = nil
    ) -> EventIndex {
        let log = EventLog.open(folder, project: name, limits: limits, now: now, obstacle: obstacle)
        log.beginGeneration(now: now, after: nil)
        return EventIndex(log)
    }

    // MARK: Writing

    /// The folder may be touched from now on; as `EventLog.useFolder`.
    package func useFolder(now: Int64) { log.useFolder(now: now) }

    /// Writes what is in memory to the disk where that can be used again; as `EventLog.retryDisk`.
    package func retryDisk(now: Int64) { log.retryDisk(now: now) }

    /// Gives a project's event the gateway's own next id.
    package func append(_ project: String, _ event: EventID, time: Int64) -> EventID {
        var skeleton = EventSkeleton()
        skeleton.type = Array(project.utf8)
        var line: [UInt8] = []
        line.reserveCapacity(48)
        line.append(contentsOf: event.text.utf8)
        return log.append(skeleton, line: line.span, time: time).id
    }

    /// Tells of a gap in what a project's instance has said. `isRepeated`: it follows another one without an event between them.
    package func append(_ project: String, _ gap: EventGap, time: Int64, isRepeated: Bool = false) {
        var skeleton = EventSkeleton()
        skeleton.type = Array(project.utf8)
        if !isRepeated { skeleton.message = gap.from.map { Array($0.text.utf8) } }
        _ = log.append(skeleton, line: FrameWriter.json(gap, project: project).span, time: time)
    }

    /// Removes what is older than is kept, and what only tells of events that no log keeps any more: `oldest` is when the oldest one
    /// was heard that is still kept; nil: none is.
    package func trim(now: Int64, oldest: Int64?) {
        log.trim(now: now)
        log.removeOlder(than: oldest ?? now)
    }

    /// Goes on with other limits.
    package func change(_ limits: LogLimits, now: Int64) { log.change(limits, now: now) }

    // MARK: Reading

    /// Why not everything is kept as it should be, a sentence for people; nil: all is well.
    package var warning: String? { log.warning }
    /// Whether entries are in memory until the disk can be used.
    package var isWaitingForDisk: Bool { log.isWaitingForDisk }
    /// Its segments, oldest first.
    package var segments: [LogSegment] { log.segments }
    /// What is kept, in numbers.
    package var summary: LogSummary { log.summary }
    /// Behind everything that is there now.
    package var end: LogPosition { log.end }
    /// Before everything that is kept.
    package var beginning: LogPosition { log.beginning }

    /// Where reading goes on for who has read up to this entry.
    package func place(behind id: EventID) -> LogSearch { log.place(behind: id) }
    /// The place before this entry; nil: it is not kept.
    func place(before id: EventID) -> LogPosition? { log.place(before: id) }
    /// Before the first of what was heard at this moment or later, milliseconds since 1970.
    package func place(since time: Int64) -> LogSearch { log.place(since: time) }

    /// The entry of this id; nil: it is not kept.
    package func entry(_ id: EventID) -> Entry? {
        guard var place = log.place(before: id), case .event(let event)? = log.next(&place, atMost: 1).first else {
            return nil
        }
        return Self.entry(event)
    }

    /// What stands behind a place, this many bytes of entries at most, but one at least; empty: nothing. The place moves on.
    package func next(_ place: inout LogPosition, atMost bytes: Int) -> [Item] {
        steps(&place, atMost: bytes).map(\.item)
    }

    /// As ``next(_:atMost:)``, with the place behind each.
    package func steps(_ place: inout LogPosition, atMost bytes: Int) -> [Step] {
        log.next(&place, atMost: bytes).map { item in
            switch item {
            case .event(let event):
                if let entry = Self.entry(event) { return Step(item: .entry(entry), behind: event.behind) }
                let gap = Item.projectGap(
                    event.id, project: event.withType { String(decoding: [UInt8](copying: $0), as: UTF8.self) },
                    json: event.withLine { [UInt8](copying: $0) },
                    ended: event.skeleton.message.flatMap { EventID($0.span) })
                return Step(item: gap, behind: event.behind)
            case .gap(let gap, let behind): return Step(item: .gap(gap), behind: behind)
            }
        }
    }

    private static func entry(_ event: StoredEvent) -> Entry? {
        let project = event.withType { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
        guard let id = event.withLine({ EventID($0) }) else { return nil }
        return Entry(id: event.id, project: project, event: id, time: event.time)
    }
}
