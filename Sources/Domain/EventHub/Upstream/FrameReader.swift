// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import OpenCodeFamilies

/// Assembles a stream's frames from bytes as they arrive (WHATWG HTML §9.2.6).
package struct FrameReader: Sendable {
    /// A frame of the stream.
    package enum Frame: Sendable, Equatable {
        /// The data of an event. Several data lines are joined by spaces, which do not change the meaning of JSON. No
        /// version of OpenCode sends several data lines.
        case event([UInt8])
        /// A frame without data, usually a comment. The frame is unchanged and includes its blank line.
        case other([UInt8])
        /// An event that was larger than the limit.
        case tooLarge
    }

    /// The maximum size of a frame without data, in bytes. The reader omits a larger frame. A part of the frame could
    /// have another meaning, for example if it ended in the middle of a comment.
    private static let longestOther = 16 * 1024

    private let limit: Int
    private var scanner = EventScanner()
    /// The data of the current frame that was received until now.
    private var data: [UInt8] = []
    private var hasLine = false
    private var isTooLarge = false
    /// All bytes of the current frame, while the frame has no data; empty if there are too many.
    private var raw: [UInt8] = []
    private var isRawTooLarge = false

    /// Creates a reader for a new stream. Events may have at most `limit` bytes.
    package init(limit: Int) { self.limit = limit }

    /// Processes the next bytes, which may be split anywhere, and calls `body` with each complete frame.
    package mutating func parse(_ bytes: borrowing Span<UInt8>, _ body: (Frame) -> Void) {
        var index = 0
        var start = 0
        while let step = scanner.next(bytes, &index) {
            switch step {
            case .data(let range): add(bytes.extracting(range))
            case .endOfData: hasLine = true
            case .frame(let isEvent):
                if !isEvent { keep(bytes.extracting(start..<index)) }
                start = index
                finishFrame(isEvent, body)
            }
        }
        if !hasLine, data.isEmpty, !isTooLarge { keep(bytes.extracting(start..<bytes.count)) }
    }

    private mutating func add(_ bytes: borrowing Span<UInt8>) {
        guard !isTooLarge else { return }
        if hasLine {
            hasLine = false
            data.append(UInt8(ascii: " "))
        }
        guard data.count + bytes.count <= limit else {
            isTooLarge = true
            data = []
            return
        }
        data.append(copying: bytes)
    }

    private mutating func keep(_ bytes: borrowing Span<UInt8>) {
        guard !isRawTooLarge, raw.count + bytes.count <= Self.longestOther else {
            isRawTooLarge = true
            raw = []
            return
        }
        raw.append(copying: bytes)
    }

    private mutating func finishFrame(_ isEvent: Bool, _ body: (Frame) -> Void) {
        var frame: [UInt8] = []
        if isTooLarge {
            body(.tooLarge)
        } else if isEvent {
            swap(&frame, &data)
            body(.event(frame))
        } else if !raw.isEmpty {
            swap(&frame, &raw)
            body(.other(frame))
        }
        data = []
        raw = []
        isRawTooLarge = false
        hasLine = false
        isTooLarge = false
    }
}
