/// Finds the frames of a server-sent event stream as its bytes pass by (WHATWG HTML §9.2.6 "Interpreting an event
/// stream").
///
/// It copies nothing: it keeps offsets and a few flags, so its memory does not depend on how long a line or an event
/// is. LF, CRLF and CR end lines, in any split. A frame ends with the first byte of its blank line's end: the LF of a
/// CRLF there is counted to the next frame, since waiting for it would hold up every event of a stream whose lines
/// end with CR.
package struct EventScanner: Sendable {
    /// How many `data` lines of one event are kept; OpenCode sends one.
    private static let dataLineLimit = 1024

    private enum Field { case data, event, id, retry, other }

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
    private var offset = 0
    private var frame = EventFrame(bytes: 0..<0)
    private var frameStart = 0
    private var hasLine = false
    private var followsCarriageReturn = false
    private var name: UInt64 = 0
    private var nameCount = 0
    private var field = Field.other
    private var valueStart = 0
    private var valueHasNull = false
    private var number: Int?

    /// A scanner at the beginning of a stream.
    package init() {}

    /// What the scanner has come to.
    package enum Step: Sendable, Equatable {
        /// Bytes of a `data` line's value: where they are in the bytes at hand. A value may come in several pieces.
        case data(Range<Int>)
        /// A frame is whole.
        case frame(EventFrame)
    }

    /// Goes on at `index` in the next bytes of the body, split anywhere, up to the next step; nil when all of them have
    /// been taken.
    package mutating func next(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Step? {
        while index < bytes.count {
            if case .value = place, field != .retry {
                // Nearly all bytes are here: look for the line's end only.
                let start = index
                index = skipValue(bytes, from: start)
                offset += index - start
                if field == .data, index > start { return .data(start..<index) }
                if index == bytes.count { return nil }
            }
            let byte = bytes[index]
            let isFirstOfData = isFirstOfData(byte)
            let whole = take(byte)
            offset += 1
            index += 1
            if let whole { return .frame(whole) }
            if isFirstOfData { return .data(index - 1..<index) }
        }
        return nil
    }

    /// Takes the next bytes of the body, split anywhere, and hands over each frame that they complete.
    package mutating func scan(_ bytes: borrowing Span<UInt8>, onFrame: (EventFrame) -> Void) {
        var index = 0
        while let step = next(bytes, &index) {
            if case .frame(let frame) = step { onFrame(frame) }
        }
    }

    /// As ``scan(_:onFrame:)`` for bytes in an array.
    package mutating func scan(_ bytes: [UInt8], onFrame: (EventFrame) -> Void) {
        scan(bytes.span, onFrame: onFrame)
    }

    /// Whether the byte begins the value of a `data` line: one space behind the colon is not part of it.
    private func isFirstOfData(_ byte: UInt8) -> Bool {
        guard case .valueStart = place, field == .data else { return false }
        return byte != Self.space && byte != Self.lineFeed && byte != Self.carriageReturn
    }

    private mutating func skipValue(_ bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == Self.lineFeed || byte == Self.carriageReturn { break }
            if byte == 0 { valueHasNull = true }
            index += 1
        }
        return index
    }

    /// Takes one byte; answers the frame that it completes.
    private mutating func take(_ byte: UInt8) -> EventFrame? {
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
        case .valueStart:
            place = .value
            // One space behind the colon is not part of the value.
            valueStart = byte == Self.space ? offset + 1 : offset
            if byte != Self.space { continueValue(byte) }
        case .value: continueValue(byte)
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
            beginValue(at: offset + 1)
            place = .valueStart
        } else {
            name = name << 8 | UInt64(byte)
            nameCount += 1
        }
    }

    private mutating func beginValue(at start: Int) {
        field =
            switch (nameCount, name) {
            case (4, Self.dataName): .data
            case (5, Self.eventName): .event
            case (2, Self.idName): .id
            case (5, Self.retryName): .retry
            default: .other
            }
        valueStart = start
        valueHasNull = false
        number = nil
    }

    private mutating func continueValue(_ byte: UInt8) {
        if byte == 0 { valueHasNull = true }
        guard field == .retry else { return }
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            field = .other
            return
        }
        let (product, tooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
        let (sum, tooLargeSum) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
        if tooLarge || tooLargeSum { field = .other } else { number = sum }
    }

    private mutating func endLine() -> EventFrame? {
        defer { place = .lineStart }
        switch place {
        case .mark(0), .lineStart: return endFrame()
        case .mark: hasLine = true
        case .name:
            // A line without a colon is a field with an empty value.
            beginValue(at: offset)
            endValue()
        case .valueStart, .value: endValue()
        }
        return nil
    }

    private mutating func endValue() {
        let value = valueStart..<max(valueStart, offset)
        switch field {
        case .data:
            if frame.data.count < Self.dataLineLimit { frame.data.append(value) } else { frame.isTruncated = true }
        case .event: frame.event = value
        case .id: if !valueHasNull { frame.id = value }
        case .retry: if let number { frame.retry = number }
        case .other: break
        }
    }

    private mutating func endFrame() -> EventFrame? {
        guard hasLine else { return nil }
        hasLine = false
        frame.bytes = frameStart..<offset + 1
        frameStart = offset + 1
        defer { frame = EventFrame(bytes: 0..<0) }
        return frame
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let colon = UInt8(ascii: ":")
    private static let space = UInt8(ascii: " ")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let dataName = packed("data")
    private static let eventName = packed("event")
    private static let idName = packed("id")
    private static let retryName = packed("retry")

    private static func packed(_ name: StaticString) -> UInt64 {
        name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
