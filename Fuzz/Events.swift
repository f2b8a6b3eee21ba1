// modules: OpenCode
// length: 256

@testable import OpenCode

/// Frames don't depend on how the stream was cut, follow each other without a gap, and are those of a second, naive reader.
///
/// The input is a byte for the pieces, then the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let pieces = Int(input.byte()) + 1
    let stream = Array(input.remainder())
    let whole = frames(stream, pieces: max(1, stream.count))
    precondition(whole == frames(stream, pieces: pieces))
    precondition(whole == plainFrames(stream))
    var end = 0
    for frame in whole {
        precondition(frame.bytes.lowerBound == end && !frame.bytes.isEmpty)
        end = frame.bytes.upperBound
        precondition(end <= stream.count && (stream[end - 1] == 0x0A || stream[end - 1] == 0x0D))
    }
    return 0
}

private func frames(_ stream: [UInt8], pieces: Int) -> [EventFrame] {
    var scanner = EventScanner()
    var frames: [EventFrame] = []
    for start in stride(from: 0, to: stream.count, by: pieces) {
        scanner.scan(stream.span.extracting(start..<min(start + pieces, stream.count))) { frames.append($0) }
    }
    return frames
}

/// Line after line, as WHATWG HTML §9.2.6 tells it.
private func plainFrames(_ stream: [UInt8]) -> [EventFrame] {
    var frames: [EventFrame] = []
    var frame = EventFrame(bytes: 0..<0)
    var (frameStart, hasLine) = (0, false)
    var start = stream.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let end = stream[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
        if end > start {
            hasLine = true
            add(stream, start..<end, to: &frame)
        } else if hasLine {
            frame.bytes = frameStart..<end + 1
            frames.append(frame)
            (frame, frameStart, hasLine) = (EventFrame(bytes: 0..<0), end + 1, false)
        }
        start = end + (stream[end...].starts(with: [0x0D, 0x0A]) ? 2 : 1)
    }
    return frames
}

private func add(_ stream: [UInt8], _ line: Range<Int>, to frame: inout EventFrame) {
    let colon = stream[line].firstIndex(of: UInt8(ascii: ":"))
    let name = stream[line.lowerBound..<(colon ?? line.upperBound)]
    var value = (colon.map { $0 + 1 } ?? line.upperBound)..<line.upperBound
    if let first = stream[value].first, first == 0x20 { value = value.lowerBound + 1..<value.upperBound }
    if name.elementsEqual("data".utf8) {
        frame.data.append(value)
    } else if name.elementsEqual("event".utf8) {
        frame.event = value
    } else if name.elementsEqual("id".utf8), !stream[value].contains(0) {
        frame.id = value
    } else if name.elementsEqual("retry".utf8), stream[value].allSatisfy({ (0x30...0x39).contains($0) }),
        let time = Int(String(decoding: stream[value], as: UTF8.self))
    {
        frame.retry = time
    }
}
