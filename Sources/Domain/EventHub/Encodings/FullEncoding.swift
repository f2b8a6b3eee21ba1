// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import OpenCodeFamilies

/// Makes `message.part.updated` frames, which contain a part's whole text and the added text, from the part's deltas.
/// OpenCode 1.2 and later send the deltas as `message.part.delta` events. OpenCode 1.1.x sends a `message.part.updated`
/// event for every delta.
///
/// If at least 100 ms have passed since a part's last frame, the part is sent immediately. If less time has passed, the
/// part is sent at the end of the 100 ms. If the session has another event that is not a delta, the part is sent before
/// that event.
struct FullEncoding: Sendable {
    /// The time between two frames of a part, in milliseconds.
    static let interval: UInt64 = 100

    /// A part with its whole text, and the text that the client has not received yet.
    struct Part: GrowingPart {
        /// The skeleton of the part's first event.
        let skeleton: EventSkeleton
        let session: [UInt8]
        let message: [UInt8]
        /// The part's number. Parts are numbered in the order in which they begin.
        let number: UInt64
        /// The part's JSON before its text.
        var head: [UInt8] = []
        var text: [UInt8] = []
        var tail: [UInt8] = []
        /// The text that was added after the last frame; nil if nothing is pending.
        var added: [UInt8]?
        /// The earliest time of the next frame, in milliseconds since 1970.
        var slot: UInt64 = 0

        /// The approximate memory that the part uses, in bytes.
        var size: Int { 512 + head.count + text.count + tail.count + (added?.count ?? 0) }

        /// Replaces the part with the JSON of an event.
        mutating func replace(with payload: borrowing Span<UInt8>, part: Range<Int>, text: Range<Int>) {
            head = []
            self.text = []
            tail = []
            head.append(copying: payload.extracting(part.lowerBound..<text.lowerBound))
            self.text.append(copying: payload.extracting(text))
            tail.append(copying: payload.extracting(text.upperBound..<part.upperBound))
        }

        mutating func add(_ payload: borrowing Span<UInt8>, _ delta: Range<Int>) {
            var added = added ?? []
            self.added = nil
            added.append(copying: payload.extracting(delta))
            self.added = added
        }

