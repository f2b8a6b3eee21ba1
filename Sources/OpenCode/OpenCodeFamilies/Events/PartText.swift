// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The text of a part in an OpenCode 1 event, as ranges in the event's own JSON.
///
/// Up to 1.1.x, OpenCode sends `message.part.updated` for each delta of an answer, with the whole text so far in `part`
/// and the delta in `delta`. Since 1.2.0, OpenCode sends a `message.part.updated` without text, and then only the
/// deltas as `message.part.delta`.
package struct PartText: Sendable, Equatable {
    /// The range of the part's own JSON; nil for `message.part.delta`.
    package private(set) var part: Range<Int>?
    /// The range of the part's text, which is a JSON string, without the quotes.
    package private(set) var text: Range<Int>?
    /// The range of the delta, which is a JSON string, without the quotes.
    package private(set) var delta: Range<Int>?
    /// Whether deltas may still be added to the part's text. The value is true for an answer text or a reasoning text
    /// that has begun and has not ended.
    package private(set) var grows = false

    /// Finds the ranges in an event about a part's text; nil for any other event.
    package init?(_ skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        if skeleton.type.elementsEqual("message.part.updated".utf8) {
            guard parseUpdate(payload) else { return nil }
        } else if skeleton.type.elementsEqual("message.part.delta".utf8) {
            guard parseDelta(payload) else { return nil }
        } else {
            return nil
        }
    }

    private enum Update: Int { case part, type, text, time, end, delta }
    private static let update = JSONPaths(
        "properties.part", "properties.part.type", "properties.part.text", "properties.part.time",
        "properties.part.time.end",
        "properties.delta")

    private mutating func parseUpdate(_ payload: borrowing Span<UInt8>) -> Bool {
        var isText = false
        var hasTime = false
        var hasEnd = false
        let payload = copy payload
        var ranges: (part: Range<Int>?, text: Range<Int>?, delta: Range<Int>?) = (nil, nil, nil)
        JSONValueFinder.find(Self.update, in: payload) {
            switch Update(rawValue: $0.pathIndex) {
            case .part: ranges.part = $0.range
            case .type:
                isText =
                    Self.equals(payload, in: $0.range, Self.answer)
                    || Self.equals(payload, in: $0.range, Self.reasoning)
            case .text: ranges.text = Self.body($0.range, payload)
            case .time: hasTime = true
            case .end: hasEnd = true
            case .delta: ranges.delta = Self.body($0.range, payload)
            case nil: break
            }
            return true
        }
        (part, text, delta) = ranges
        grows = hasTime && !hasEnd
        // If a member occurs twice, the text may belong to another object. Check that the text is inside the part.
        guard let part, let text else { return false }
        return isText && part.lowerBound < text.lowerBound && text.upperBound < part.upperBound
    }

    private enum DeltaMember: Int { case field, delta }
    private static let deltaPaths = JSONPaths("properties.field", "properties.delta")

    private mutating func parseDelta(_ payload: borrowing Span<UInt8>) -> Bool {
        var isText = false
        var found: Range<Int>?
        let payload = copy payload
        JSONValueFinder.find(Self.deltaPaths, in: payload) {
            switch DeltaMember(rawValue: $0.pathIndex) {
            case .field: isText = Self.equals(payload, in: $0.range, Self.textField)
            case .delta: found = Self.body($0.range, payload)
            case nil: break
            }
            return true
        }
        delta = found
        return isText && delta != nil
    }

    private static let answer = Array(#""text""#.utf8)
    private static let reasoning = Array(#""reasoning""#.utf8)
    private static let textField = Array(#""text""#.utf8)

    private static func equals(_ bytes: borrowing Span<UInt8>, in range: Range<Int>, _ text: [UInt8]) -> Bool {
        guard range.count == text.count else { return false }
        for offset in 0..<text.count where bytes[range.lowerBound + offset] != text[offset] { return false }
        return true
    }

    /// Returns the range of a JSON string without its quotes; nil if the value is not a string.
    private static func body(_ range: Range<Int>, _ bytes: borrowing Span<UInt8>) -> Range<Int>? {
        bytes[range.lowerBound] == UInt8(ascii: "\"") ? range.lowerBound + 1..<range.upperBound - 1 : nil
    }
}
