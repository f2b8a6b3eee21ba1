/// A piece of an answer as any version tells it: where it stands, and what it is a piece of.
///
/// OpenCode 1: `message.part.delta`, and to 1.1.x `message.part.updated` with `delta`. OpenCode 2: `session.text.delta` and
/// `session.reasoning.delta`, whose texts are counted within their message (`ordinal`).
package struct EventDelta: Sendable, Equatable {
    /// The JSON of the piece in the event's own, without its quotes.
    package let range: Range<Int>
    /// What the piece is one of: equal for pieces of the same text, told by the same kind of event.
    package let subject: [UInt8]

    /// The piece that an event is; nil for any other event.
    package init?(_ skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        guard Self.types.contains(skeleton.type) else { return nil }
        var delta: JSONValueFinder.Finding?
        var rest: [Range<Int>] = []
        JSONValueFinder.find(Self.places, in: payload) {
            if $0.place < 2 { delta = $0 } else { rest.append($0.range) }
            return true
        }
        guard let delta, payload[delta.range.lowerBound] == UInt8(ascii: "\""), let session = skeleton.session,
            let message = skeleton.message
        else { return nil }
        range = delta.range.lowerBound + 1..<delta.range.upperBound - 1
        // An id has no NUL.
        var subject = skeleton.type + [0] + session + [0] + message + [0] + (skeleton.part ?? [])
        for member in rest {
            subject.append(0)
            for index in member { subject.append(payload[index]) }
        }
        self.subject = subject
    }

    private static let types = Set(
        ["message.part.delta", "message.part.updated", "session.text.delta", "session.reasoning.delta"].map {
            Array($0.utf8)
        })
    private static let places = JSONPlaces("properties.delta", "data.delta", "properties.field", "data.ordinal")
}
