// SPDX-License-Identifier: Apache-2.0

internal import Dialects
import Encodings
package import OpenCodeFamilies

/// Makes frames in OpenCode 1's format and one encoding from a project's events, regardless of the version of OpenCode
/// that sent the events.
///
/// An event's frames depend on the preceding events and on the results of the queries about their sessions. No query is
/// needed for a session whose beginning is among the events. For any other session, the instance returns the present
/// state. The translation reverts the state to the time of the event that caused the query.
package struct TranslatedEncoding: Sendable {
    /// The frames for an event, or the query whose result is needed first.
    package struct EncodingResult: Sendable {
        /// The frames to send now, in order.
        package var frames: [EncodedFrame] = []
        /// The query whose result is needed first. Pass the event again after ``resume(_:_:before:time:)``.
        package var query: TranslationQuery?
    }

    private var state: EncodingState
    private var counter = FrameCounter()
    private var translation = EventTranslation()

    /// Creates an encoding without sessions.
    package init(_ encoding: EventEncoding) { state = EncodingState(encoding: encoding) }

    /// The earliest time at which ``due(now:)`` returns frames, in milliseconds since 1970; nil if nothing is pending.
    package var deadline: UInt64? { state.deadline }

    /// Returns the frames that are due by `now`, in milliseconds since 1970.
    package mutating func due(now: UInt64) -> [EncodedFrame] { numbered(state.due(now: now)) }

    /// Handles missing events. Returns the pending frames and forgets all sessions.
    package mutating func interrupt() -> [EncodedFrame] {
        translation.interrupt()
        return numbered(state.interrupt())
    }

    /// Encodes the next event.
    ///
    /// - Parameters:
    ///   - id: The id of the event.
    ///   - time: The recorded time of the event, in milliseconds since 1970.
    ///   - skeleton: The skeleton of the event.
    ///   - line: The data line of the event.
    ///   - payload: The range of the event's own JSON in the line.
    package mutating func encode(
        id: EventID, time: UInt64, skeleton: EventSkeleton, line: borrowing Span<UInt8>, payload: Range<Int>
    ) -> EncodingResult {
        var outcome = EncodingResult()
        if translation.setGeneration(id.generation) { outcome.frames = numbered(state.interrupt()) }
        // Frames that were due by the event's time belong to the previous event. Therefore, these frames precede the
        // event's own frames.
        outcome.frames += due(now: time)
        guard payload.count == line.count else {
            // Only OpenCode 1 sends events with a wrapper, so the event needs no translation.
            counter.reset(id)
            emit(
                EncodedFrame.Made(skeleton, payload: [UInt8](copying: line.extracting(payload))), id: id, time: time,
                into: &outcome)
            return outcome
        }
        switch translation.translate([UInt8](copying: line), time: time) {
        case .query(let query): outcome.query = query
        case .frames(let frames):
            counter.reset(id)
            let end = frames.lastIndex(where: \.isIdle)
            for (index, frame) in frames.enumerated() {
                guard let made = frame.bytes() else { continue }
                var skeleton = EventSkeleton(line: made.span, family: .one)
                skeleton.directory = frame.directory.map { Array($0.utf8) }
                var translated = EncodedFrame.Made(skeleton, payload: made)
                translated.endsTurn = index == end
                translated.completesTurn = end.map { $0 < index } ?? false && skeleton.type == Self.idle
                emit(translated, id: id, time: time, into: &outcome)
                if skeleton.isDispose, let directory = frame.directory { translation.forget(directory: directory) }
            }
        }
        return outcome
    }

    /// Processes the result of a query.
    ///
    /// - Parameters:
    ///   - event: The line of the event that waits for the result.
    ///   - time: The time at which the event that waits for the result was recorded.
    package mutating func resume(
        _ query: TranslationQuery, _ answer: TranslationAnswer, before event: [UInt8], time: UInt64
    ) {
        translation.resume(query, answer, before: event, time: time)
    }

    /// Returns the OpenCode 1 event that reports the beginning of a stream, translated from the corresponding OpenCode
    /// 2 event.
    package static func connected(of line: [UInt8]) -> [UInt8]? {
        var translator = StreamTranslator(InstanceDefaults(version: ""))
        guard case .frames(let frames) = translator.translate(line) else { return nil }
        return frames.first?.bytes()
    }

    /// Adds the frames that the encoding makes from a translated event.
    private mutating func emit(
        _ event: EncodedFrame.Made, id: EventID, time: UInt64, into outcome: inout EncodingResult
    ) {
        var translated = event
        translated.isTranslated = true
        guard state.encoding != .raw else {
            if let frame = counter.frame(translated) { outcome.frames.append(frame) }
            return
        }
        for frame in state.encode(id: id, time: time, skeleton: event.skeleton, payload: event.payload.span) {
            guard frame.made == nil else {
                if let frame = numbered(frame) { outcome.frames.append(frame) }
                continue
            }
            if let frame = counter.frame(translated) { outcome.frames.append(frame) }
        }
    }

    /// Returns the encoding's frames with the frame numbers of this stream.
    private mutating func numbered(_ frames: [EncodedFrame]) -> [EncodedFrame] {
        var all: [EncodedFrame] = []
        for frame in frames { if let frame = numbered(frame) { all.append(frame) } }
        return all
    }

    private mutating func numbered(_ frame: EncodedFrame) -> EncodedFrame? {
        guard var made = frame.made else { return nil }
        made.isTranslated = true
        return counter.frame(made)
    }

    private static let idle = Array("session.idle".utf8)
}
