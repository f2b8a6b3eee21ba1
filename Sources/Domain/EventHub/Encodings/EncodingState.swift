// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// The state of one encoding of a project's events, for all sessions of the project. It makes the frames of the next
/// event.
///
/// The frames depend only on the events and their times. It makes no difference whether a timer calls ``due(now:)``
/// before the next event arrives, because the frames that were due by the time of that event precede its own frames.
/// The times must therefore be those recorded with the events, and ``due(now:)`` must not receive a time before which
/// more events will be recorded.
///
/// A state can start at an event of a session at which no part was growing (``TurnBoundary``). It then makes the same
/// frames of that session as a state that received all events. It keeps at most 256 parts with at most 4 MiB of text in
/// memory. Beyond that limit, the parts that have not changed for the longest time pass unchanged, as does every part
/// whose beginning is unknown.
package struct EncodingState: Sendable {
    /// The encoding that this state produces.
    package let encoding: EventEncoding
    private var counter = FrameCounter()
    private var deltas = DeltaEncoding()
    private var full = FullEncoding()
    private var time: UInt64 = 0
    /// The sessions whose turns have been followed from their beginning.
    package private(set) var turns = TurnBeginnings()

    /// Creates a state that knows no parts.
    package init(encoding: EventEncoding) { self.encoding = encoding }

    /// The time at which ``due(now:)`` will return frames, in milliseconds since 1970; nil if nothing is pending.
    package var deadline: UInt64? { full.deadline }

    /// Encodes the next event, given as its id, the time at which it was recorded (milliseconds since 1970) and its own
    /// JSON. Returns the frames to send now, in order.
    package mutating func encode(
        id: EventID, time: UInt64, skeleton: EventSkeleton, payload: borrowing Span<UInt8>
    ) -> [EncodedFrame] {
        let event = EncodedFrame(id: EventID(generation: id.generation, sequence: id.sequence))
        turns.record(id: event.id, skeleton: skeleton, payload: payload)
        guard encoding != .raw else { return [event] }
        self.time = max(self.time, time)
        var frames = due(now: self.time)
        // A new run of the instance does not continue the parts of the previous run, so send their pending frames and
        // forget them.
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

    /// Forgets the parts that end with an event.
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
    /// Whether no part continues to grow after this event.
    var endsEverything: Bool { isDispose || type.elementsEqual("global.disposed".utf8) }
}
