// SPDX-License-Identifier: Apache-2.0

internal import OpenCodeFamilies

extension EventCursor {
    /// Returns the next bytes for the client, like ``nextBatch(_:atMost:connected:)``, with frames that an encoding or
    /// a translation makes.
    ///
    /// - Parameters:
    ///   - isBlocked: A function that is called with the session and the frame of each end of a turn. If the function
    ///     returns true, the batch ends before this frame. The batch does not end if the client has selected neither
    ///     the frame nor its additional event.
    ///   - added: A function that is called with the session and the `session.idle` frame of each end of a turn. The
    ///     function returns the JSON of additional events that are not in the log (`command.executed`). Additional
    ///     events are sent with the frame and have no ids.
    package mutating func nextEncodedBatch(
        _ log: EventLog, _ encodedStreams: inout EncodedStreams, atMost limit: Int, connected: [UInt8], now: Int64,
        isBlocked: (_ session: [UInt8], _ frame: EventID) -> Bool = { _, _ in false },
        added: (_ session: [UInt8], _ frame: EventID) -> [[UInt8]] = { _, _ in [] }
    ) -> EventBatch {
        find(in: log)
        var writer = FrameWriter(shape, isChunked: isChunked)
        var batch = EventBatch()
        if case .bytes(let bytes) = remainder {
            writer.writeRaw(bytes)
            batch.appendFrame(end: bytes.count, position: nil, event: nil, emitted: emitted)
        }
        if let gap {
            writer.write(gap, project: project, connected: connected)
            batch.appendFrame(end: writer.bytes.count, position: nil, event: nil, emitted: emitted)
        }
        // The client has received all frames of the event after which the cursor started. Begin after these frames.
        let isAtBeginning = isOpenCode1Compatible && emitted?.frame == 0 && emitted?.isOfEvent(begun) ?? false
        let after = isAtBeginning ? begun : emitted
        let kind = EncodingKind(encoding: encoding, isOpenCode1Compatible: isOpenCode1Compatible)
        let (steps, ids, isAtEnd, progress) = encodedStreams.withStream(kind, of: log, after: after) { stream in
            let (steps, ids, isAtEnd) = stream.steps(after: after, log, atMost: limit, now: now)
            return (steps, ids, isAtEnd, (deadline: stream.deadline, reached: stream.reached, query: stream.query))
        }
        var merger = DeltaMerger()
        var events: [EventID: StoredEvent] = [:]
        var last = emitted
        for (step, id) in zip(steps, ids) {
            if case .frame(let frame, _) = step, let made = frame.made, made.endsTurn,
                let session = made.skeleton.session, isBlocked(session, id), admitsEnd(made.skeleton)
            {
                batch.blockedFrame = id
                break
            }
            last = id
            switch step {
            case .gap(let gap):
                for frame in merger.finish() { write(frame, events: events, to: &writer, batch: &batch) }
                writer.write(gap, project: project, connected: connected)
                batch.appendFrame(end: writer.bytes.count, position: nil, event: nil, emitted: id)
            case .frame(let frame, let event):
                if let until, frame.id.sequence > until.sequence, frame.id.generation == until.generation { break }
                let skeleton = frame.made?.skeleton ?? event.skeleton
                let isAdmitted = selector.admits(skeleton)
                if isAdmitted {
                    events[frame.id] = event
                    for frame in merged(frame, of: event, with: &merger) {
                        write(frame, events: events, to: &writer, batch: &batch)
                    }
                }
                guard frame.made?.completesTurn == true, let session = skeleton.session else { continue }
                scannedTurnEnd = id
                let more = added(session, id).filter { admitsAddition($0, to: skeleton) }
                if more.isEmpty { continue }
                for frame in merger.finish() { write(frame, events: events, to: &writer, batch: &batch) }
                for event in more { writer.write(addition: event, directory: skeleton.directory) }
                batch.extendLastFrame(writer.bytes.count, emitted: id, isWithLast: isAdmitted)
            }
        }
        for frame in merger.finish() { write(frame, events: events, to: &writer, batch: &batch) }
        batch.isAtEnd = isAtEnd || batch.blockedFrame != nil
        batch.emitted = last
        // Events without frames also advance the position, so that they are not read again.
        if isAtEnd, batch.blockedFrame == nil, let reached = progress.reached {
            batch.emitted = max(batch.emitted ?? reached, reached)
        }
        batch.query = steps.isEmpty ? progress.query : nil
        batch.deadline = isAtEnd && batch.blockedFrame == nil ? progress.deadline.map { Int64($0) + 21 } : nil
        batch.bytes = writer.bytes
        if case .again(let sent, let size) = remainder { batch.dropSent(sent, size: size) }
        return batch
    }

    private func write(
        _ frame: EncodedFrame, events: [EventID: StoredEvent], to writer: inout FrameWriter,
        batch: inout EventBatch
    ) {
        guard let event = events[frame.id] else { return }
        if let made = frame.made { writer.write(frame.id, made, of: event) } else { writer.write(event) }
        batch.appendFrame(
            end: writer.bytes.count, position: nil, event: nil, emitted: frame.id, isMadeAgain: maxRate == nil)
    }

    /// Adds a frame, and returns the frames that can be sent now.
    private func merged(
        _ frame: EncodedFrame, of event: StoredEvent, with merger: inout DeltaMerger
    ) -> [EncodedFrame] {
        guard maxRate != nil else { return [frame] }
        let range = event.payload
        if let made = frame.made { return merger.merge(frame, made.skeleton, payload: made.payload.span) }
        return event.withLine { merger.merge(frame, event.skeleton, payload: $0.extracting(range)) }
    }

    /// Returns whether the client has selected the frame at the end of a turn, or an event that may be added to the
    /// frame.
    private mutating func admitsEnd(_ skeleton: EventSkeleton) -> Bool {
        if selector.admits(skeleton) { return true }
        var addition = skeleton
        addition.type = Self.commandExecuted
        return sendsAdditions && selector.admits(addition)
    }

    /// Returns whether the client has selected an event that would be added to a frame.
    private mutating func admitsAddition(_ event: [UInt8], to frame: EventSkeleton) -> Bool {
        var skeleton = EventSkeleton(line: event.span, family: .one)
        skeleton.directory = frame.directory
        return sendsAdditions && selector.admits(skeleton)
    }

    /// Whether events without ids are sent. A page contains only events with ids.
    private var sendsAdditions: Bool {
        switch shape {
        case .item, .allItems: false
        case .line, .payload, .project, .all: true
        }
    }

    private static let commandExecuted = Array("command.executed".utf8)
}
