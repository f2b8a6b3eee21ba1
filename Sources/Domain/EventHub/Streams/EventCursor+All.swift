// SPDX-License-Identifier: Apache-2.0

extension EventCursor {
    /// Reads like ``nextBatch(_:atMost:connected:)``, but returns the events of all projects in the order of the index.
    ///
    /// - Parameters:
    ///   - log: Returns the log of a project.
    ///   - now: The time in milliseconds since 1970.
    ///
    /// The frames of an encoding follow the event that causes them. The frames that are due by the event's time precede
    /// the event's own frames. All these frames have the event's id in the index. If there are several frames, the id
    /// includes the frame's number. A timer causes no frames, so that ids increase over all projects.
    ///
    /// If a project's events are interrupted, the pending frames precede the gap and have the gap's id. A reader that
    /// joins after a gap receives the gap before the project's next event, as on the project's own stream.
    package mutating func readAll(
        _ index: EventIndex, _ encodedStreams: inout EncodedStreams, atMost limit: Int, now: Int64,
        log: (String) -> EventLog?
    ) -> EventBatch {
        find(in: index)
        var writer = FrameWriter(shape, isChunked: isChunked)
        var batch = EventBatch()
        if case .bytes(let bytes) = remainder {
            writer.writeRaw(bytes)
            batch.appendFrame(end: bytes.count, position: position, event: nil, emitted: emitted)
        }
        if let gap {
            writer.write(gap, project: nil, connected: [])
            batch.appendFrame(end: writer.bytes.count, position: position, event: nil, emitted: emitted)
        }
        var end = position
        var reading = AllReading(cursor: self, writer: writer, batch: batch)
        while reading.writer.bytes.count < limit {
            let steps = index.steps(&end, atMost: 4_096)
            guard !steps.isEmpty else {
                reading.batch.isAtEnd = true
                break
            }
            for step in steps { reading.process(step, encodedStreams: &encodedStreams, at: now, log: log) }
        }
        reading.finish()
        selector = reading.selector
        gaps = reading.gaps
        batch = reading.batch
        batch.end = end
        batch.bytes = reading.writer.bytes
        if isEncoded { batch.emitted = reading.before.last ?? emitted }
        if case .again(let sent, let size) = remainder { batch.dropSent(sent, size: size) }
        return batch
    }

    /// Finds the position at which the cursor starts.
    private mutating func find(in index: EventIndex) {
        var joins = true
        defer {
            if !hasBegun, joins { joined = position.last }
            start = .now
            hasBegun = true
            // The position may not belong to a frame. All events before the position count as sent.
            if isEncoded, emitted == nil { emitted = position.last }
        }
        switch start {
        case .now: break
        case .after(let id):
            joins = false
            if isEncoded, id.frame > 0, let before = index.position(before: id) {
                position = before
                emitted = id
            } else {
                seek(index.position(after: id))
            }
        case .time(let time): seek(since: index.position(since: time))
        case .unknown: gap = EventGap(.unknownID, from: nil, to: nil)
        }
    }
}

/// A single read of the events of all projects.
private struct AllReading {
    /// A frame that may wait to be merged with adjacent frames.
    private struct Pending {
        let event: StoredEvent
        let project: String
        let position: LogPosition
    }

    let cursor: EventCursor
    /// The cursor's selector, which adds child sessions during the read.
    var selector: EventSelector
    /// The cursor's gaps, which change during the read.
    var gaps: [String: EventID]
    var writer: FrameWriter
    var batch: EventBatch
    /// The position before the next step.
    private(set) var before: LogPosition
    private var positions: [String: LogPosition] = [:]
    private var merger = DeltaMerger()
    private var pending: [EventID: Pending] = [:]
    /// The projects whose most recent entries refer to events that are no longer kept.
    private var missing: Set<String> = []

    init(cursor: EventCursor, writer: FrameWriter, batch: EventBatch) {
        self.cursor = cursor
        self.writer = writer
        self.batch = batch
        selector = cursor.selector
        gaps = cursor.gaps
        before = cursor.position
    }

    mutating func process(
        _ step: EventIndex.Step, encodedStreams: inout EncodedStreams, at now: Int64, log: (String) -> EventLog?
    ) {
        defer { before = step.after }
        switch step.item {
        case .gap(let gap):
            finish()
            writer.write(gap, project: nil, connected: [])
            appendFrame(step)
        case .projectGap(_, let project, _, _) where !selector.admits(project: project): appendFrame(step)
        case .entry(let entry) where !selector.admits(project: entry.project): appendFrame(step)
        case .projectGap(let id, let project, let json, let ended):
            finish()
            if cursor.joined != nil, gaps[project] == nil { gaps[project] = id }
            var frameID = id
            if let ended, let log = log(project) {
                frameID.frame = emit(
                    encodedStreams.frames(cursor.encoding, endedAfter: ended, log, now: now), at: id, of: project)
            }
            // If the frames before the gap have numbers, the gap receives the next number, so that ids increase.
            if frameID.frame > 0 { frameID.frame += 1 }
            if emitsGaps, !isEmitted(frameID) { writer.write(gap: json, id: frameID) }
            appendFrame(step, emitted: frameID)
        case .entry(let entry):
            guard let log = log(entry.project), let event = log.event(entry.event, &positions[entry.project]) else {
                if missing.insert(entry.project).inserted {
                    finish()
                    if let log = log(entry.project) {
                        let frames = encodedStreams.frames(
                            cursor.encoding, endedAfter: entry.event.before, log, now: now)
                        _ = emit(frames, at: entry.id, of: entry.project)
                    }
                    emitMissing(of: entry.project)
                }
                return appendFrame(step)
            }
            missing.remove(entry.project)
            guard cursor.isEncoded else {
                if selector.admits(event) { writer.write(event, id: entry.id, project: entry.project) }
                return appendFrame(step)
            }
            let result = encodedStreams.frames(cursor.encoding, of: event, log, now: now)
            if let gap = result.gap { emitOnce(gap, before: entry) }
            emit(entry, event: event, frames: result.frames, after: step.after)
        }
    }

