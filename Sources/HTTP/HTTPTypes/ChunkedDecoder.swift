// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// A strict decoder for the chunked transfer coding (RFC 9112 §7.1).
///
/// Lines must end with CR LF. Sizes have 1 to 16 hexadecimal digits. Only white space and a chunk extension of bounded
/// length may follow a size. With a lenient parser, two implementations can disagree about the end of a body.
package struct ChunkedDecoder: Sendable {
    /// The reasons why a body is malformed.
    package enum Fault: Error, Sendable, Equatable {
        case sizeIsNoNumber
        case lineTooLong
        case lineEnding
        case trailersTooLong
        case badTrailer
        /// Bytes follow the last chunk.
        case excess
    }

    private enum State {
        case size(digits: Int)
        case sizeSpace(length: Int)
        case sizeExtension(length: Int)
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailerLine
        case trailerLineFeed(isEmpty: Bool)
        case complete
    }

    private var state = State.size(digits: 0)
    private var remaining: UInt64 = 0
    private var line: [UInt8] = []
    private var trailerBytes = 0

    /// The trailer fields (RFC 9110 §6.5), valid when ``isComplete``.
    package private(set) var trailers = FieldList()

    private static let maximumExtension = 256
    private static let maximumTrailers = 8 * 1024

    /// Creates a decoder at the start of a body.
    package init() {}

    /// Whether the last chunk and its trailers have been read.
    package var isComplete: Bool {
        if case .complete = state { return true }
        return false
    }

    /// Decodes the next bytes of a body and passes each contiguous part of the content to `content`, in order.
    package mutating func decode(
        _ bytes: Span<UInt8>, content: (Span<UInt8>) -> Void
    ) throws(Fault) {
        var index = 0
        while index < bytes.count {
            if case .data = state {
                let run = Int(min(UInt64(bytes.count - index), remaining))
                content(bytes.extracting(index..<(index + run)))
                remaining -= UInt64(run)
                index += run
                if remaining == 0 { state = .dataCarriageReturn }
                continue
            }
            try consume(bytes[index])
            index += 1
        }
    }

    private mutating func consume(_ byte: UInt8) throws(Fault) {
        switch state {
        case .size(let digits): try takeSize(byte, digits)
        case .sizeSpace(let length): try takeAfterSize(byte, length)
        case .sizeExtension(let length):
            if byte == 0x0d {
                state = .sizeLineFeed
            } else {
                guard length < Self.maximumExtension else { throw .lineTooLong }
                guard byte >= 0x20 || byte == 0x09 else { throw .lineEnding }
                state = .sizeExtension(length: length + 1)
            }
        case .sizeLineFeed:
            guard byte == 0x0a else { throw .lineEnding }
            state = remaining == 0 ? .trailerLine : .data
        case .dataCarriageReturn:
            guard byte == 0x0d else { throw .lineEnding }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0a else { throw .lineEnding }
            state = .size(digits: 0)
        case .trailerLine: try takeTrailer(byte)
        case .trailerLineFeed(let isEmpty):
            guard byte == 0x0a else { throw .lineEnding }
            state = isEmpty ? .complete : .trailerLine
        case .complete, .data:
            throw .excess
        }
    }

    private mutating func takeSize(_ byte: UInt8, _ digits: Int) throws(Fault) {
        if let value = byte.hexadecimalDigitValue {
            guard digits < 16 else { throw .sizeIsNoNumber }
            remaining = remaining << 4 | UInt64(value)
            state = .size(digits: digits + 1)
            return
        }
        guard digits > 0 else { throw .sizeIsNoNumber }
        try takeAfterSize(byte, 0)
    }

    /// Handles a byte after a size: white space, the start of an extension or the end of the line. `length` bytes of
    /// white space precede the byte.
    private mutating func takeAfterSize(_ byte: UInt8, _ length: Int) throws(Fault) {
        guard length <= Self.maximumExtension || byte == 0x0d else { throw .lineTooLong }
        switch byte {
        case 0x0d: state = .sizeLineFeed
        case 0x20, 0x09: state = .sizeSpace(length: length + 1)
        case UInt8(ascii: ";"): state = .sizeExtension(length: length)
        case 0x0a: throw .lineEnding
        default: throw .sizeIsNoNumber
        }
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(Fault) {
        guard byte == 0x0d else {
            guard byte != 0x0a else { throw .lineEnding }
            trailerBytes += 1
            guard trailerBytes <= Self.maximumTrailers else { throw .trailersTooLong }
            line.append(byte)
            return
        }
        state = .trailerLineFeed(isEmpty: line.isEmpty)
        guard !line.isEmpty else { return }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(\.isTokenCharacter)
        else { throw .badTrailer }
        let value = line[(colon + 1)...].trimmingOptionalWhiteSpace()
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { throw .badTrailer }
        trailers.append(name: Array(line[..<colon]), value: value)
        line.removeAll(keepingCapacity: true)
    }
}
