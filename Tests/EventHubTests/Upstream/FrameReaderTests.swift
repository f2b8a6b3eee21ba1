// SPDX-License-Identifier: Apache-2.0

import EventHub
import Testing

@Suite struct FrameReaderTests {
    private func frames(_ text: String, limit: Int = 1_000, fragments: Int) -> [FrameReader.Frame] {
        var reader = FrameReader(limit: limit)
        var frames: [FrameReader.Frame] = []
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let fragment = Array(bytes[start..<min(bytes.count, start + fragments)])
            reader.parse(fragment.span) { frames.append($0) }
            start += fragments
        }
        return frames
    }

    @Test(arguments: [1, 2, 3, 7, 10_000])
    func `events and comments are read one by one regardless of how the bytes are split`(fragments: Int) {
        let found = frames(
            "data: {\"a\":1}\n\n: heartbeat\n\nid: 7\ndata: {}\r\n\r\ndata:x\ndata: y\n\n", fragments: fragments)

        #expect(
            found == [
                .event(Array("{\"a\":1}".utf8)), .other(Array(": heartbeat\n\n".utf8)), .event(Array("{}".utf8)),
                .event(Array("x y".utf8)),
            ])
    }

    @Test(arguments: [1, 5, 10_000])
    func `an event above the limit is reported as too large, and the next event is read`(fragments: Int) {
        let long = String(repeating: "z", count: 50)
        let found = frames("data: \(long)\n\ndata: {}\n\n", limit: 49, fragments: fragments)

        #expect(found == [.tooLarge, .event(Array("{}".utf8))])
        #expect(frames("data: \(long)\n\n", limit: 50, fragments: fragments) == [.event(Array(long.utf8))])
    }

    @Test(arguments: [1, 1_000, 9_000, 100_000])
    func `a comment above 16 KiB is omitted as a whole, and the next frames are read`(fragments: Int) {
        let longest = ": " + String(repeating: "c", count: 16 * 1_024 - 4) + "\n\n"
        // The end of the second line would be a field if its beginning were missing.
        let tooLong = ": a\n: " + String(repeating: "c", count: 16 * 1_024) + "\nid: 9\n\n"
        let found = frames(longest + tooLong + ": b\n\ndata: {}\n\n", fragments: fragments)

        #expect(found == [.other(Array(longest.utf8)), .other(Array(": b\n\n".utf8)), .event(Array("{}".utf8))])
    }

    @Test func `an unfinished frame yields no event`() { #expect(frames("data: {}\n", fragments: 3).isEmpty) }
}
