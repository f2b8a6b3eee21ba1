// SPDX-License-Identifier: Apache-2.0

// length: 512

import EventHub
import OpenCodeFamilies

/// Checks that encoding any events ends, that the IDs of the frames increase, and that a timer and the next event
/// produce the same frames. If the events are built from the input, every frame must be JSON, and merged deltas must
/// have the same content as separate deltas.
///
/// The input consists of a byte that selects the test case, and the events.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let isMade = input.byte() & 1 == 1
    var events: [(time: UInt64, json: [UInt8])] = []
    var time: UInt64 = 0
    while events.count < 40, let text = input.bytes(endedBy: 0xFF) {
        time += UInt64(text.first ?? 0)
        events.append((time, isMade ? made(text) : Array(text.dropFirst())))
    }
    for encoding in EventEncoding.allCases {
        let frames = encoded(events, encoding, isTimed: false)
        precondition(frames == encoded(events, encoding, isTimed: true))
        for (earlier, later) in zip(frames, frames.dropFirst()) { precondition(earlier.id < later.id) }
        if isMade { check(frames, events) }
    }
    return 0
}

private func encoded(_ events: [(time: UInt64, json: [UInt8])], _ encoding: EventEncoding, isTimed: Bool)
    -> [EncodedFrame]
{
    var state = EncodingState(encoding: encoding)
    var frames: [EncodedFrame] = []
    for (index, event) in events.enumerated() {
        while isTimed, let deadline = state.deadline, deadline <= event.time { frames += state.due(now: deadline) }
        frames += state.encode(
            id: EventID(generation: 1, sequence: UInt64(index + 1)), time: event.time,
            skeleton: EventSkeleton(line: event.json.span, family: .one), payload: event.json.span)
    }
    while let deadline = state.deadline { frames += state.due(now: deadline) }
    return frames
}

private func check(_ frames: [EncodedFrame], _ events: [(time: UInt64, json: [UInt8])]) {
    var merger = DeltaMerger(limit: 64)
    var merged: [EncodedFrame] = []
    for frame in frames {
        let payload = frame.made?.payload ?? events[Int(frame.id.sequence) - 1].json
        precondition(JSONReader.isValid(withoutHalves(payload)))
        merged += merger.merge(frame, EventSkeleton(line: payload.span, family: .one), payload: payload.span)
    }
    merged += merger.finish()
    func payloads(_ frames: [EncodedFrame]) -> [UInt8] {
        frames.flatMap { frame in
            let payload = frame.made?.payload ?? events[Int(frame.id.sequence) - 1].json
            return EventDelta(EventSkeleton(line: payload.span, family: .one), payload: payload.span)
                .map { Array(payload[$0.range]) } ?? []
        }
    }
    precondition(payloads(merged) == payloads(frames))
    precondition(merged.count <= frames.count && merged.last?.id == frames.last?.id)
}

/// Returns the JSON without unpaired surrogates, which the parser does not treat as text.
private func withoutHalves(_ json: [UInt8]) -> [UInt8] {
    var json = json
    for index in json.indices.dropLast(5)
    where json[index...].starts(with: #"\ud83d"#.utf8) || json[index...].starts(with: #"\ude80"#.utf8) {
        for offset in 0..<6 { json[index + offset] = UInt8(ascii: "x") }
    }
    return json
}

/// Returns an event of one of two sessions with four parts each. Its text consists of the bytes after the first three.
private func made(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var input = Array(bytes.dropFirst())[...]
    let (kind, which) = (input.popFirst() ?? 0, input.popFirst() ?? 0)
    let (session, part) = ("s\(which & 1)", "p\(which & 7)")
    let text = escaped(input)
    let ids = #""sessionID":"\#(session)","messageID":"m""#
    func update(_ time: String, _ delta: String) -> String {
        let json = #"{"id":"\#(part)",\#(ids),"type":"text","text":"\#(text)","time":{\#(time)}}"#
        return #"{"type":"message.part.updated","properties":{"part":\#(json)\#(delta)}}"#
    }
    let event =
        switch kind % 8 {
        case 0: #"{"type":"session.idle","properties":{"sessionID":"\#(session)"}}"#
        case 1: #"{"type":"session.status","properties":{"sessionID":"\#(session)","status":{"type":"busy"}}}"#
        case 2: update(#""start":1,"end":2"#, "")
        case 3: update(#""start":1"#, "")
        case 4: update(#""start":1"#, #","delta":"\#(text)""#)
        case 5: #"{"type":"file.edited","properties":{}}"#
        default:
            #"{"type":"message.part.delta","properties":{\#(ids),"partID":"\#(part)","field":"text","delta":"\#(text)"}}"#
        }
    return Array(event.utf8)
}

/// Returns the JSON of a text that may have an unpaired surrogate at either end.
private func escaped(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { byte in
        switch byte {
        case 0: #"\ud83d"#
        case 1: #"\ude80"#
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(Unicode.Scalar(byte))
        case ..<0x20: #"\n"#
        default: String(Unicode.Scalar(byte))
        }
    }.joined()
}
