package import OpenCode

/// What one form of one project's events (all its sessions') needs to remember, and what it makes of the next event.
///
/// Its frames depend on the events and their times alone: whether ``due(now:)`` was called by a timer, or only the next
/// event came, makes no difference, since what was due by that event's time goes first. For that, times are those that were
/// recorded with the events, and ``due(now:)`` is given no time before which more events will be recorded.
///
/// A state that is given a session's events from one at which it did not grow (``TurnMark``) makes the same frames of that
/// session as one that was given all. In memory it has 4 MiB of texts of at most 256 parts; beyond that, parts that have
/// been silent longest are passed on as they come, as is every part whose beginning is not known.
package struct EncodingState: Sendable {
    /// Which form it makes.
    package let form: EventEncoding
    private var counter = FrameCounter()
    private var deltas = DeltaEncoding()
    private var full = FullEncoding()
    private var time: UInt64 = 0
    /// Which sessions' turns have been followed from a beginning.
    package private(set) var turns = TurnBeginnings()

    /// A state that knows of no part.
    package init(form: EventEncoding) { self.form = form }

    /// When ``due(now:)`` will have something to tell, in milliseconds since 1970; nil: nothing waits.
    package var deadline: UInt64? { full.deadline }

    /// Takes the next event: its id, when it was recorded (milliseconds since 1970) and its own JSON. Answers the frames that
    /// are told now, in order.
    package mutating func take(
        id: EventID, time: UInt64, skeleton: EventSkeleton, payload: borrowing Span<UInt8>
    ) -> [EncodedFrame] {
        let event = EncodedFrame(id: EventID(generation: id.generation, sequence: id.sequence))
        turns.take(id: event.id, skeleton: skeleton, payload: payload)
        guard form != .raw else { return [event] }
        self.time = max(self.time, time)
        var frames = due(now: self.time)
        // Another run of the instance goes on with nothing of what the last one has begun.
        if let last = counter.last, last.generation != id.generation { frames += interrupt() }
        switch form {
        case .raw: break
        case .delta: frames += deltas.take(event, skeleton, payload: payload, &counter)
        case .full: frames += full.take(event, skeleton, payload: payload, time: self.time, &counter)
        }
        end(skeleton, payload: payload)
        return frames
    }

    /// What is due by `now`, in milliseconds since 1970.
    package mutating func due(now: UInt64) -> [EncodedFrame] { full.due(now: now, &counter) }

    /// Events are missing here: tells what waits, and knows no part any more.
    package mutating func interrupt() -> [EncodedFrame] {
        let frames = full.tellAll(&counter)
        deltas = DeltaEncoding()
        full = FullEncoding()
        turns = TurnBeginnings()
        return frames
    }

    /// Forgets what has ended with an event.
    private mutating func end(_ skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        if skeleton.endsEverything {
            deltas = DeltaEncoding()
            full = FullEncoding()
        } else if let session = skeleton.session, TurnMark(skeleton, payload: payload) != nil {
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
    /// Whether nothing goes on behind it.
    var endsEverything: Bool { isDispose || type.elementsEqual("global.disposed".utf8) }
}
