// SPDX-License-Identifier: Apache-2.0

package import Dialects
import Encodings
internal import JSONText
internal import OpenCodeFamilies

/// An event of a project's instance as a value in OpenCode 1's format, regardless of the instance's version.
package enum TranslatedEvent: Sendable {
    case event(Event)
    /// Events are missing. The receiver must request its whole state again.
    case gap(EventGap)
}

/// Reads the events of one log as values. Each receiver has its own reader. A reader stores no events.
///
/// The reader translates the log from its beginning: in the log of an OpenCode 2 instance, a session is described only
/// by its first events. The reader returns only the events after its start.
package struct TranslatedEventReader: Sendable {
    /// The result of a read.
    package struct Batch: Sendable {
        /// The events and gaps, in order.
        package fileprivate(set) var events: [TranslatedEvent] = []
        /// Whether the log currently has no more events.
        package fileprivate(set) var isAtEnd = false
        /// The query whose result is needed before the next read (``TranslatedEventReader/resume(_:)``).
        package fileprivate(set) var query: TranslationQuery?
    }

    private let log: EventLog
    /// The position after which events are returned; nil after the reader has reached the position.
    private var start: LogPosition?
    private var position: LogPosition
    /// The items that were read from the log but not processed yet.
    private var unprocessed: ArraySlice<LogItem> = []
    private var translation = EventTranslation()
    private var pendingQuery: TranslationQuery?

    /// Creates a reader of the events after a position.
    package init(_ log: EventLog, after start: LogPosition) {
        self.log = log
        self.start = start
        position = log.beginning
    }

    /// Returns the events in the next bytes of the log, approximately `limit` bytes.
    package mutating func nextBatch(atMost limit: Int) -> Batch {
        var batch = Batch()
        var size = 0
        while size < limit {
            if unprocessed.isEmpty { unprocessed = log.next(&position, atMost: limit)[...] }
            guard let item = unprocessed.first else {
                batch.isAtEnd = true
                return batch
            }
            if let start, start.isBefore(item.after) { self.start = nil }
            switch item {
            case .gap(let gap, _):
                translation.interrupt()
                if start == nil { batch.events.append(.gap(gap)) }
                size += 128
            case .event(let event):
                translate(event, into: &batch)
                guard pendingQuery == nil else {
                    batch.query = pendingQuery
                    return batch
                }
                size += event.size
            }
            unprocessed.removeFirst()
            // An empty slice still retains its items, so replace it to release their memory.
            if unprocessed.isEmpty { unprocessed = [] }
        }
        return batch
    }

    /// Processes the result of the last query.
    package mutating func resume(_ answer: TranslationAnswer) {
        guard let pendingQuery, case .event(let event)? = unprocessed.first else { return }
        self.pendingQuery = nil
        let line = event.withLine { [UInt8](copying: $0) }
        translation.resume(pendingQuery, answer, before: line, time: UInt64(max(0, event.time)))
    }

    private mutating func translate(_ event: StoredEvent, into batch: inout Batch) {
        _ = translation.setGeneration(event.id.generation)
        let range = event.payload
        guard range.count == event.size else {
            // Only OpenCode 1 sends events with a wrapper, so the event needs no translation.
            guard start == nil else { return }
            let payload = event.withLine { [UInt8](copying: $0.extracting(range)) }
            if let event = JSONParser.parse(payload).flatMap(Event.init(openCode1:)) {
                batch.events.append(.event(event))
            }
            return
        }
        let line = event.withLine { [UInt8](copying: $0) }
        switch translation.translate(line, time: UInt64(max(0, event.time))) {
        case .query(let query): pendingQuery = query
        case .frames(let frames):
            for frame in frames {
                if start == nil { batch.events.append(.event(frame.event)) }
                guard case .event(let event) = frame.content, let directory = frame.directory else { continue }
                if event.change.type() == "server.instance.disposed" { translation.forget(directory: directory) }
            }
        }
    }
}
