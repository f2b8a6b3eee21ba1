import Foundation
import OpenCode
import Testing

@Suite struct EventScannerTests {
    /// A frame with its ranges resolved to text.
    struct Text: Equatable {
        var data: [String]
        var event: String?
        var id: String?
        var retry: Int?
        init(_ data: String..., event: String? = nil, id: String? = nil, retry: Int? = nil) {
            (self.data, self.event, self.id, self.retry) = (data, event, id, retry)
        }
        init(_ frame: EventFrame, of stream: [UInt8]) {
            func text(_ range: Range<Int>) -> String { String(decoding: stream[range], as: UTF8.self) }
            data = frame.data.map(text)
            (event, id, retry) = (frame.event.map(text), frame.id.map(text), frame.retry)
        }
    }

    private func frames(of stream: [UInt8], splitAt split: Int = 0) -> [EventFrame] {
        var scanner = EventScanner()
        var frames: [EventFrame] = []
        scanner.scan(Array(stream[..<split])) { frames.append($0) }
        scanner.scan(Array(stream[split...])) { frames.append($0) }
        return frames
    }

    private func texts(_ stream: String) -> [Text] {
        let bytes = Array(stream.utf8)
        return frames(of: bytes).map { Text($0, of: bytes) }
    }

    // The examples of WHATWG HTML §9.2.6.
    @Test func theStandardsExamples() {
        #expect(texts("data: YHOO\ndata: +2\ndata: 10\n\n") == [Text("YHOO", "+2", "10")])
        #expect(
            texts(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n") == [
                Text(), Text("first event", id: "1"), Text("second event", id: ""), Text(" third event"),
            ])
        #expect(texts("data\n\ndata\ndata\n\ndata:") == [Text(""), Text("", "")])
        #expect(texts("data:test\n\ndata: test\n\n") == [Text("test"), Text("test")])
    }

    @Test func anOpenCodeFrameIsOneLineOfData() {
        #expect(
            texts("data: {\"type\":\"server.connected\"}\n\n") == [Text("{\"type\":\"server.connected\"}")])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func everyLineEndIsUnderstoodInEverySplit(end: String) {
        let stream = Array(
            "\u{FEFF}event: x\(end)data: a\(end)data:b\(end)\(end): ping\(end)\(end)id: 7\(end)data: c\(end)\(end)".utf8
        )
        let whole = frames(of: stream)
        #expect(
            whole.map { Text($0, of: stream) } == [Text("a", "b", event: "x"), Text(), Text("c", id: "7")])
        for split in 0...stream.count { #expect(frames(of: stream, splitAt: split) == whole, "split at \(split)") }
    }

    @Test func fieldsThatTheStandardIgnoresAreIgnored() {
        #expect(texts("Data: a\n data: b\ndatas: c\ndat: d\nx: y\ndata : e\ndata: f\n\n") == [Text("f")])
        #expect(texts("id: a\nid: b\0c\ndata: x\n\n") == [Text("x", id: "a")])
        #expect(texts("retry: 10\nretry: 1x\nretry: -5\nretry\nretry: 99999999999999999999\n\n") == [Text(retry: 10)])
        #expect(texts("retry:2500\n\n") == [Text(retry: 2500)])
    }

    @Test func aFrameWithoutDataIsNoEvent() {
        let stream = Array(": heartbeat\n\nevent: x\n\ndata:\n\n".utf8)
        #expect(frames(of: stream).map(\.isEvent) == [false, false, true])
    }

    @Test func blankLinesAloneMakeNoFrame() {
        #expect(texts("\n\n\r\n\n") == [])
        #expect(texts("\n\n\r\ndata: a\n\n") == [Text("a")])
    }

    @Test func anUnfinishedFrameIsNotHandedOver() {
        #expect(texts("data: a\n") == [])
    }

    @Test func aBrokenByteOrderMarkSpoilsOnlyItsLine() {
        let stream: [UInt8] = [0xEF, 0xBB] + Array("data: a\ndata: b\n\n".utf8)
        #expect(frames(of: stream).map { Text($0, of: stream) } == [Text("b")])
        let colon: [UInt8] = [0xEF] + Array(": a\ndata: b\n\n".utf8)
        #expect(frames(of: colon).map { Text($0, of: colon) } == [Text("b")])
    }

    @Test func framesCoverTheStreamWithoutAGap() {
        let stream = Array("\u{FEFF}\n\ndata: a\r\n\r\ndata: b\n\n\n: c\r\r".utf8)
        let ranges = frames(of: stream).map(\.bytes)
        #expect(ranges.count == 3)
        #expect(ranges.first?.lowerBound == 0)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(ranges.last?.upperBound == stream.count)
    }

    @Test func thousandsOfDataLinesDoNotFillTheMemory() {
        let stream = Array((String(repeating: "data: x\n", count: 5_000) + "\ndata: y\n\n").utf8)
        let frames = frames(of: stream)
        #expect(frames.map(\.isTruncated) == [true, false])
        #expect(frames.map(\.data.count) == [1024, 1])
        #expect(frames.last?.bytes.upperBound == stream.count)
    }

    @Test(arguments: Fixtures.versions)
    func recordedEventsAreFoundWhereverTheStreamIsSplit(version: String) throws {
        let stream = Array(try Fixtures.data(version, "events-talk.txt"))
        let whole = frames(of: stream)
        #expect(whole.count >= 5)
        #expect(whole.last?.bytes.upperBound == stream.count)
        for frame in whole {
            #expect(frame.data.count == 1)
            let json = try JSONSerialization.jsonObject(with: Data(stream[try #require(frame.data.first)]))
            #expect((json as? [String: Any])?["type"] is String)
        }
        // A byte at a time is a split at every offset at once.
        var scanner = EventScanner()
        var bytewise: [EventFrame] = []
        for byte in stream { scanner.scan([byte]) { bytewise.append($0) } }
        #expect(bytewise == whole)
        let different = stride(from: 1, to: stream.count, by: 97).filter { frames(of: stream, splitAt: $0) != whole }
        #expect(different == [])
    }
}
