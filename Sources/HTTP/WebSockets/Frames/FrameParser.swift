// SPDX-License-Identifier: Apache-2.0

internal import CWslay

/// A frame parser based on libwslay. A parser uses 4 KiB of memory, so an endpoint keeps a parser only while a frame is
/// incomplete (``isBetweenFrames``).
final class FrameParser {
    /// The reason why parsing stopped.
    enum StopReason: Equatable {
        /// All bytes were parsed without an error.
        case wantsMore
        /// The frame is invalid: a control frame that is too long or not final, or a length that is not in its shortest
        /// encoding.
        case malformed
        /// The `onPart` closure stopped parsing.
        case refused
        /// Memory could not be allocated.
        case failed
    }

    /// The position of a part of the payload in its frame.
    struct PartPosition: Equatable {
        /// Whether this is the first part of the frame.
        var isFirst: Bool
        /// Whether this is the last part of the frame.
        var isLast: Bool
    }

    private var context: wslay_frame_context_ptr?
    /// The bytes that libwslay has not fetched yet. Valid only during ``parse(_:_:)``, which borrows them.
    private var lent = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The number of bytes that libwslay has fetched. `delivered` is the number of bytes in the frames that libwslay
    /// has reported.
    private var fetched: UInt64 = 0
    private var delivered: UInt64 = 0
    /// The number of remaining bytes of the current frame's payload.
    private var left: UInt64 = 0

    init() {
        var callbacks = wslay_frame_callbacks(
            send_callback: nil, recv_callback: Self.onReceive, genmask_callback: nil)
        // The context is freed together with this object, so its pointer is valid in all callbacks.
        let userData = Unmanaged.passUnretained(self).toOpaque()
        if wslay_frame_context_init(&context, &callbacks, userData) != 0 { context = nil }
    }

    deinit {
        if let context { wslay_frame_context_free(context) }
    }

    /// Whether all received frames are complete.
    var isBetweenFrames: Bool { left == 0 && fetched == delivered }

    /// Parses all bytes, unless an error occurs.
    ///
    /// - Parameter onPart: Called with each part of a frame's payload, at least once for each frame. Returns whether to
    ///   continue.
    func parse(_ bytes: Span<UInt8>, _ onPart: (FrameHead, PartPosition, Span<UInt8>) -> Bool) -> StopReason {
        guard let context else { return .failed }
        // The pointer, and everything that libwslay borrows from it, is valid for this call only.
        return bytes.withUnsafeBufferPointer { buffer in
            lent = buffer
            defer { lent = UnsafeBufferPointer(start: nil, count: 0) }
            while true {
                var part = wslay_frame_iocb()
                let count = wslay_frame_recv(context, &part)
                if count == Self.wantsRead {
                    if lent.isEmpty { return .wantsMore }
                    continue
                }
                guard count >= 0 else { return .malformed }
                guard deliver(part, onPart) else { return .refused }
            }
        }
    }

    private func deliver(_ part: wslay_frame_iocb, _ onPart: (FrameHead, PartPosition, Span<UInt8>) -> Bool) -> Bool {
        let head = FrameHead(
            isFinal: part.fin != 0, reserved: part.rsv, opcode: part.opcode, length: part.payload_length,
            isMasked: part.mask != 0)
        let isFirst = left == 0
        if isFirst {
            delivered += UInt64(head.size)
            left = head.length
        }
        left -= UInt64(part.data_length)
        delivered += UInt64(part.data_length)
        let data = UnsafeBufferPointer(start: part.data_length == 0 ? nil : part.data, count: part.data_length)
        return onPart(head, PartPosition(isFirst: isFirst, isLast: left == 0), data.span)
    }

    private func fetch(into memory: UnsafeMutablePointer<UInt8>, _ capacity: Int) -> Int {
        let count = min(capacity, lent.count)
        guard count > 0, let start = lent.baseAddress else { return 0 }
        memory.update(from: start, count: count)
        lent = UnsafeBufferPointer(rebasing: lent[count...])
        fetched += UInt64(count)
        return count
    }

    private static let wantsRead = Int(WSLAY_ERR_WANT_READ.rawValue)

    private static let onReceive: wslay_frame_recv_callback = { memory, capacity, _, context in
        guard let memory, let context else { return -1 }
        return Unmanaged<FrameParser>.fromOpaque(context).takeUnretainedValue().fetch(into: memory, capacity)
    }
}
