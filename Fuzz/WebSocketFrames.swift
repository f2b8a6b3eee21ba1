// SPDX-License-Identifier: Apache-2.0

// length: 512

import HTTPTypes
import WebSockets

/// Checks that the server's endpoint produces the same messages and frames wherever a client's bytes are split. Every
/// message must be within the limit, and every text must be valid UTF-8. The output must consist of complete frames,
/// with at most one close frame, at the end.
///
/// The input consists of a byte that sets the size of the chunks, a byte that selects the test case, and either the
/// bytes of a client or the bytes from which frames are built. Each such frame is built from a payload and a byte that
/// selects its kind, so that most frames are valid.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let size = Int(input.byte() & 31) + 1
    let bytes = input.byte() & 1 == 0 ? Array(input.remainder()) : frames(&input)
    let whole = answer(to: [bytes[...]])
    let chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    precondition(answer(to: chunks) == whole)
    check(whole.output, hasEnded: whole.hasEnded)
    return 0
}

private struct Heard: Equatable {
    var output: [UInt8] = []
    var messages: [Message] = []
    var hasEnded = false
}

private func answer(to chunks: [ArraySlice<UInt8>]) -> Heard {
    let endpoint = WebSocketEndpoint(limit: 256)
    var heard = Heard()
    for chunk in chunks {
        endpoint.receive(chunk.span) { event in
            guard case .message(let message) = event else { return }
            precondition(message.bytes.count <= 256)
            precondition(!message.isText || String(validating: message.bytes, as: UTF8.self) != nil)
            heard.messages.append(message)
            endpoint.send(Frame(message.isText ? .text : .binary, message.bytes))
        }
        while !endpoint.outgoing.isEmpty {
            let count = endpoint.outgoing.withNext { first, _, _ in
                for index in first.indices { heard.output.append(first[index]) }
                return first.count
            }
            endpoint.sent(count)
        }
    }
    heard.hasEnded = endpoint.phase == .ended
    return heard
}

/// Checks that the output consists of complete server frames, with a close frame only at the end.
private func check(_ output: [UInt8], hasEnded: Bool) {
    var remaining = output[...]
    var hasClosed = false
    while !remaining.isEmpty {
        precondition(!hasClosed && remaining.count >= 2)
        let first = remaining[remaining.startIndex]
        precondition(first & 0xF0 == 0x80 && [1, 2, 8, 10].contains(first & 0x0F))
        var length = Int(remaining[remaining.startIndex + 1])
        var start = 2
        if length == 126 {
            length = Int(remaining[remaining.startIndex + 2]) << 8 | Int(remaining[remaining.startIndex + 3])
            start = 4
        }
        precondition(length < 127 || start == 4)
        precondition(remaining.count >= start + length)
        hasClosed = first & 0x0F == 8
        remaining = remaining.dropFirst(start + length)
    }
    precondition(hasClosed == hasEnded)
}

private func frames(_ input: inout FuzzInput) -> [UInt8] {
    var bytes: [UInt8] = []
    while let payload = input.bytes(endedBy: 0xFF) {
        let first = input.byte()
        let kinds: [UInt8] = [0x81, 0x01, 0x80, 0x00, 0x82, 0x89, 0x8A, 0x88]
        bytes.append(first < 0xF0 ? kinds[Int(first & 7)] : first)
        let payload = Array(payload.prefix(300))
        bytes +=
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        let key = [input.byte(), input.byte(), 0x5A, 0xA5]
        bytes += key
        bytes += payload.enumerated().map { $0.element ^ key[$0.offset & 3] }
    }
    return bytes
}
