// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// A frame of a client's stream. The frame is either an unchanged event, or was made by an encoding or a translation.
package struct EncodedFrame: Sendable, Equatable {
    /// The content of a frame that replaces an event.
    package struct Made: Sendable, Equatable {
        /// The frame's type and subject. The skeleton's `payload` range covers all of ``payload``.
        package var skeleton: EventSkeleton
        /// The event's own JSON on one line without a wrapper, as on OpenCode 1's `/event`.
        package var payload: [UInt8]
        /// Whether the frame is an OpenCode 1 event that was translated from an OpenCode 2 event. Translated events
        /// have a different wrapper.
        package var isTranslated = false
        /// Whether the frame reports the end of a turn. If an event has several frames that report the session as idle,
        /// the last of these frames has the flag.
        package var endsTurn = false
        /// Whether the frame is the `session.idle` frame at the end of a turn. The frame's number can differ between
        /// encodings.
        package var completesTurn = false

        /// Creates the content of a frame of the given type with the subject of another event.
        init(_ type: String, about skeleton: EventSkeleton, payload: [UInt8]) {
            self.init(skeleton, payload: payload)
            self.skeleton.type = Array(type.utf8)
        }

        /// Creates the content of a frame with this skeleton.
        init(_ skeleton: EventSkeleton, payload: [UInt8]) {
            self.skeleton = skeleton
            self.skeleton.payload = 0..<payload.count
            self.payload = payload
        }
    }

    /// The frame's id. The id of a made frame consists of the last preceding event's id and the frame's number.
    package let id: EventID
    /// The content of a made frame; nil if the frame is the unchanged event with this id.
    package let made: Made?

    /// Creates a frame with this id.
    package init(id: EventID, made: Made? = nil) {
        self.id = id
        self.made = made
    }
}
