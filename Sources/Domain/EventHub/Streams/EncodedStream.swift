// SPDX-License-Identifier: Apache-2.0

import Encodings
internal import OpenCodeFamilies

/// The way in which a project's events are encoded if they are not copied unchanged.
package struct EncodingKind: Sendable, Hashable {
    /// The encoding of texts that the model is still writing.
    var encoding: EventEncoding
    /// Whether the events use OpenCode 1's API, regardless of the version of OpenCode that the instance runs.
    var isOpenCode1Compatible: Bool
}

/// An encoding of one log's events, frame by frame. The stream keeps the latest frames, so that events near the end of
/// the log are encoded only once for all readers.
package struct EncodedStream: Sendable {
    /// A step of the stream: a frame or a gap.
    package enum Step: Sendable {
        case frame(EncodedFrame, of: StoredEvent)
        case gap(EventGap)
    }

    private struct SentStep: Sendable {
        let step: Step
        /// The id of the frame or gap.
        let id: EventID
        let size: Int
        /// The event or gap that caused the step. An event also causes the steps that were due by the event's time. The
        /// value is nil if a timer caused the step and no event or gap has followed yet.
        var cause: EventID?
        /// The event that follows the step, if the step is a gap.
        var nextEvent: EventID?
    }

    /// The frames that an event caused.
    struct EventFrames {
        /// The gap directly before the event.
        var gap: EventGap?
        var frames: [EncodedFrame] = []
    }

    /// The maximum total size in bytes and the maximum number of the kept frames.
    private static let mostBytes = 4 << 20
    private static let mostSteps = 8_192

    /// The kind of frames that the stream generates.
    package let kind: EncodingKind
    /// The state of the encoding. The state makes the frames if there is no `translation`.
    private var state: EncodingState
    private var translation: TranslatedEncoding?
    private var position: LogPosition
    /// The items that were read from the log but not processed yet.
    private var unprocessed: ArraySlice<LogItem> = []
    /// The query whose result the stream needs before it can continue; nil if there is none.
    package private(set) var query: TranslationQuery?
    /// The last event that was processed.
    private(set) var reached: EventID?
    private var lastEvent: StoredEvent?
    /// The last frame that is no longer stored; nil if all frames are stored.
    private var first: EventID?
    private var last: EventID?
    private var emitted: [SentStep] = []
    /// The event that is being processed; nil if there is none.
    private var cause: EventID?
    private var bytes = 0
    /// The last frame that the current reader has received. Later frames are not removed. If the value is nil, no frame
    /// is removed.
    private var reader: EventID?
    /// The size in bytes of the steps after `reader`. The count stops at the reader's limit.
    private var ahead = 0
    /// The last event of each directory. Made frames use the wrapper of this event.
    private var carriers: [[UInt8]: StoredEvent] = [:]

    /// Creates a stream that starts at the beginning of the log.
    package init(_ kind: EncodingKind, _ log: EventLog) {
        self.kind = kind
        state = EncodingState(encoding: kind.encoding)
        if kind.isOpenCode1Compatible { translation = TranslatedEncoding(kind.encoding) }
        position = log.beginning
    }

    /// Returns whether the stream still has the frames after this frame, or can make them.
    package func reaches(after id: EventID?) -> Bool {
        guard let first else { return true }
        return id.map { $0 >= first } ?? false
    }

    /// The time at which the next frame is due without another event, in milliseconds since 1970; nil if none is
    /// pending.
    package var deadline: UInt64? { translation.map(\.deadline) ?? state.deadline }

    /// The id of the last step of the stream.
    var end: EventID? { last }

    /// Returns approximately `limit` bytes of the steps after this frame, and whether the stream currently has no
    /// further steps.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package mutating func steps(after id: EventID?, _ log: EventLog, atMost limit: Int, now: Int64) -> (
        steps: [Step], ids: [EventID], isAtEnd: Bool
    ) {
        retainSteps(after: id, atMost: limit)
        var isAtEnd = false
        // Do not advance beyond the limit, because the stream would store too many frames for this reader.
        if ahead < limit { isAtEnd = advance(log, now: now, atMost: limit) }
        var steps: [Step] = []
        var ids: [EventID] = []
        var size = 0
        for emitted in emitted[firstEmitted(after: id)...] {
            guard size < limit else {
                isAtEnd = false
                break
            }
            steps.append(emitted.step)
            ids.append(emitted.id)
            size += emitted.size
        }
        return (steps, ids, isAtEnd)
    }

    /// Returns the frames that this event caused. The result is empty if the event is no longer kept or not encoded
    /// yet.
    mutating func frames(of event: StoredEvent, _ log: EventLog, now: Int64) -> EventFrames {
        while reached.map({ $0 < event.id }) ?? true {
            retainSteps(after: event.id.before, atMost: 1)
            guard !advance(log, now: now, atMost: ahead + 1), query == nil else { break }
        }
        // Steps without a cause are the last steps, because a timer caused them after the last event.
        let start = firstEmitted { $0.cause.map { $0 >= event.id } ?? true }
        let caused = emitted[start...].prefix { $0.cause == event.id }
        var result = EventFrames()
        if start > 0, emitted[start - 1].nextEvent == event.id, case .gap(let gap) = emitted[start - 1].step {
            result.gap = gap
        }
        result.frames = caused.compactMap { if case .frame(let frame, _) = $0.step { frame } else { nil } }
        return result
    }

    /// Returns the frames that were pending when the gap directly after this event occurred. Each frame is returned
    /// with the event whose wrapper it uses.
    mutating func frames(endedAfter id: EventID, _ log: EventLog, now: Int64) -> [(EncodedFrame, of: StoredEvent)] {
        while gap(after: id) == nil, reached.map({ $0 <= id }) ?? true {
            retainSteps(after: id, atMost: 1)
            guard !advance(log, now: now, atMost: ahead + 1), query == nil else { break }
        }
        guard let gap = gap(after: id) else { return [] }
        return emitted[firstEmitted(after: id)...].prefix { $0.id != gap }.compactMap {
            guard $0.cause == gap, case .frame(let frame, let event) = $0.step else { return nil }
            return (frame, of: event)
        }
    }

    /// Returns the id of the first gap directly after this event; nil if no such gap is known.
    private func gap(after id: EventID) -> EventID? {
        emitted[firstEmitted(after: id)...].prefix { $0.id.isOfEvent(id) }
            .first { if case .gap = $0.step { true } else { false } }?.id
    }

    /// Counts the bytes of the steps after this frame, up to the limit, and protects these steps from removal.
    private mutating func retainSteps(after id: EventID?, atMost limit: Int) {
        reader = id
        ahead = 0
        for emitted in emitted[firstEmitted(after: id)...] {
            ahead += emitted.size
            guard ahead < limit else { return }
        }
    }

    private func firstEmitted(after id: EventID?) -> Int { id.map { id in firstEmitted { $0.id > id } } ?? 0 }

    /// Returns the index of the first step that satisfies `isAfter`. The search can be binary, because both the steps'
    /// ids and the ids of the steps' causes increase.
    private func firstEmitted(where isAfter: (SentStep) -> Bool) -> Int {
        var low = 0
        var high = emitted.count
        while low < high {
            let middle = (low + high) / 2
            if isAfter(emitted[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Processes the result of a query. Does nothing if the stream does not wait for this query.
    mutating func resume(_ answered: TranslationQuery, _ answer: TranslationAnswer) {
        guard query == answered else { return }
        query = nil
        guard case .event(let event)? = unprocessed.first else { return }
        let line = event.withLine { [UInt8](copying: $0) }
        translation?.resume(answered, answer, before: line, time: UInt64(max(0, event.time)))
    }

    /// Advances in the log, and returns true at the end of the log. The method also stops at an event that needs a
    /// query, after 2 MiB, or as soon as `limit` bytes are available to the reader.
    private mutating func advance(_ log: EventLog, now: Int64, atMost limit: Int) -> Bool {
        var size = 0
        while size < Self.mostBytes / 2, ahead < limit {
            guard query == nil else { return false }
            if unprocessed.isEmpty { unprocessed = log.next(&position, atMost: 256 * 1024)[...] }
            guard let item = unprocessed.first else {
                // Events that the gateway received more than 20 ms ago are in the log by now. The frames that were due
                // by then can therefore be emitted.
                let time = UInt64(max(0, now - 20))
                emit(translation?.due(now: time) ?? state.due(now: time))
                return true
            }
            size += process(item)
            if query != nil { return false }
            unprocessed.removeFirst()
            // An empty slice still retains its items, so replace it to release their memory.
            if unprocessed.isEmpty { unprocessed = [] }
        }
        return false
    }

    private mutating func process(_ item: LogItem) -> Int {
        switch item {
        case .gap(let gap, _):
            emit(translation?.interrupt() ?? state.interrupt())
            let id = gapID
            keep(.gap(gap), id: id, size: 128)
            attributeSteps(id)
            return 128
        case .event(let event):
            cause = event.id
            attributeSteps(event.id)
            if case .gap? = emitted.last?.step, emitted[emitted.count - 1].nextEvent == nil {
                emitted[emitted.count - 1].nextEvent = event.id
            }
            if translation == nil { emit(encoded(event), event) } else { translate(event) }
            cause = nil
            if query == nil { reached = event.id }
            return event.size
        }
    }

    /// Attributes the preceding steps that a timer caused to this event or gap. Without the timer, the event or gap
    /// would have caused these steps.
    private mutating func attributeSteps(_ id: EventID) {
        for index in emitted.indices.reversed() {
            guard emitted[index].cause == nil else { break }
            emitted[index].cause = id
        }
    }

    /// The id of the next gap. The id is greater than the id of every processed event and frame, so that all readers
    /// receive the gap.
    private var gapID: EventID {
        let first = EventID(generation: 0, sequence: 0)
        var id = max(last ?? first, reached ?? first)
        id.frame += 1
        return id
    }

    private mutating func encoded(_ event: StoredEvent) -> [EncodedFrame] {
        let skeleton = event.skeleton
        if let directory = skeleton.directory, carriers.count < 1_000 || carriers[directory] != nil {
            carriers[directory] = event
        }
        let range = event.payload
        return event.withLine {
            state.encode(
                id: event.id, time: UInt64(max(0, event.time)), skeleton: skeleton, payload: $0.extracting(range))
        }
    }

    private mutating func translate(_ event: StoredEvent) {
        let range = event.payload
        let skeleton = event.skeleton
        let outcome = event.withLine {
            translation?.encode(
                id: event.id, time: UInt64(max(0, event.time)), skeleton: skeleton, line: $0, payload: range)
        }
        query = outcome?.query
        // Translated frames have their own wrapper, so any event can be stored with them.
        for frame in outcome?.frames ?? [] {
            keep(.frame(frame, of: lastEvent ?? event), id: frame.id, size: frame.made?.payload.count ?? 0)
        }
        lastEvent = event
    }

    private mutating func emit(_ frames: [EncodedFrame], _ event: StoredEvent? = nil) {
        for frame in frames {
            let carrier = frame.made.flatMap { $0.skeleton.directory }.flatMap { carriers[$0] } ?? event ?? lastEvent
            guard let carrier else { continue }
            keep(
                .frame(frame, of: frame.made == nil ? event ?? carrier : carrier), id: frame.id,
                size: frame.made?.payload.count ?? carrier.size)
        }
    }

    private mutating func keep(_ step: Step, id: EventID, size: Int) {
        emitted.append(SentStep(step: step, id: id, size: size, cause: cause))
        last = id
        bytes += size
        if reader.map({ id > $0 }) ?? true { ahead += size }
        guard bytes > Self.mostBytes || emitted.count > Self.mostSteps else { return }
        // Remove the older half, except for the frames that the current reader has not received.
        let half = min(max(1, emitted.count / 2), firstEmitted(after: reader))
        guard half > 0 else { return }
        first = emitted[half - 1].id
        bytes -= emitted[..<half].reduce(0) { $0 + $1.size }
        emitted.removeFirst(half)
    }
}

/// The most recently used encoded streams.
package struct EncodedStreams: Sendable {
    private struct Kept {
        let log: ObjectIdentifier
        var stream: EncodedStream
    }

    private static let most = 16
    private var kept: [Kept] = []

    /// Creates a collection without any streams.
    package init() {}

    /// Calls `body` with a stream of this kind that can provide the frames after `id`. If several streams can provide
    /// them, the most advanced stream is used, so that slower readers keep their own stream.
    mutating func withStream<Result>(
        _ kind: EncodingKind, of log: EventLog, after id: EventID?, _ body: (inout EncodedStream) -> Result
    ) -> Result {
        let name = ObjectIdentifier(log)
        let start = EventID(generation: 0, sequence: 0)
        let index = kept.indices
            .filter { kept[$0].log == name && kept[$0].stream.kind == kind && kept[$0].stream.reaches(after: id) }
            .max { kept[$0].stream.end ?? start < kept[$1].stream.end ?? start }
        var entry = index.map { kept.remove(at: $0) } ?? Kept(log: name, stream: EncodedStream(kind, log))
        defer {
            kept.append(entry)
            if kept.count > Self.most { kept.removeFirst() }
        }
        return body(&entry.stream)
    }

    /// Returns the frames that an event causes in this encoding, in order.
    mutating func frames(
        _ encoding: EventEncoding, of event: StoredEvent, _ log: EventLog, now: Int64
    ) -> EncodedStream.EventFrames {
        guard encoding != .raw else { return EncodedStream.EventFrames(frames: [EncodedFrame(id: event.id)]) }
        return withStream(
            EncodingKind(encoding: encoding, isOpenCode1Compatible: false), of: log, after: event.id.before
        ) {
            $0.frames(of: event, log, now: now)
        }
    }

    /// Returns the frames of one encoding that were pending when events after this event were lost.
    mutating func frames(
        _ encoding: EventEncoding, endedAfter id: EventID, _ log: EventLog, now: Int64
    ) -> [(EncodedFrame, of: StoredEvent)] {
        guard encoding != .raw else { return [] }
        return withStream(EncodingKind(encoding: encoding, isOpenCode1Compatible: false), of: log, after: id) {
            $0.frames(endedAfter: id, log, now: now)
        }
    }

    /// Passes the result of a query to all streams of this log.
    package mutating func resume(for log: EventLog, query: TranslationQuery, answer: TranslationAnswer) {
        let name = ObjectIdentifier(log)
        for index in kept.indices where kept[index].log == name { kept[index].stream.resume(query, answer) }
    }
}

extension EventID {
    /// The id of the preceding event. The frames that are due before this event have that id and a frame number.
    var before: EventID {
        var before = self
        before.sequence -= min(1, before.sequence)
        return before
    }
}
