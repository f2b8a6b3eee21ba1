// SPDX-License-Identifier: Apache-2.0

/// Assigns ids to the frames that an encoding makes.
///
/// A frame's id is based on the last event that was encoded before the frame is sent. The ids of the sent frames
/// therefore always increase, even if two sessions are active at once. A frame contains no data that is newer than this
/// event.
struct FrameCounter: Sendable {
    private(set) var last: EventID?

    /// Restarts the frame numbers for the next event.
    mutating func reset(_ id: EventID) { last = EventID(generation: id.generation, sequence: id.sequence) }

    /// Returns a frame with this content and the next id; nil before the first event.
    mutating func frame(_ made: EncodedFrame.Made) -> EncodedFrame? {
        guard var id = last else { return nil }
        id.frame += 1
        last = id
        return EncodedFrame(id: id, made: made)
    }
}
