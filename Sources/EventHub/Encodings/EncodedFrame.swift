package import OpenCode

/// One frame of what a client is told: an event as it came, or what a form or a translation has made.
package struct EncodedFrame: Sendable, Equatable {
    /// What stands in place of an event.
    package struct Made: Sendable, Equatable {
        /// What it is and what it is about; its payload is all of ``payload``.
        package var skeleton: EventSkeleton
        /// The event's own JSON, as `/event` has it: no wrapper, on one line.
        package var payload: [UInt8]
        /// Whether it is an event of OpenCode 1 that was made of OpenCode 2's: those stand in another wrapper.
        package var isTranslated = false
        /// Whether it is the beginning of a turn's end: the last word of its event that the session is idle.
        package var endsTurn = false

        /// An event of a type about what another one is about.
        init(_ type: String, about skeleton: EventSkeleton, payload: [UInt8]) {
            self.init(skeleton, payload: payload)
            self.skeleton.type = Array(type.utf8)
        }

        /// An event that is about this.
        init(_ skeleton: EventSkeleton, payload: [UInt8]) {
            self.skeleton = skeleton
            self.skeleton.payload = 0..<payload.count
            self.payload = payload
        }
    }

    /// Its place. A made frame's is that of the last event behind which it is told, with the number of the frame.
    package let id: EventID
    /// nil: the event with this id, as it came.
    package let made: Made?

    /// A frame with this place.
    package init(id: EventID, made: Made? = nil) {
        self.id = id
        self.made = made
    }
}
