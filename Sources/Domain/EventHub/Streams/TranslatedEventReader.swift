// SPDX-License-Identifier: Apache-2.0

package import Dialects
import Encodings
internal import JSONText
internal import OpenCodeFamilies

/// An event that a project's instance sent, as a value of OpenCode 1's model, whichever OpenCode version it runs.
package enum TranslatedEvent: Sendable {
    case event(Event)
    /// Events are missing here; the receiver must request its whole state again.
    case gap(EventGap)
}

/// Reads one log's events as values. It belongs to one receiver and keeps no events.
///
/// The reader translates the log from its beginning, because the log contains the sessions that later events of an
/// OpenCode 2 do not describe. It returns only the events after its start.
package struct TranslatedEventReader: Sendable {
    /// The result of a read.
    package struct Batch: Sendable {
        /// The events and gaps, in order.
        package fileprivate(set) var events: [TranslatedEvent] = []
        /// Whether there are no more at present.
        package fileprivate(set) var isAtEnd = false
        /// The query that must be answered before the next read (``TranslatedEventReader/learn(_:)``).
        package fileprivate(set) var question: TranslationQuery?
    }

    private let log: EventLog
    /// The position of the first event to return; nil after it was reached.
    private var start: LogPosition?
    private var place: LogPosition
    /// The items that were read from the log and not taken yet.
    private var rest: ArraySlice<LogItem> = []
    private var translation = EventTranslation()
    private var question: TranslationQuery?

    /// Creates a reader of the events after a position.
    package init(_ log: EventLog, after start: LogPosition) {
        self.log = log
        self.start = start
        place = log.beginning
    }

    /// Returns the next events, approximately `limit` bytes of the log.
    package mutating func read(atMost limit: Int) -> Batch {
        var batch = Batch()
        var taken = 0
        while taken < limit {
            if rest.isEmpty { rest = log.next(&place, atMost: limit)[...] }
            guard let item = rest.first else {
                batch.isAtEnd = true
                return batch
            }
            if let start, start.isBefore(item.after) { self.start = nil }
            switch item {
            case .gap(let gap, _):
                translation.interrupt()
                if start == nil { batch.events.append(.gap(gap)) }
                taken += 128
            case .event(let event):
                take(event, into: &batch)
                guard question == nil else {
                    batch.question = question
                    return batch
                }
                taken += event.size
            }
            rest.removeFirst()
            // Release the items that were read.
            if rest.isEmpty { rest = [] }
        }
        return batch
    }

    /// Takes the answer to the last query.
    package mutating func learn(_ answer: TranslationAnswer) {
        guard let question, case .event(let event)? = rest.first else { return }
        self.question = nil
        let line = event.withLine { [UInt8](copying: $0) }
        translation.learn(question, answer, before: line, time: UInt64(max(0, event.time)))
    }

    private mutating func take(_ event: StoredEvent, into batch: inout Batch) {
        _ = translation.begin(event.id.generation)
        let range = event.payload
        guard range.count == event.size else {
            // OpenCode 1 sent the event: its events have a wrapper.
            guard start == nil else { return }
            let payload = event.withLine { [UInt8](copying: $0.extracting(range)) }
            if let event = JSONParser.parse(payload).flatMap(Event.init(openCode1:)) {
                batch.events.append(.event(event))
            }
            return
        }
        let line = event.withLine { [UInt8](copying: $0) }
        switch translation.take(line, time: UInt64(max(0, event.time))) {
        case .question(let query): question = query
        case .frames(let frames):
            for frame in frames {
                if start == nil { batch.events.append(.event(frame.event)) }
                guard case .event(let event) = frame.content, let directory = frame.directory else { continue }
                if event.change.type() == "server.instance.disposed" { translation.forget(directory: directory) }
            }
        }
    }
}
