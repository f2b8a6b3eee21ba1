/// Gives the frames that a form makes their ids.
///
/// A frame belongs to the last event that has been taken when it is told: ids rise in the order in which frames are told,
/// also where two sessions speak at once, and nothing that a frame holds is newer than its id.
struct FrameCounter: Sendable {
    private(set) var last: EventID?

    /// Goes on to the next event.
    mutating func begin(_ id: EventID) { last = EventID(generation: id.generation, sequence: id.sequence) }

    /// A frame that was made; nil before there is any event.
    mutating func frame(_ made: EncodedFrame.Made) -> EncodedFrame? {
        guard var id = last else { return nil }
        id.frame += 1
        last = id
        return EncodedFrame(id: id, made: made)
    }
}
