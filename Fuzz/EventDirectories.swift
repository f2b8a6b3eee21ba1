// SPDX-License-Identifier: Apache-2.0

// length: 256

import OpenCodeFamilies

private let folder = "/home/vibe/demo"
private let scope = DirectoryScope(folder: folder, resolved: folder)

/// Checks that the forwarded part of a stream does not depend on where the stream is split, and contains bytes of the
/// stream in their order. An event must be forwarded if and only if it names the project's directory, wherever the
/// directory is in the JSON and however it is escaped. An event without a directory must be forwarded if and only if
/// its session's directory is the project's directory. If no event has named the session's directory, the filter
/// queries the directory.
///
/// The input consists of a byte that sets the size of the chunks, a byte that selects the test case, and either a
/// stream or the bytes from which events are built.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let chunk = Int(input.byte()) + 1
    switch input.byte() % 3 {
    case 0:
        let stream = Array(input.remainder())
        let whole = filtered(stream, chunk: max(1, stream.count))
        precondition(whole == filtered(stream, chunk: chunk))
        precondition(whole == filtered(stream, chunk: chunk, hasPendingUpdates: true))
        precondition(isPart(whole, of: stream))
        // With nearly no memory, fewer events are forwarded, but the forwarded bytes are still a part of the stream.
        precondition(isPart(filtered(stream, chunk: chunk, limit: 4), of: stream))
    case 1:
        let isInside = input.byte() & 1 == 0
        let stream = frame(isInside, &input)
        let comment = Array(": end\n\n".utf8)
        precondition(filtered(stream + comment, chunk: chunk) == (isInside ? stream : []) + comment)
    default: checkSessions(&input, chunk)
    }
    return 0
}

private func filtered(_ stream: [UInt8], chunk: Int, limit: Int = 1 << 20, hasPendingUpdates: Bool = false) -> [UInt8] {
    var filter = EventDirectoryFilter(scope: scope, limit: limit)
    var index = EventSessionIndex()
    var passed: [UInt8] = []
    func keep(_ bytes: borrowing Span<UInt8>) { for offset in bytes.indices { passed.append(bytes[offset]) } }
    for start in stride(from: 0, to: stream.count, by: chunk) {
        index.hasPendingUpdates = hasPendingUpdates
        filter.filter(stream.span.extracting(start..<min(start + chunk, stream.count)), &index, pass: keep)
        while let query = filter.query {
            switch query {
            case .updates: index.hasPendingUpdates = false
            case .session(let id): index.sessions.record(id, Array(home(of: id).utf8))
            case .project: index.project = Array("own".utf8)
            }
            filter.resume(&index, pass: keep)
        }
    }
    filter.finish(&index, pass: keep)
    return passed
}

/// Returns the directory of a session according to the instance.
private func home(of session: [UInt8]) -> String { (session.last ?? 0) & 1 == 0 ? folder : "/home/vibe/other" }

/// Tests events with and without a location from four sessions that are created, used, moved and removed. The forwarded
/// events must agree with the events that a second implementation forwards.
private func checkSessions(_ input: inout FuzzInput, _ chunk: Int) {
    var directories: [String: String] = [:]
    var stream: [UInt8] = []
    var expected: [UInt8] = []
    for _ in 0..<Int(input.byte() % 12) {
        let session = "ses_\(input.byte() % 4)"
        let directory = input.byte() & 1 == 0 ? folder : "/home/vibe/other"
        let isInside: Bool
        var members = [(key: "created", value: Array("1".utf8))]
        var data = [(key: "sessionID", value: string(Array(session.utf8), escapes: input.byte()))]
        switch input.byte() % 3 {
        case 0:
            members.append(("type", Array(#""session.step.started""#.utf8)))
            members.append(("location", object([("directory", string(Array(directory.utf8), escapes: input.byte()))])))
            directories[session] = directory
            isInside = directory == folder
        case 1:
            let from = input.byte() & 1 == 0 ? folder : "/home/vibe/other"
            members.append(("type", string(Array("session.moved".utf8), escapes: input.byte())))
            members.append(("location", object([("directory", string(Array(from.utf8), escapes: 0))])))
            data.append(("location", object([("directory", string(Array(directory.utf8), escapes: input.byte()))])))
            directories[session] = directory
            isInside = from == folder || directory == folder
        default:
            members.append(("type", Array(#""session.deleted""#.utf8)))
            isInside = directories[session, default: home(of: Array(session.utf8))] == folder
            directories[session] = directories[session] ?? home(of: Array(session.utf8))
        }
        members.append(("data", object(data)))
        // Members may be in any order.
        let turn = Int(input.byte()) % members.count
        let event = Array("data: ".utf8) + object(Array(members[turn...] + members[..<turn])) + Array("\n\n".utf8)
        stream += event
        if isInside { expected += event }
    }
    precondition(filtered(stream, chunk: chunk) == expected)
}

private func object(_ members: [(key: String, value: [UInt8])]) -> [UInt8] {
    let texts = members.map { Array("\"\($0.key)\":".utf8) + $0.value }
    return Array("{".utf8) + texts.joined(separator: Array(",".utf8)) + Array("}".utf8)
}

private func isPart(_ part: [UInt8], of whole: [UInt8]) -> Bool {
    var remainder = whole[...]
    for byte in part {
        guard let index = remainder.firstIndex(of: byte) else { return false }
        remainder = remainder[(index + 1)...]
    }
    return true
}

/// Returns an event with members before and after its directory, built from the input.
private func frame(_ isInside: Bool, _ input: inout FuzzInput) -> [UInt8] {
    let directory = string(Array((isInside ? folder : "/home/vibe/other").utf8), escapes: input.byte())
    let key = string(Array("directory".utf8), escapes: input.byte())
    let before = member(&input)
    let after = member(&input)
    return Array("data: {".utf8) + before + key + Array(" : ".utf8) + directory + Array(",".utf8) + after
        + Array("\"end\":null}\n\n".utf8)
}

/// Returns a member that is not the directory: a text, or an object or array that contains a directory.
private func member(_ input: inout FuzzInput) -> [UInt8] {
    let kind = input.byte()
    let text = Array(String(decoding: input.bytes(endedBy: 0xFF) ?? [], as: UTF8.self).utf8)
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