        /// The content of a frame with the pending text.
        var frame: EncodedFrame.Made {
            var json = Array(#"{"type":"message.part.updated","properties":{"part":"#.utf8)
            json.reserveCapacity(json.count + size)
            json += head
            json += text
            json += tail
            json.append(contentsOf: #","delta":""#.utf8)
            json += added ?? []
            json.append(contentsOf: #""}}"#.utf8)
            return EncodedFrame.Made("message.part.updated", about: skeleton, payload: json)
        }
    }

    var parts = GrowingParts<Part>()
    private var begun: UInt64 = 0

    /// The time at which the next frame is due.
    var deadline: UInt64? { parts.all.filter { $0.part.added != nil }.map(\.part.slot).min() }

    /// Returns the frames that are due by `now`.
    mutating func due(now: UInt64, _ counter: inout FrameCounter) -> [EncodedFrame] {
        emit(&counter, at: nil) { $0.slot <= now }
    }

    /// Returns all frames that are pending.
    mutating func emitAll(_ counter: inout FrameCounter) -> [EncodedFrame] { emit(&counter, at: nil) { _ in true } }

    /// Returns the frames of an event, preceded by the pending frames that must be sent before the event.
    ///
    /// - Parameter event: The frame of the event itself.
    mutating func encode(
        _ event: EncodedFrame, skeleton: EventSkeleton, payload: borrowing Span<UInt8>, time: UInt64,
        counter: inout FrameCounter
    ) -> [EncodedFrame] {
        if let part = skeleton.part, let session = skeleton.session, let message = skeleton.message,
            let update = PartText(skeleton, payload: payload)
        {
            let key = Key(part: part, session: session, message: message)
            if let delta = update.delta, update.part == nil || update.grows {
                return encodeDelta(
                    event, skeleton: skeleton, payload: payload, update: update, delta: delta, key: key, time: time,
                    counter: &counter)
            }
            return encodeWhole(
                event, skeleton: skeleton, payload: payload, update: update, key: key, time: time, counter: &counter)
        }
        var frames: [EncodedFrame] = []
        if skeleton.endsEverything {
            frames = emitAll(&counter)
        } else if skeleton.type.elementsEqual("message.part.delta".utf8) {
            // The delta changes something other than the text, so the stored part is no longer current.
            if let part = skeleton.part { frames = drop(part, time: time, &counter) }
        } else if let session = skeleton.session {
            frames = emit(&counter, at: time) { $0.session == session }
            if skeleton.type.elementsEqual("message.part.updated".utf8), let part = skeleton.part { parts.forget(part) }
        }
        return frames + [passed(event, &counter)]
    }

    private struct Key {
        let part: [UInt8]
        let session: [UInt8]
        let message: [UInt8]
    }

    private mutating func encodeDelta(
        _ event: EncodedFrame, skeleton: EventSkeleton, payload: borrowing Span<UInt8>, update: PartText,
        delta: Range<Int>, key: Key, time: UInt64, counter: inout FrameCounter
    ) -> [EncodedFrame] {
        let known = parts[key.part].flatMap { $0.session == key.session ? $0 : nil }
        guard known != nil || update.part != nil else { return [passed(event, &counter)] }
        let growth = update.part.map { 512 + $0.count + (known?.added?.count ?? 0) - (known?.size ?? 0) } ?? delta.count
        guard let victims = parts.victims(for: key.part, bytes: growth + delta.count) else {
            return drop(key.part, time: time, &counter) + [passed(event, &counter)]
        }
        var frames = victims.flatMap { drop($0, time: time, &counter) }
        counter.reset(event.id)
        if known == nil { parts.put(new(skeleton, key), key.part) }
        let isDue = (known?.slot ?? 0) <= time
        parts.change(key.part) { entry in
            if let whole = update.part, let text = update.text {
                entry.replace(with: payload, part: whole, text: text)
            } else {
                entry.text.append(copying: payload.extracting(delta))
            }
            entry.add(payload, delta)
        }
        if isDue { frames += emit(key.part, at: time, &counter) }
        return frames
    }

    private mutating func encodeWhole(
        _ event: EncodedFrame, skeleton: EventSkeleton, payload: borrowing Span<UInt8>, update: PartText, key: Key,
        time: UInt64, counter: inout FrameCounter
    ) -> [EncodedFrame] {
        var frames = emit(&counter, at: time) { $0.session == key.session }
        let slot = parts[key.part]?.slot ?? 0
        parts.forget(key.part)
        if update.grows, let whole = update.part, let text = update.text,
            let victims = parts.victims(for: key.part, bytes: 512 + whole.count)
        {
            frames += victims.flatMap { drop($0, time: time, &counter) }
            var part = new(skeleton, key)
            part.replace(with: payload, part: whole, text: text)
            part.slot = slot
            parts.put(part, key.part)
        }
        return frames + [passed(event, &counter)]
    }

    private mutating func new(_ skeleton: EventSkeleton, _ key: Key) -> Part {
        begun += 1
        return Part(skeleton: skeleton, session: key.session, message: key.message, number: begun)
    }

    private func passed(_ event: EncodedFrame, _ counter: inout FrameCounter) -> EncodedFrame {
        counter.reset(event.id)
        return event
    }

    /// Returns the pending frame of a part and forgets the part.
    private mutating func drop(_ id: [UInt8], time: UInt64, _ counter: inout FrameCounter) -> [EncodedFrame] {
        defer { parts.forget(id) }
        return emit(id, at: time, &counter)
    }

    /// Returns the pending frame of a part.
    private mutating func emit(_ id: [UInt8], at time: UInt64?, _ counter: inout FrameCounter) -> [EncodedFrame] {
        guard let part = parts[id], part.added != nil, let frame = counter.frame(part.frame) else { return [] }
        parts.change(id) {
            $0.added = nil
            $0.slot = (time ?? $0.slot) + Self.interval
        }
        return [frame]
    }

    /// Returns the pending frames of the parts that match, ordered by their due times. The next frames of these parts
    /// may be sent 100 ms after `time`. If `time` is nil, the 100 ms begin at each frame's due time.
    private mutating func emit(
        _ counter: inout FrameCounter, at time: UInt64?, where fits: (Part) -> Bool
    ) -> [EncodedFrame] {
        guard !parts.isEmpty else { return [] }
        return parts.all.filter { $0.part.added != nil && fits($0.part) }
            .map { (id: $0.id, place: ($0.part.slot, $0.part.number)) }
            .sorted { $0.place < $1.place }
            .flatMap { emit($0.id, at: time, &counter) }
    }
}
