// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import OpenCodeFamilies

/// Converts `message.part.updated` events from OpenCode 1.1.x into `message.part.delta` events, as OpenCode 1.2.27
/// sends them. Each event from OpenCode 1.1.x contains a part's whole text. A part's first frame contains the part
/// without text. Each following frame contains the text that the event adds. All other events pass unchanged.
struct DeltaEncoding: Sendable {
    /// A part, with the length of the text that the client has received.
    struct Part: GrowingPart {
        let session: [UInt8]
        let message: [UInt8]
        /// The length of the text in its JSON form, in bytes.
        var length: Int
        var size: Int { 128 }
    }

    var parts = GrowingParts<Part>()

    /// Returns the frames for an event.
    ///
    /// - Parameter event: The frame that contains the unchanged event.
    mutating func encode(
        _ event: EncodedFrame, skeleton: EventSkeleton, payload: borrowing Span<UInt8>, counter: inout FrameCounter
    ) -> [EncodedFrame] {
        counter.reset(event.id)
        guard let id = skeleton.part, skeleton.type.elementsEqual("message.part.updated".utf8) else { return [event] }
        guard let update = PartText(skeleton, payload: payload), update.grows, let session = skeleton.session,
            let message = skeleton.message, let whole = update.part, let text = update.text
        else {
            // The event does not extend a part's text, so it passes unchanged.
            parts.forget(id)
            return [event]
        }
        let known = parts[id].flatMap { $0.session == session ? $0.length : nil }
        for victim in parts.victims(for: id, bytes: 0) ?? [] { parts.forget(victim) }
        parts.put(Part(session: session, message: message, length: text.count), id)
        // An event whose text does not continue the client's text passes unchanged, because the event contains the
        // whole text.
        guard let delta = update.delta, text.count == (known ?? 0) + delta.count, Self.ends(payload, text, with: delta)
        else {
            return [event]
        }
        var made: [EncodedFrame.Made] = []
        if known == nil { made.append(Self.beginning(skeleton, payload: payload, part: whole, text: text)) }
        if known != nil || !delta.isEmpty {
            made.append(
                Self.deltaEvent(skeleton, payload: payload, session: session, message: message, part: id, delta: delta))
        }
        return made.compactMap { counter.frame($0) }
    }

    private static func ends(_ bytes: borrowing Span<UInt8>, _ text: Range<Int>, with end: Range<Int>) -> Bool {
        let start = text.upperBound - end.count
        for offset in 0..<end.count where bytes[start + offset] != bytes[end.lowerBound + offset] { return false }
        return true
    }

    private static func beginning(
        _ skeleton: EventSkeleton, payload: borrowing Span<UInt8>, part: Range<Int>, text: Range<Int>
    ) -> EncodedFrame.Made {
        var json = Array(#"{"type":"message.part.updated","properties":{"part":"#.utf8)
        json.append(copying: payload.extracting(part.lowerBound..<text.lowerBound))
        json.append(copying: payload.extracting(text.upperBound..<part.upperBound))
        json.append(contentsOf: "}}".utf8)
        return EncodedFrame.Made("message.part.updated", about: skeleton, payload: json)
    }

    private static func deltaEvent(
        _ skeleton: EventSkeleton, payload: borrowing Span<UInt8>, session: [UInt8], message: [UInt8],
        part: [UInt8],
        delta: Range<Int>
    ) -> EncodedFrame.Made {
        var json = Array(#"{"type":"message.part.delta","properties":{"sessionID":"#.utf8)
        json.append(jsonText: session)
        json.append(contentsOf: #","messageID":"#.utf8)
        json.append(jsonText: message)
        json.append(contentsOf: #","partID":"#.utf8)
        json.append(jsonText: part)
        json.append(contentsOf: #","field":"text","delta":""#.utf8)
        json.append(copying: payload.extracting(delta))
        json.append(contentsOf: #""}}"#.utf8)
        return EncodedFrame.Made("message.part.delta", about: skeleton, payload: json)
    }
}
