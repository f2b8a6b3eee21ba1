// SPDX-License-Identifier: Apache-2.0

/// Finds the frames of a server-sent event stream and the data of these frames while the stream's bytes are received
/// (WHATWG HTML §9.2.6, "Interpreting an event stream").
///
/// The scanner copies no bytes, and stores only a few flags, however long a line or an event is. Lines end with LF,
/// CRLF or CR, and may be split anywhere. A frame ends with the first byte of the blank line's line end. If that line
/// end is CRLF, the LF belongs to the next frame. If the scanner waited for the LF, it would delay every event of a
/// stream whose lines end with CR.
package struct EventScanner: Sendable {
    private enum State {
        /// The scanner is at the beginning of the stream, after this number of bytes of the byte order mark.
        case byteOrderMark(Int)
        case lineStart
        /// The scanner is in a field's name. `name` contains the last eight bytes.
        case name
        /// The scanner is directly after the colon of a field.
        case valueStart
        case value
    }

    private var state = State.byteOrderMark(0)
    private var hasLine = false
    private var hasData = false
    private var followsCarriageReturn = false
    private var name: UInt64 = 0
    private var nameCount = 0
    /// Whether the current line is a `data` line. OpenCode uses no other field.
    private var isData = false

    /// Creates a scanner at the beginning of an event stream.
    package init() {}

    /// An element that the scanner has found.
    package enum Step: Sendable, Equatable {
        /// The range of a `data` line's value in the current bytes. The scanner may report a value in several parts.
        /// The scanner does not report an empty value.
        case data(Range<Int>)
        /// A `data` line is complete. The event's data consists of the values of all its `data` lines, joined by LF.
        case endOfData
        /// A frame is complete, including its blank line. `isEvent` is false for a frame without data, such as a
        /// keep-alive comment, which a client does not receive as an event.
        case frame(isEvent: Bool)
    }

    /// Scans the next bytes of the body from `index` to the next step. The bytes may be split anywhere. Returns nil
    /// when all bytes have been consumed.
    package mutating func next(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Step? {
        while index < bytes.count {
            if case .value = state {
                // Nearly all bytes are in this state, so search only for the line end.
                let start = index
                index = Self.endOfLine(in: bytes, from: start)
                if isData, index > start { return .data(start..<index) }
                if index == bytes.count { return nil }
            }
            let byte = bytes[index]
            let isFirstOfData = isFirstOfData(byte)
            let step = consume(byte)
            index += 1
            if let step { return step }
            if isFirstOfData { return .data(index - 1..<index) }
        }
        return nil
    }

    /// Returns whether the byte is the first of a `data` line's value. One space after the colon is not part of the
    /// value.
    private func isFirstOfData(_ byte: UInt8) -> Bool {
        guard case .valueStart = state, isData else { return false }
        return byte != Self.space && byte != Self.lineFeed && byte != Self.carriageReturn
    }

    private static func endOfLine(in bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != lineFeed, bytes[index] != carriageReturn { index += 1 }
        return index
    }

    /// Consumes one byte and returns the step that it completes.
    private mutating func consume(_ byte: UInt8) -> Step? {
        if followsCarriageReturn {
            followsCarriageReturn = false
            if byte == Self.lineFeed { return nil }
        }
        if byte == Self.lineFeed || byte == Self.carriageReturn {
            followsCarriageReturn = byte == Self.carriageReturn
            return endLine()
        }
        switch state {
        case .byteOrderMark(let seen): consumeByteOrderMark(byte, seen)
        case .lineStart: startName(byte)
        case .name: continueName(byte)
        case .valueStart, .value: state = .value
        }
        return nil
    }

    private mutating func consumeByteOrderMark(_ byte: UInt8, _ seen: Int) {
        if byte == Self.byteOrderMark[seen] {
            state = seen == 2 ? .lineStart : .byteOrderMark(seen + 1)
        } else if seen == 0 {
            startName(byte)
        } else {
            // The bytes of an incomplete byte order mark are the beginning of a field's name. No known name begins with
            // these bytes.
            hasLine = true
            name = 0
            nameCount = seen
            state = .name
            continueName(byte)
        }
    }

    private mutating func startName(_ byte: UInt8) {
        hasLine = true
        name = 0
        nameCount = 0
        state = .name
        continueName(byte)
    }

    private mutating func continueName(_ byte: UInt8) {
        if byte == Self.colon {
            isData = isDataName
            state = .valueStart
        } else {
            name = name << 8 | UInt64(byte)
            nameCount += 1
        }
    }

    private var isDataName: Bool { nameCount == 4 && name == Self.dataName }

    private mutating func endLine() -> Step? {
        defer {
            state = .lineStart
            isData = false
        }
        switch state {
        case .byteOrderMark(0), .lineStart: return endFrame()
        case .byteOrderMark: hasLine = true
        case .name:
            // A line without a colon is a field with an empty value, so a line that consists of `data` is also a `data`
            // line.
            if isDataName { return endData() }
        case .valueStart, .value:
            if isData { return endData() }
        }
        return nil
    }

    private mutating func endData() -> Step {
        hasData = true
        return .endOfData
    }

    private mutating func endFrame() -> Step? {
        guard hasLine else { return nil }
        defer {
            hasLine = false
            hasData = false
        }
        return .frame(isEvent: hasData)
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let colon = UInt8(ascii: ":")
    private static let space = UInt8(ascii: " ")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let dataName = "data".utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
}
