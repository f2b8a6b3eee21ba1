// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// A frame of a client's stream: an unchanged event, or a frame made by an encoding or a translation.
package struct EncodedFrame: Sendable, Equatable {
    /// The content of a frame that replaces an event.
    package struct Made: Sendable, Equatable {
        /// The type of the frame and its subject; its `payload` range covers all of ``payload``.
        package var skeleton: EventSkeleton
        /// The event's own JSON, as in `/event`: without a wrapper, on one line.
        package var payload: [UInt8]
        /// Whether this is an OpenCode 1 event that was made from an OpenCode 2 event. Such events have a different
        /// wrapper.
        package var isTranslated = false
        /// Whether this frame reports the end of a turn. It is the last frame of its event that reports the session as
        /// idle.
        package var endsTurn = false
        /// Whether this is the `session.idle` frame of the end of a turn. The number of this frame can differ between
        /// encodings.
        package var completesTurn = false

        /// Creates an event of the given type with the subject of another event.
        init(_ type: String, about skeleton: EventSkeleton, payload: [UInt8]) {
            self.init(skeleton, payload: payload)
            self.skeleton.type = Array(type.utf8)
        }

        /// Creates an event with this skeleton.
        init(_ skeleton: EventSkeleton, payload: [UInt8]) {
            self.skeleton = skeleton
            self.skeleton.payload = 0..<payload.count
            self.payload = payload
        }
    }

    /// The position of the frame. A made frame has the id of the last event that precedes it, with the number of the
    /// frame.
    package let id: EventID
    /// The content of a made frame; nil if the frame is the event with this id, unchanged.
    package let made: Made?

    /// Creates a frame with this position.
    package init(id: EventID, made: Made? = nil) {
        self.id = id
        self.made = made
    }
}
