// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A delta of an answer in the format of any version: its range, and the text that it belongs to.
///
/// The events are `message.part.delta` of OpenCode 1, and up to 1.1.x `message.part.updated` with `delta`. In OpenCode
/// 2 they are `session.text.delta` and `session.reasoning.delta`, whose texts are numbered within their message
/// (`ordinal`).
package struct EventDelta: Sendable, Equatable {
    /// The range of the delta's JSON in the event's JSON, without its quotes.
    package let range: Range<Int>
    /// The identity of the text, which is equal for deltas of the same text in events of the same kind.
    package let subject: [UInt8]

    /// Creates the delta that an event contains; nil for any other event.
    package init?(_ skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        guard Self.types.contains(skeleton.type) else { return nil }
        var delta: JSONValueFinder.Finding?
        var others: [Range<Int>] = []
        JSONValueFinder.find(Self.paths, in: payload) {
            if $0.pathIndex < 2 { delta = $0 } else { others.append($0.range) }
            return true
        }
        guard let delta, payload[delta.range.lowerBound] == UInt8(ascii: "\""), let session = skeleton.session,
            let message = skeleton.message
        else { return nil }
        range = delta.range.lowerBound + 1..<delta.range.upperBound - 1
        // NUL is a safe separator, because an id contains none.
        var subject = skeleton.type + [0] + session + [0] + message + [0] + (skeleton.part ?? [])
        for member in others {
            subject.append(0)
            for index in member { subject.append(payload[index]) }
        }
        self.subject = subject
    }

    private static let types = Set(
        ["message.part.delta", "message.part.updated", "session.text.delta", "session.reasoning.delta"].map {
            Array($0.utf8)
        })
    private static let paths = JSONPaths("properties.delta", "data.delta", "properties.field", "data.ordinal")
}
