// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A delta of an answer in the format of any OpenCode version: the range of the delta, and the text to which it is
/// added.
///
/// OpenCode 1 sends deltas as `message.part.delta`. Up to 1.1.x, OpenCode 1 sends `message.part.updated` with the
/// member `delta` instead. OpenCode 2 sends `session.text.delta` and `session.reasoning.delta`. OpenCode 2 numbers the
/// texts within their message (`ordinal`).
package struct EventDelta: Sendable, Equatable {
    /// The range of the delta in the event's JSON. The delta is a JSON string, whose quotes the range excludes.
    package let range: Range<Int>
    /// The identity of the text, which is equal for all deltas of the same text in events of the same type.
    package let subject: [UInt8]

    /// Creates the delta that an event contains; nil if the event contains no delta.
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
        // NUL is a safe separator, because ids contain no NUL.
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
