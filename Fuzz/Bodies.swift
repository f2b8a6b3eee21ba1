// SPDX-License-Identifier: Apache-2.0

// length: 256

import Encodings
import HTTPTypes

/// Checks that the content and the result of parsing a body do not depend on where the network splits the body. Both
/// must agree with a simple second parser.
///
/// The input consists of a byte that selects the framing, a byte that sets the announced length and the size of the
/// chunks, and the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let kind = input.byte()
    let number = input.byte()
    let body = Array(input.remainder())
    let framing: ResponseFraming =
        switch kind % 8 {
        case 0: .none
        case 1: .untilClose
        case 2: .length(UInt64(number))
        default: .chunked
        }
    let whole = Reading(framing, body, chunk: max(1, body.count))
    precondition(whole == Reading(framing, body, chunk: Int(number) + 1))
    switch framing {
    case .none:
        precondition(whole.content.isEmpty && whole.isComplete && (whole.fault == .excess) == !body.isEmpty)
    case .untilClose: precondition(whole.content == body && whole.fault == nil && whole.endsWithClose)
    case .length(let length):
        precondition(whole.content.elementsEqual(body.prefix(Int(length))))
        precondition((whole.fault == .excess) == (body.count > Int(length)))
        precondition(whole.endsWithClose == (body.count >= Int(length)))
    case .chunked:
        let isWhole = whole.isComplete && whole.fault == nil
        precondition(whole.content.count <= body.count && (!isWhole || whole.endsWithClose))
        precondition((isWhole ? whole.content : nil) == PlainChunks.content(of: body))
        if kind >= 128 { checkCoding(of: body, chunk: Int(number) % 64 + 1) }
    }
    return 0
}

/// Checks that content is unchanged after it is encoded in chunks and decoded.
private func checkCoding(of content: [UInt8], chunk: Int) {
    var coded: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: chunk) {
        let run = content[start..<min(start + chunk, content.count)]
        coded.append(hexadecimal: UInt64(run.count))
        coded += Array(";x=y\r\n".utf8) + run + [0x0D, 0x0A]
    }
    coded += Array("00\r\nName: value\r\n\r\n".utf8)
    let reading = Reading(.chunked, coded, chunk: 7)
    precondition(reading.content == content && reading.isComplete && reading.fault == nil && reading.trailers == 1)
}

/// The complete result of reading one body.
private struct Reading: Equatable {
    var content: [UInt8] = []
    var fault: ResponseBodyReader.Fault?
    var isComplete = false
    var endsWithClose = false
    var trailers = 0

    init(_ framing: ResponseFraming, _ body: [UInt8], chunk: Int) {
        var reader = ResponseBodyReader(framing)
        content.reserveCapacity(body.count)
        var start = 0
        while start < body.count, fault == nil {
            let end = min(start + chunk, body.count)
            do throws(ResponseBodyReader.Fault) {
                try reader.decode(body.span.extracting(start..<end)) { run in content.append(copying: run) }
            } catch {
                fault = error
            }
            start = end
        }
        isComplete = reader.isComplete
        trailers = reader.trailers.count
        do throws(ResponseBodyReader.Fault) {
            try reader.closed()
            endsWithClose = true
        } catch {
            precondition(error == .truncated)
        }
    }
}

/// A minimal parser for the chunked coding (RFC 9112 §7.1).
private enum PlainChunks {
    /// Returns the content of a body that is exactly one complete chunked body; nil for any other.
    static func content(of body: [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var remaining = body[...]
        while let line = line(&remaining) {
            let digits = line.prefix { $0.hexadecimalDigitValue != nil }
            let more = line.dropFirst(digits.count)
            guard (1...16).contains(digits.count),
                let size = UInt64(String(decoding: digits, as: UTF8.self), radix: 16),
                more.trimmingOptionalWhiteSpace().isEmpty
                    || more.trimmingOptionalWhiteSpace().starts(with: [UInt8(ascii: ";")]), more.count <= 257,
                more.allSatisfy({ $0 >= 0x20 || $0 == 0x09 })
            else { return nil }
            guard size > 0 else { return hasTrailers(remaining) ? content : nil }
            guard size <= UInt64(remaining.count) else { return nil }
            content += remaining.prefix(Int(size))
            remaining = remaining.dropFirst(Int(size))
            guard remaining.starts(with: [0x0D, 0x0A]) else { return nil }
            remaining = remaining.dropFirst(2)
        }
        return nil
    }

    private static func hasTrailers(_ trailers: ArraySlice<UInt8>) -> Bool {
        var remaining = trailers
        while let line = line(&remaining) {
            if line.isEmpty { return remaining.isEmpty }
            guard let (name, value) = line.divided(at: UInt8(ascii: ":")), Characters.isToken(name),
                Characters.isFieldValue(value)
            else { return false }
        }
        return false
    }

    /// Returns the next line without its CR LF; nil if there is none, or if it contains a bare CR or LF.
    private static func line(_ remaining: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = remaining.firstIndex(where: { $0 == 0x0D || $0 == 0x0A }),
            remaining[end...].starts(with: [0x0D, 0x0A])
        else { return nil }
        defer { remaining = remaining[(end + 2)...] }
        return remaining[..<end]
    }
}
