internal import CWslay

/// libwslay's reader of frames. It holds 4 KiB, so there is one only while a frame has come in part
/// (``isBetweenFrames``).
final class FrameParser {
    /// Why reading has stopped.
    enum Outcome: Equatable {
        /// All bytes were taken.
        case wantsMore
        /// No frame begins so: a control frame that is long or not final, or a length in a longer form than needed.
        case malformed
        /// Who was given the pieces wants no more of them.
        case refused
        /// There is no memory for it.
        case failed
    }

    /// What is known of a frame when a piece of its payload has come.
    struct Place: Equatable {
        /// Whether nothing of the frame came before.
        var isFirst: Bool
        /// Whether nothing of the frame is to come.
        var isLast: Bool
    }

    private var context: wslay_frame_context_ptr?
    /// What libwslay has still to fetch; only while ``read(_:_:)`` runs, for which these bytes are lent.
    private var lent = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// Bytes that libwslay has fetched, and those of frames that it has told of.
    private var fetched: UInt64 = 0
    private var told: UInt64 = 0
    /// What is left of the current frame's payload.
    private var left: UInt64 = 0

    init() {
        var callbacks = wslay_frame_callbacks(
            send_callback: nil, recv_callback: Self.onReceive, genmask_callback: nil)
        // The context is freed with this object: its pointer is good for as long as callbacks come.
        let own = Unmanaged.passUnretained(self).toOpaque()
        if wslay_frame_context_init(&context, &callbacks, own) != 0 { context = nil }
    }

    deinit {
        if let context { wslay_frame_context_free(context) }
    }

    /// Whether no byte of a frame waits for its others.
    var isBetweenFrames: Bool { left == 0 && fetched == told }

    /// Reads all bytes, unless something is wrong; `piece` gets each piece of a frame's payload, at least one for each frame,
    /// and says whether to go on.
    func read(_ bytes: Span<UInt8>, _ piece: (FrameHead, Place, Span<UInt8>) -> Bool) -> Outcome {
        guard let context else { return .failed }
        // The pointer lives for this call, and so does what libwslay is lent of it.
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
                guard tell(part, piece) else { return .refused }
            }
        }
    }

    private func tell(_ part: wslay_frame_iocb, _ piece: (FrameHead, Place, Span<UInt8>) -> Bool) -> Bool {
        let head = FrameHead(
            isFinal: part.fin != 0, reserved: part.rsv, opcode: part.opcode, length: part.payload_length,
            isMasked: part.mask != 0)
        let isFirst = left == 0
        if isFirst {
            told += UInt64(head.size)
            left = head.length
        }
        left -= UInt64(part.data_length)
        told += UInt64(part.data_length)
        let data = UnsafeBufferPointer(start: part.data_length == 0 ? nil : part.data, count: part.data_length)
        return piece(head, Place(isFirst: isFirst, isLast: left == 0), data.span)
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
