// SPDX-License-Identifier: Apache-2.0

internal import CWslay

/// A complete frame as a server sends it: final and not masked (RFC 6455 §5.1). A message for many clients is therefore
/// encoded only once.
package struct Frame: Sendable, Equatable {
    /// The encoded bytes of the frame.
    package let bytes: [UInt8]

    /// Creates a frame of the given kind. Truncates the payload of a control frame to 125 bytes, the maximum (RFC 6455
    /// §5.5).
    package init(_ opcode: Opcode, _ payload: [UInt8]) {
        let isControl = opcode.rawValue & 0x8 != 0
        bytes = Self.written(opcode, isControl ? Array(payload.prefix(125)) : payload)
    }

    /// Returns a text message. The text must be UTF-8.
    package static func text(_ text: [UInt8]) -> Frame { Frame(.text, text) }

    /// Returns a close frame with a code and a reason of at most 123 bytes. If `status` is nil, the frame has neither.
    static func close(_ status: CloseStatus?) -> Frame {
        guard let status else { return Frame(.close, []) }
        let code = status.code.rawValue
        return Frame(.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(status.reason.prefixOfCharacters(123)))
    }

    /// Collects the bytes that libwslay writes.
    private final class Output {
        var bytes: [UInt8] = []
    }

    private static func written(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        let output = Output()
        output.bytes.reserveCapacity(payload.count + 10)
        var callbacks = wslay_frame_callbacks(
            send_callback: Self.onSend, recv_callback: nil, genmask_callback: nil)
        var context: wslay_frame_context_ptr?
        // `output` outlives the context, which is freed before this function returns.
        guard wslay_frame_context_init(&context, &callbacks, Unmanaged.passUnretained(output).toOpaque()) == 0 else {
            return []
        }
        defer { wslay_frame_context_free(context) }
        return payload.withUnsafeBufferPointer { payload in
            var frame = wslay_frame_iocb()
            frame.fin = 1
            frame.opcode = opcode.rawValue
            frame.payload_length = UInt64(payload.count)
            frame.data = payload.baseAddress
            frame.data_length = payload.count
            let count = wslay_frame_send(context, &frame)
            precondition(count == payload.count, "libwslay wrote a part of a frame to memory")
            return output.bytes
        }
    }

    private static let onSend: wslay_frame_send_callback = { data, count, _, context in
        guard let data, let context else { return -1 }
        let output = Unmanaged<Output>.fromOpaque(context).takeUnretainedValue()
        output.bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
        return count
    }
}

extension String {
    /// Returns as many whole characters as fit in the given number of UTF-8 bytes.
    fileprivate func prefixOfCharacters(_ limit: Int) -> String.UTF8View.SubSequence {
        var end = startIndex
        while end < endIndex, utf8.distance(from: startIndex, to: index(after: end)) <= limit {
            end = index(after: end)
        }
        return utf8[..<end]
    }
}
