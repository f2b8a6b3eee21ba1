// modules: OpenCode
import OpenCode

/// The event scanner finds the same frames however the stream is split; they follow each other without a gap, and every
/// range lies within its frame.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let start, count > 0 else { return 0 }
    let stream = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))

    var scanner = EventScanner()
    var whole: [EventFrame] = []
    scanner.scan(stream) { whole.append($0) }
    var end = 0
    for frame in whole {
        precondition(frame.bytes.lowerBound == end && !frame.bytes.isEmpty && frame.bytes.upperBound <= stream.count)
        end = frame.bytes.upperBound
        for range in frame.data + [frame.event, frame.id].compactMap({ $0 }) {
            precondition(frame.bytes.lowerBound <= range.lowerBound && range.upperBound < frame.bytes.upperBound)
            precondition(!stream[range].contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        }
    }

    let split = stream.isEmpty ? 0 : Int(start[0]) % (stream.count + 1)
    var again = EventScanner()
    var halves: [EventFrame] = []
    again.scan(Array(stream[..<split])) { halves.append($0) }
    again.scan(Array(stream[split...])) { halves.append($0) }
    precondition(halves == whole)
    return 0
}
