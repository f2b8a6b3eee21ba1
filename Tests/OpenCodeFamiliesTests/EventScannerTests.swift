// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

@Suite struct EventScannerTests {
    /// A frame: its range in the stream, and its data lines.
    private struct Frame: Equatable {
        var bytes: Range<Int>
        var data: [String] = []
        var isEvent = false
    }

    /// Returns the frames of a stream that arrives in these parts.
    private func frames(of fragments: [[UInt8]]) -> [Frame] {
        var scanner = EventScanner()
        var frames: [Frame] = []
        var frame = Frame(bytes: 0..<0)
        var line: [UInt8] = []
        var offset = 0
        for fragment in fragments {
            var index = 0
            while let step = scanner.next(fragment.span, &index) {
                switch step {
                case .data(let range): line += fragment[range]
                case .endOfData:
                    frame.data.append(String(decoding: line, as: UTF8.self))
                    line = []
                case .frame(let isEvent):
                    frame.isEvent = isEvent
                    frame.bytes = (frames.last?.bytes.upperBound ?? 0)..<offset + index
                    frames.append(frame)
                    frame = Frame(bytes: 0..<0)
                }
            }
            offset += fragment.count
        }
        return frames
    }

    private func frames(of stream: [UInt8], splitAt split: Int = 0) -> [Frame] {
        frames(of: [Array(stream[..<split]), Array(stream[split...])])
    }

    /// Returns the data lines of each frame.
    private func data(_ stream: String) -> [[String]] { frames(of: Array(stream.utf8)).map(\.data) }

    // The examples from WHATWG HTML §9.2.6.
    @Test func `the examples of the HTML standard are parsed as specified`() {
        #expect(data("data: YHOO\ndata: +2\ndata: 10\n\n") == [["YHOO", "+2", "10"]])
        #expect(
            data(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n") == [
                [], ["first event"], ["second event"], [" third event"],
            ])
        #expect(data("data\n\ndata\ndata\n\ndata:") == [[""], ["", ""]])
        #expect(data("data:test\n\ndata: test\n\n") == [["test"], ["test"]])
    }

    @Test func `a frame of OpenCode has one data line`() {
        #expect(data("data: {\"type\":\"server.connected\"}\n\n") == [["{\"type\":\"server.connected\"}"]])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `each of LF, CRLF and CR ends a line at each split of the stream`(end: String) {
        let stream = Array(
            "\u{FEFF}event: x\(end)data: a\(end)data:b\(end)\(end): ping\(end)\(end)id: 7\(end)data: c\(end)\(end)".utf8
        )
        let whole = frames(of: stream)

        #expect(whole.map(\.data) == [["a", "b"], [], ["c"]])

        for split in 0...stream.count { #expect(frames(of: stream, splitAt: split) == whole, "split at \(split)") }
    }

    @Test func `fields other than data are ignored`() {
        #expect(data("Data: a\n data: b\ndatas: c\ndat: d\nx: y\ndata : e\ndata: f\n\n") == [["f"]])
        #expect(data("id: a\nretry: 10\nevent: data\n\n") == [[]])
    }

    @Test func `a frame without data is not an event`() {
        let stream = Array(": heartbeat\n\nevent: x\n\ndata:\n\n".utf8)

        #expect(frames(of: stream).map(\.isEvent) == [false, false, true])
    }

    @Test func `blank lines alone form no frame`() {
        #expect(data("\n\n\r\n\n") == [])
        #expect(data("\n\n\r\ndata: a\n\n") == [["a"]])
    }

    @Test func `an unfinished frame is not returned`() {
        #expect(data("data: a\n") == [])
    }

    @Test func `an incomplete byte order mark makes only its line invalid`() {
        let stream: [UInt8] = [0xEF, 0xBB] + Array("data: a\ndata: b\n\n".utf8)

        #expect(frames(of: stream).map(\.data) == [["b"]])

        let colon: [UInt8] = [0xEF] + Array(": a\ndata: b\n\n".utf8)

        #expect(frames(of: colon).map(\.data) == [["b"]])
    }

    @Test func `the frames cover the stream without gaps`() {
        let stream = Array("\u{FEFF}\n\ndata: a\r\n\r\ndata: b\n\n\n: c\r\r".utf8)
        let ranges = frames(of: stream).map(\.bytes)

        #expect(ranges.count == 3)
        #expect(ranges.first?.lowerBound == 0)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(ranges.last?.upperBound == stream.count)
    }

    @Test(arguments: Fixtures.versions)
    func `recorded events are found at each split of the stream`(version: String) throws {
        let stream = Array(try Fixtures.data(version, "events-talk.txt"))
        let whole = frames(of: stream)

        #expect(whole.count >= 5)
        #expect(whole.last?.bytes.upperBound == stream.count)

        for frame in whole {
            #expect(frame.data.count == 1)
            let json = try JSONSerialization.jsonObject(with: Data(try #require(frame.data.first).utf8))
            #expect((json as? [String: Any])?["type"] is String)
        }

        // Input byte by byte is equivalent to a split at every offset.
        #expect(frames(of: stream.map { [$0] }) == whole)

        let different = stride(from: 1, to: stream.count, by: 97).filter { frames(of: stream, splitAt: $0) != whole }

        #expect(different == [])
    }
}
