// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// The state of one encoding for all sessions of a project. The state converts the project's events to frames, one
/// event after the other.
///
/// The frames depend only on the events and their recorded times. A timer may call ``due(now:)`` before the next event
/// arrives. These calls do not change the frames, because ``encode(id:time:skeleton:payload:)`` first returns the
/// frames that are due by the event's time. Always pass the times recorded with the events. Do not pass a time to
/// ``due(now:)`` if an event with an earlier time may follow.
///
/// A state can start at an event of a session at which no part is incomplete (``TurnBoundary``). The state then makes
/// the same frames for that session as a state that received all events. A state keeps at most 256 parts with at most 4
/// MiB of text in memory. Beyond this limit, the state forgets the parts that have not changed for the longest time.
/// The events of forgotten parts, and of parts whose beginning is unknown, pass unchanged.
package struct EncodingState: Sendable {
    /// The encoding that this state produces.
    package let encoding: EventEncoding
    private var counter = FrameCounter()
    private var deltas = DeltaEncoding()
    private var full = FullEncoding()
    private var time: UInt64 = 0
    /// The sessions whose events the state has received from the beginning of a turn on.
    package private(set) var turns = TurnBeginnings()

    /// Creates a state without parts.
    package init(encoding: EventEncoding) { self.encoding = encoding }

    /// The earliest time at which ``due(now:)`` returns frames, in milliseconds since 1970; nil if nothing is pending.
    package var deadline: UInt64? { full.deadline }

    /// Encodes the next event, and returns the frames to send now, in order.
    ///
    /// - Parameters:
    ///   - time: The time at which the event was recorded, in milliseconds since 1970.
    ///   - payload: The event's own JSON.
    package mutating func encode(
        id: EventID, time: UInt64, skeleton: EventSkeleton, payload: borrowing Span<UInt8>
    ) -> [EncodedFrame] {
        let event = EncodedFrame(id: EventID(generation: id.generation, sequence: id.sequence))
        turns.record(id: event.id, skeleton: skeleton, payload: payload)
        guard encoding != .raw else { return [event] }
        self.time = max(self.time, time)
        var frames = due(now: self.time)
        // A new run of the instance never continues the parts of the previous run. Return the pending frames of the
        // previous run's parts, and forget these parts.
        if let last = counter.last, last.generation != id.generation { frames += interrupt() }
        switch encoding {
        case .raw: break
        case .delta: frames += deltas.encode(event, skeleton: skeleton, payload: payload, counter: &counter)
        case .full:
            frames += full.encode(event, skeleton: skeleton, payload: payload, time: self.time, counter: &counter)
        }
        forgetEnded(skeleton, payload: payload)
        return frames
    }

    /// Returns the frames that are due by `now`, in milliseconds since 1970.
    package mutating func due(now: UInt64) -> [EncodedFrame] { full.due(now: now, &counter) }

    /// Handles missing events: returns the pending frames and forgets all parts.
    package mutating func interrupt() -> [EncodedFrame] {
        let frames = full.emitAll(&counter)
        deltas = DeltaEncoding()
        full = FullEncoding()
        turns = TurnBeginnings()
        return frames
    }

    /// Forgets the parts that an event completes or removes.
    private mutating func forgetEnded(_ skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        if skeleton.endsEverything {
            deltas = DeltaEncoding()
            full = FullEncoding()
        } else if let session = skeleton.session, TurnBoundary(skeleton, payload: payload) != nil {
            deltas.parts.forget { $0.session == session }
            full.parts.forget { $0.session == session }
        } else if skeleton.type.elementsEqual("message.part.removed".utf8), let part = skeleton.part {
            deltas.parts.forget(part)
            full.parts.forget(part)
        } else if skeleton.type.elementsEqual("message.removed".utf8), let message = skeleton.message {
            deltas.parts.forget { $0.message == message }
            full.parts.forget { $0.message == message }
        }
    }
}

extension EventSkeleton {
    /// Whether no part's text continues after this event.
    var endsEverything: Bool { isDispose || type.elementsEqual("global.disposed".utf8) }
}
