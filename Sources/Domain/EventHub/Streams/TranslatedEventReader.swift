// SPDX-License-Identifier: Apache-2.0

package import Dialects
import Encodings
internal import JSONText
internal import OpenCodeFamilies

/// An event of a project's instance as a value of OpenCode 1's model, regardless of the version of OpenCode that the
/// instance runs.
package enum TranslatedEvent: Sendable {
    case event(Event)
    /// Events are missing here. The receiver must request its whole state again.
    case gap(EventGap)
}

/// Reads the events of one log as values. A reader belongs to one receiver and stores no events.
///
/// The reader translates the log from its beginning, because only earlier events describe the sessions of later events
/// of an OpenCode 2. It returns only the events after its start.
package struct TranslatedEventReader: Sendable {
    /// The result of a read.
    package struct Batch: Sendable {
        /// The events and gaps, in order.
        package fileprivate(set) var events: [TranslatedEvent] = []
        /// Whether there are no more events at present.
        package fileprivate(set) var isAtEnd = false
        /// The query that must be answered before the next read (``TranslatedEventReader/learn(_:)``).
        package fileprivate(set) var question: TranslationQuery?
    }

    private let log: EventLog
    /// The position of the first event to return; nil after it was reached.
    private var start: LogPosition?
    private var place: LogPosition
    /// The items that were read from the log but not processed yet.
    private var rest: ArraySlice<LogItem> = []
    private var translation = EventTranslation()
    private var question: TranslationQuery?

    /// Creates a reader of the events after a position.
    package init(_ log: EventLog, after start: LogPosition) {
        self.log = log
        self.start = start
        place = log.beginning
    }

    /// Returns the next events, from approximately `limit` bytes of the log.
    package mutating func nextBatch(atMost limit: Int) -> Batch {
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
                translate(event, into: &batch)
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

    private mutating func translate(_ event: StoredEvent, into batch: inout Batch) {
        _ = translation.setGeneration(event.id.generation)
        let range = event.payload
        guard range.count == event.size else {
            // OpenCode 1 sent the event, because its events have a wrapper.
            guard start == nil else { return }
            let payload = event.withLine { [UInt8](copying: $0.extracting(range)) }
            if let event = JSONParser.parse(payload).flatMap(Event.init(openCode1:)) {
                batch.events.append(.event(event))
            }
            return
        }
        let line = event.withLine { [UInt8](copying: $0) }
        switch translation.translate(line, time: UInt64(max(0, event.time))) {
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
