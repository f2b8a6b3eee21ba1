// modules: OpenCode
// length: 256

import OpenCode

private let folder = "/home/vibe/demo"
private let scope = DirectoryScope(folder: folder, resolved: folder)

/// What passes of a stream does not depend on how it was cut, is a part of it in order, and an event passes exactly when
/// its directory is the project's, wherever that stands in its JSON and however it is escaped.
///
/// The input is a byte for the pieces and one for what is tried, then the stream, or what an event is made of.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let pieces = Int(input.byte()) + 1
    if input.byte() & 1 == 0 {
        let stream = Array(input.remainder())
        let whole = filtered(stream, pieces: max(1, stream.count))
        precondition(whole == filtered(stream, pieces: pieces))
        precondition(isPart(whole, of: stream))
        // With next to no room, less passes.
        precondition(isPart(filtered(stream, pieces: pieces, limit: 4), of: stream))
    } else {
        let isOwn = input.byte() & 1 == 0
        let stream = frame(isOwn, &input)
        let comment = Array(": end\n\n".utf8)
        precondition(filtered(stream + comment, pieces: pieces) == (isOwn ? stream : []) + comment)
    }
    return 0
}

private func filtered(_ stream: [UInt8], pieces: Int, limit: Int = 1 << 20) -> [UInt8] {
    var filter = EventDirectoryFilter(scope: scope, limit: limit)
    var passed: [UInt8] = []
    for start in stride(from: 0, to: stream.count, by: pieces) {
        filter.filter(stream.span.extracting(start..<min(start + pieces, stream.count))) { bytes in
            for index in bytes.indices { passed.append(bytes[index]) }
        }
    }
    return passed
}

private func isPart(_ part: [UInt8], of whole: [UInt8]) -> Bool {
    var rest = whole[...]
    for byte in part {
        guard let index = rest.firstIndex(of: byte) else { return false }
        rest = rest[(index + 1)...]
    }
    return true
}

/// An event with members before and behind its directory, made of the input.
private func frame(_ isOwn: Bool, _ input: inout FuzzInput) -> [UInt8] {
    let directory = string(Array((isOwn ? folder : "/home/vibe/other").utf8), escapes: input.byte())
    let key = string(Array("directory".utf8), escapes: input.byte())
    let before = member(&input)
    let behind = member(&input)
    return Array("data: {".utf8) + before + key + Array(" : ".utf8) + directory + Array(",".utf8) + behind
        + Array("\"end\":null}\n\n".utf8)
}

/// A member that is not the directory: text, or an object or list with a directory in it.
private func member(_ input: inout FuzzInput) -> [UInt8] {
    let kind = input.byte()
    let text = Array(String(decoding: input.piece(endedBy: 0xFF) ?? [], as: UTF8.self).utf8)
    let quoted = string(text, escapes: input.byte())
    let trap = Array(#"{"directory":"/etc","worktree":[{}]}"#.utf8)
    let name = Array(#""x":"#.utf8)
    let value: [UInt8] =
        switch kind % 4 {
        case 0: quoted
        case 1: trap
        case 2: Array("[".utf8) + quoted + Array(",".utf8) + trap + Array("]".utf8)
        default: Array(#"{"directory":"#.utf8) + quoted + Array("}".utf8)
        }
    return name + value + Array(",".utf8)
}

/// A JSON string; every character that the bits choose is escaped.
private func string(_ text: [UInt8], escapes: UInt8) -> [UInt8] {
    var bits = escapes
    var result = Array("\"".utf8)
    for byte in text {
        bits = bits << 1 | bits >> 7
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
        case 0x80...: result.append(byte)
        case _ where byte < 0x20 || byte == 0x7F || bits & 1 == 1:
            let digits = String(byte, radix: 16)
            result += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
        default: result.append(byte)
        }
    }
    return result + Array("\"".utf8)
}
