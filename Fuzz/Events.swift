// SPDX-License-Identifier: Apache-2.0

// length: 256

import OpenCodeFamilies

/// Checks that the frames of a stream do not depend on where the stream is split, are contiguous, and agree with a
/// simple second parser.
///
/// The input consists of a byte that sets the size of the chunks, and the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let chunk = Int(input.byte()) + 1
    let stream = Array(input.remainder())
    let whole = frames(stream, chunk: max(1, stream.count))
    precondition(whole == frames(stream, chunk: chunk))
    precondition(whole == plainFrames(stream))
    var end = 0
    for frame in whole {
        precondition(frame.bytes.lowerBound == end && !frame.bytes.isEmpty)
        end = frame.bytes.upperBound
        precondition(end <= stream.count && (stream[end - 1] == 0x0A || stream[end - 1] == 0x0D))
    }
    return 0
}

/// A frame that a scanner finds.
private struct Frame: Equatable {
    var bytes: Range<Int>
    /// The values of its `data` lines.
    var data: [[UInt8]] = []
}

private func frames(_ stream: [UInt8], chunk: Int) -> [Frame] {
    var scanner = EventScanner()
    var frames: [Frame] = []
    var frame = Frame(bytes: 0..<0)
    var line: [UInt8] = []
    for start in stride(from: 0, to: stream.count, by: chunk) {
        let part = Array(stream[start..<min(start + chunk, stream.count)])
        var index = 0
        while let step = scanner.next(part.span, &index) {
            switch step {
            case .data(let range): line += part[range]
            case .endOfData:
                frame.data.append(line)
                line = []
            case .frame(let isEvent):
                precondition(isEvent == !frame.data.isEmpty)
                frame.bytes = (frames.last?.bytes.upperBound ?? 0)..<start + index
                frames.append(frame)
                frame = Frame(bytes: 0..<0)
            }
        }
    }
    return frames
}

/// Parses the stream line by line, as WHATWG HTML §9.2.6 describes.
private func plainFrames(_ stream: [UInt8]) -> [Frame] {
    var frames: [Frame] = []
    var frame = Frame(bytes: 0..<0)
    var (frameStart, hasLine) = (0, false)
    var start = stream.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let end = stream[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
        if end > start {
            hasLine = true
            if let value = data(stream[start..<end]) { frame.data.append(value) }
        } else if hasLine {
            frame.bytes = frameStart..<end + 1
            frames.append(frame)
            frame = Frame(bytes: 0..<0)
            frameStart = end + 1
            hasLine = false
        }
        start = end + (stream[end...].starts(with: [0x0D, 0x0A]) ? 2 : 1)
    }
    return frames
}

/// Returns the value of a data line; nil for any other line.
private func data(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    guard line[..<(colon ?? line.endIndex)].elementsEqual("data".utf8) else { return nil }
    let value = colon.map { line[($0 + 1)...] } ?? []
    return Array(value.first == 0x20 ? value.dropFirst() : value)
}
