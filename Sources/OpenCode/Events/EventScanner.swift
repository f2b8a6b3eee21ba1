/// Finds the frames of a server-sent event stream, and their data, as its bytes pass by (WHATWG HTML §9.2.6 "Interpreting an
/// event stream").
///
/// It copies nothing and keeps a few flags only, however long a line or an event is. LF, CRLF and CR end lines, in any split. A
/// frame ends with the first byte of its blank line's end: the LF of a CRLF there is counted to the next frame, since waiting
/// for it would hold up every event of a stream whose lines end with CR.
package struct EventScanner: Sendable {
    private enum Place {
        /// At the beginning of the stream: so many bytes of the byte order mark have been seen.
        case mark(Int)
        case lineStart
        /// In a field's name, of which the last eight bytes are packed into `name`.
        case name
        /// Behind the colon.
        case valueStart
        case value
    }

    private var place = Place.mark(0)
    private var hasLine = false
    private var hasData = false
    private var followsCarriageReturn = false
    private var name: UInt64 = 0
    private var nameCount = 0
    /// Whether the line at hand is one of data. OpenCode uses no other field.
    private var isData = false

    /// A scanner at the beginning of a stream.
    package init() {}

    /// What the scanner has come to.
    package enum Step: Sendable, Equatable {
        /// Bytes of a `data` line's value: where they are in the bytes at hand. A value may come in several pieces, or in none.
        case data(Range<Int>)
        /// A `data` line is whole. The event's data is all of them, joined by LF.
        case endOfData
        /// A frame is whole: everything up to and including a blank line. `isEvent`: whether a client sees an event; a frame
        /// without data, such as a comment that keeps the connection alive, is none.
        case frame(isEvent: Bool)
    }

    /// Goes on at `index` in the next bytes of the body, split anywhere, up to the next step; nil when all of them have
    /// been taken.
    package mutating func next(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Step? {
        while index < bytes.count {
            if case .value = place {
                // Nearly all bytes are here: look for the line's end only.
                let start = index
                index = Self.endOfLine(in: bytes, from: start)
                if isData, index > start { return .data(start..<index) }
                if index == bytes.count { return nil }
            }
            let byte = bytes[index]
            let isFirstOfData = isFirstOfData(byte)
            let step = take(byte)
            index += 1
            if let step { return step }
            if isFirstOfData { return .data(index - 1..<index) }
        }
        return nil
    }

    /// Whether the byte begins the value of a `data` line: one space behind the colon is not part of it.
    private func isFirstOfData(_ byte: UInt8) -> Bool {
        guard case .valueStart = place, isData else { return false }
        return byte != Self.space && byte != Self.lineFeed && byte != Self.carriageReturn
    }

    private static func endOfLine(in bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != lineFeed, bytes[index] != carriageReturn { index += 1 }
        return index
    }

    /// Takes one byte; answers what it completes.
    private mutating func take(_ byte: UInt8) -> Step? {
        if followsCarriageReturn {
            followsCarriageReturn = false
            if byte == Self.lineFeed { return nil }
        }
        if byte == Self.lineFeed || byte == Self.carriageReturn {
            followsCarriageReturn = byte == Self.carriageReturn
            return endLine()
        }
        switch place {
        case .mark(let seen): takeMark(byte, seen)
        case .lineStart: beginName(byte)
        case .name: continueName(byte)
        case .valueStart, .value: place = .value
        }
        return nil
    }

    private mutating func takeMark(_ byte: UInt8, _ seen: Int) {
        if byte == Self.byteOrderMark[seen] {
            place = seen == 2 ? .lineStart : .mark(seen + 1)
        } else if seen == 0 {
            beginName(byte)
        } else {
            // A broken mark is the beginning of some field's name: of none that is known.
            hasLine = true
            (name, nameCount, place) = (0, seen, .name)
            continueName(byte)
        }
    }

    private mutating func beginName(_ byte: UInt8) {
        hasLine = true
        (name, nameCount, place) = (0, 0, .name)
        continueName(byte)
    }

    private mutating func continueName(_ byte: UInt8) {
        if byte == Self.colon {
            isData = isDataName
            place = .valueStart
        } else {
            name = name << 8 | UInt64(byte)
            nameCount += 1
        }
    }

    private var isDataName: Bool { nameCount == 4 && name == Self.dataName }

    private mutating func endLine() -> Step? {
        defer { (place, isData) = (.lineStart, false) }
        switch place {
        case .mark(0), .lineStart: return endFrame()
        case .mark: hasLine = true
        case .name:
            // A line without a colon is a field with an empty value.
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
        defer { (hasLine, hasData) = (false, false) }
        return .frame(isEvent: hasData)
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let colon = UInt8(ascii: ":")
    private static let space = UInt8(ascii: " ")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let dataName = "data".utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
}