    private mutating func appendFrame(_ step: EventIndex.Step, emitted: EventID? = nil) {
        batch.appendFrame(
            end: writer.bytes.count, position: step.after, event: nil,
            emitted: cursor.isEncoded ? emitted ?? step.after.last : nil,
            isMadeAgain: true)
    }

    /// Whether the client receives gaps. A client that selects sessions receives no gaps.
    private var emitsGaps: Bool { selector.admitsAll || selector.sessions == nil }

    private func isEmitted(_ id: EventID) -> Bool { cursor.emitted.map { id <= $0 && id.isOfEvent($0) } ?? false }

    /// Writes the gap before a project's event if the client joined after the gap.
    private mutating func emitOnce(_ gap: EventGap, before entry: EventIndex.Entry) {
        guard emitsGaps, cursor.joined != nil, gaps[entry.project].map({ $0 > entry.id }) ?? true,
            var frameID = before.last
        else { return }
        // The gap follows all frames of the preceding event and has no id of its own. Therefore, record the gap under
        // the greatest frame number.
        frameID.frame = .max
        guard cursor.emitted != frameID else { return }
        finish()
        writer.write(gap, project: entry.project, connected: [])
        batch.appendFrame(end: writer.bytes.count, position: before, event: nil, emitted: frameID, isMadeAgain: true)
    }

    /// Sends the pending frames of a project whose events were interrupted. The frames have the given id, with frame
    /// numbers. Returns the number of frames.
    private mutating func emit(
        _ frames: [(EncodedFrame, of: StoredEvent)], at id: EventID, of project: String
    ) -> UInt32 {
        for (number, (frame, event)) in frames.enumerated() {
            var id = id
            id.frame = UInt32(number) + 1
            guard !isEmitted(id), selector.admits(frame.made?.skeleton ?? event.skeleton) else { continue }
            pending[id] = Pending(event: event, project: project, position: before)
            write(EncodedFrame(id: id, made: frame.made))
        }
        return UInt32(frames.count)
    }

    /// Sends the frames that were made from an event, except for the frames that were already sent.
    private mutating func emit(
        _ entry: EventIndex.Entry, event: StoredEvent, frames: [EncodedFrame], after: LogPosition
    ) {
        for (number, frame) in frames.enumerated() {
            var id = entry.id
            if frames.count > 1 { id.frame = UInt32(number) + 1 }
            let skeleton = frame.made?.skeleton ?? event.skeleton
            guard !isEmitted(id), selector.admits(skeleton) else { continue }
            // A client that received only some of the frames must continue before the event.
            let position = number + 1 < frames.count ? before : after
            pending[id] = Pending(event: event, project: entry.project, position: position)
            let named = EncodedFrame(id: id, made: frame.made)
            guard cursor.maxRate != nil else {
                write(named)
                continue
            }
            let range = event.payload
            let ready =
                frame.made.map { merger.merge(named, skeleton, payload: $0.payload.span) }
                ?? event.withLine { merger.merge(named, skeleton, payload: $0.extracting(range)) }
            for frame in ready { write(frame) }
        }
    }

    /// Reports missing events of a project. The index can contain entries for a busy project's events that are no
    /// longer kept. A client that reconnects in the middle of the missing events receives the report again.
    private mutating func emitMissing(of project: String) {
        guard emitsGaps else { return }
        writer.write(EventGap(.retention, from: nil, to: nil), project: project, connected: [])
    }

    /// Sends the frames that wait to be merged with adjacent frames.
    mutating func finish() {
        for frame in merger.finish() { write(frame) }
    }

    private mutating func write(_ frame: EncodedFrame) {
        guard let waited = pending.removeValue(forKey: frame.id) else { return }
        if let made = frame.made {
            writer.write(frame.id, made, of: waited.event, project: waited.project)
        } else {
            writer.write(waited.event, id: frame.id, project: waited.project)
        }
        batch.appendFrame(
            end: writer.bytes.count, position: waited.position, event: nil, emitted: frame.id,
            isMadeAgain: cursor.maxRate == nil)
    }
}
