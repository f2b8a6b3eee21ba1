// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies

/// A client's position in one instance's events, with the client's selection of events. The cursor is a value that
/// moves between the client's loop and the thread that reads logs. The gateway keeps no other state for a client's
/// stream, even if the client is slow.
package struct EventCursor: Sendable {
    /// The position at which a cursor starts in a log.
    package enum Start: Sendable, Equatable {
        /// The cursor starts with the events that are received from now on.
        case now
        /// The cursor starts after this event, or after this frame of an event.
        case after(EventID)
        /// The cursor starts with the first event at or after this time, in milliseconds since 1970.
        case time(Int64)
        /// The client sent a value that is not an id. The client receives a gap, then the events from now on.
        case unknown
    }

    /// The unsent part of a partly sent frame.
    package enum Remainder: Sendable {
        case nothing
        /// The remaining bytes of the frame.
        case bytes([UInt8])
        /// The event's frame, of which the first `sent` bytes were sent. The frame is made again from the event.
        case event(StoredEvent, sent: Int)
        /// The next frame, of which the first `sent` bytes were sent. The frame is made again, and must have this size.
        case again(sent: Int, size: Int)
    }

    /// The maximum size in bytes of a remainder that the cursor stores. A larger remainder is made again if possible.
    static let largestKeptRemainder = 2_048

    /// The project's name; empty if the cursor reads the events of all projects.
    package let project: String
    /// The format of events in the stream.
    package let shape: EventShape
    /// Whether each frame is a chunk (RFC 9112 §7.1).
    package let isChunked: Bool
    /// The client's selection of events.
    package var selector: EventSelector
    /// The encoding of texts that the model is still writing.
    package var encoding = EventEncoding.raw
    /// Whether the client receives all events in the format of OpenCode 1's API.
    package var isOpenCode1Compatible = false
    /// The maximum number of updates of a text per second; nil means that the rate is not limited. If the value is set,
    /// adjacent deltas are merged.
    package var maxRate: Int?
    /// The last frame that was sent, if the cursor encodes events (``isEncoded``).
    var emitted: EventID?
    /// In a translated stream, the last `session.idle` frame at the end of a turn that the cursor has read.
    var scannedTurnEnd: EventID?
    /// The event after which the cursor started. The client receives none of the event's frames.
    private(set) var begun: EventID?
    var hasBegun = false
    /// The last event of all projects when the client opened the stream without an event id; nil if the client
    /// continues after an event.
    var joined: EventID?
    /// For each project, the first gap that the cursor has passed since the client opened the stream.
    var gaps: [String: EventID] = [:]
    /// The last event to send; nil if the stream has no end.
    package var until: EventID?
    var start: Start
    var position: LogPosition
    var remainder = Remainder.nothing
    /// A gap that is sent before all events.
    var gap: EventGap?

    /// Creates a cursor.
    ///
    /// - Parameter now: The position at the end of the log.
    package init(
        _ start: Start, now: LogPosition, project: String, shape: EventShape, isChunked: Bool, selector: EventSelector
    ) {
        self.project = project
        self.shape = shape
        self.isChunked = isChunked
        self.selector = selector
        self.start = start
        position = now
    }

    /// The position after all processed events.
    package var logPosition: LogPosition { position }

    /// Moves to a position. All events before the position must have been sent. Use this method only if frames are
    /// copied unchanged.
    package mutating func seek(to target: LogPosition) { position = target }

    /// The last event before the position; nil if there is none, or if the cursor has not found its start yet.
    package var last: EventID? {
        guard case .now = start else { return nil }
        return isEncoded ? emitted : position.last
    }

    /// The last frame that the client has received, if the cursor encodes events. All frames of the event after which
    /// the cursor started count as received.
    package var lastFrame: EventID? {
        guard let emitted, emitted.frame == 0, emitted.isOfEvent(begun) else { return emitted }
        return begun
    }

    /// The last `session.idle` frame at the end of a turn that was sent or omitted; nil if the cursor has not reached
    /// such a frame.
    package var lastTurnEnd: EventID? {
        scannedTurnEnd.flatMap { end in emitted.map { end <= $0 } ?? false ? end : nil }
    }

    /// The start of the cursor. The value is `now` after the cursor has found its position.
    package var begins: Start { start }

    /// Whether the client receives encoded frames. If the value is false, the client receives the instance's frames
    /// unchanged.
    package var isEncoded: Bool { encoding != .raw || maxRate != nil || isOpenCode1Compatible }

    /// Whether all frames before the position were sent, so that the client can continue with new events.
    package var isSettled: Bool {
        guard case .nothing = remainder, start == .now, gap == nil else { return false }
        return true
    }

    /// Whether every frame that was sent is complete. The value is false while a frame is partly sent.
    package var isBetweenFrames: Bool { if case .nothing = remainder { true } else { false } }

    /// Whether the last event of the stream was sent.
    package var isFinished: Bool {
        guard let until, let last, isSettled else { return false }
        return last >= until
    }

    // MARK: Reading

    /// Returns approximately the next `limit` bytes for the client.
    ///
    /// - Parameter connected: The frame that OpenCode's clients receive after a gap.
    package mutating func nextBatch(_ log: EventLog, atMost limit: Int, connected: [UInt8]) -> EventBatch {
        find(in: log)
        var writer = FrameWriter(shape, isChunked: isChunked)
        var batch = EventBatch()
        switch remainder {
        case .nothing: break
        case .bytes(let bytes): writer.writeRaw(bytes)
        case .again: break
        case .event(let event, let sent):
            var again = FrameWriter(shape, isChunked: isChunked)
            again.write(event)
            writer.writeRaw(Array(again.bytes.dropFirst(sent)))
        }
        if case .nothing = remainder {
        } else {
            batch.appendFrame(end: writer.bytes.count, position: position, event: nil)
        }
        if let gap {
            writer.write(gap, project: project, connected: connected)
            batch.appendFrame(end: writer.bytes.count, position: position, event: nil)
        }
        var end = position
        batch.isAtEnd = false
        while writer.bytes.count < limit, !isBeyondEnd(end) {
            let items = log.next(&end, atMost: limit - writer.bytes.count)
            guard !items.isEmpty else {
                batch.isAtEnd = true
                break
            }
            add(items, upTo: end, to: &writer, batch: &batch, connected: connected)
        }
        batch.end = end
        batch.bytes = writer.bytes
        return batch
    }

    /// Returns the bytes for items that were already read. The first item must be at the cursor's position.
    package mutating func write(_ items: [LogItem], upTo end: LogPosition, connected: [UInt8]) -> EventBatch {
        var writer = FrameWriter(shape, isChunked: isChunked)
        var batch = EventBatch()
        add(items, upTo: end, to: &writer, batch: &batch, connected: connected)
        batch.isAtEnd = true
        batch.end = end
        batch.bytes = writer.bytes
        return batch
    }

    private mutating func add(
        _ items: [LogItem], upTo end: LogPosition, to writer: inout FrameWriter, batch: inout EventBatch,
        connected: [UInt8]
    ) {
        for item in items {
            switch item {
            case .event(let event):
                if let until, event.id > until { return }
                guard selector.admits(event) else { continue }
                writer.write(event)
                batch.appendFrame(end: writer.bytes.count, position: event.after, event: event)
            case .gap(let gap, _):
                writer.write(gap, project: project, connected: connected)
                batch.appendFrame(end: writer.bytes.count, position: item.after, event: nil)
            }
        }
    }

    private func isBeyondEnd(_ other: LogPosition) -> Bool {
        guard let until, let last = other.last else { return false }
        return last >= until
    }

    /// Finds the position at which the cursor starts.
    mutating func find(in log: EventLog) {
        defer {
            if !hasBegun, let emitted, emitted.frame == 0 {
                begun = EventID(generation: emitted.generation, sequence: emitted.sequence, frame: .max)
            }
            hasBegun = true
            start = .now
        }
        switch start {
        case .now: if emitted == nil { emitted = position.last }
        case .after(let id):
            seek(log.position(after: id))
            // The id may be the id of a frame that was made from the event, so keep the id unchanged.
            if case .none = gap { emitted = id } else { emitted = position.last }
        case .time(let time):
            seek(since: log.position(since: time))
            emitted = position.last
        case .unknown:
            emitted = position.last
            gap = EventGap(.unknownID, from: nil, to: nil)
        }
    }

    /// Sets the position for a time. For a time in the future, sets the position to the end of the log at the time of
    /// the request.
    mutating func seek(since search: LogSearch) {
        let requested = position
        seek(search)
        if let last = position.last, requested.last.map({ last > $0 }) ?? true { position = requested }
    }

    mutating func seek(_ search: LogSearch) {
        switch search {
        case .position(let target): position = target
        case .gap(let found, let target):
            gap = found
            position = target
        }
    }

    // MARK: Sending

    /// Records that the client has received this many bytes of the batch.
    package mutating func sent(_ count: Int, of batch: EventBatch) {
        guard count < batch.bytes.count else {
            remainder = .nothing
            gap = nil
            position = batch.end ?? position
            emitted = batch.emitted ?? emitted
            return
        }
        var whole = 0
        var after: LogPosition?
        for frame in batch.frameEnds {
            guard frame.end > count else {
                whole = frame.end
                after = frame.position ?? after
                emitted = frame.emitted ?? emitted
                gap = nil
                remainder = .nothing
                continue
            }
            if let after { position = after }
            guard count > whole else { return }
            let unsent = frame.end - count
            if unsent > Self.largestKeptRemainder, let event = frame.event {
                remainder = .event(event, sent: frame.base + count - whole)
            } else if unsent > Self.largestKeptRemainder, frame.isMadeAgain {
                remainder = .again(sent: frame.base + count - whole, size: frame.base + frame.end - whole)
                return
            } else {
                remainder = .bytes(Array(batch.bytes[count..<frame.end]))
            }
            gap = nil
            position = frame.position ?? position
            emitted = frame.emitted ?? emitted
            return
        }
    }
}
