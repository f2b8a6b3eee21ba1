// SPDX-License-Identifier: Apache-2.0

// length: 512

import HTTPTypes
import WebSockets

/// For every input of a client, the server's endpoint produces the same output wherever the bytes are split. It replies
/// to every accepted message, stores no more than it was sent, and ends with at most one close frame.
///
/// The input consists of a byte for the test case, followed by the bytes in chunks of limited size, or by material for
/// frames. Each such frame is built from a byte for its kind and a payload, so that most frames are valid.
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
