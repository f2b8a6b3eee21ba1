// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Parses the head of a response and discards the interim responses before it (RFC 9110 §15.2).
package struct ResponseHeadReader: Sendable {
    /// The result of reading more bytes.
    package enum Progress: Sendable {
        /// The head is incomplete; more bytes are needed.
        case needsMore
        /// An interim response has ended; another head follows.
        case interim
        /// The final head is complete.
        case complete(ResponseHead)
        /// A 101 response is complete; the connection switches to another protocol.
        case switching(ResponseHead)
    }

    /// The reasons why a head is unusable.
    package enum Fault: String, Error, Sendable, Equatable {
        case badStatusLine = "the status line is malformed"
        case badLineEnding = "a line of the head does not end with CR LF"
        case foldedLine = "a field line is folded"
        case badField = "a field line is malformed"
        case tooLarge = "the head is larger than 64 KiB"
    }

    private static let maximumSize = 64 * 1024
    private static let protocolPrefix = Array("HTTP/1.".utf8)

    /// The status code, or 0 before the status line was read.
    private var status = 0
    private var fields = FieldList()
    private var size = 0
    /// The start of a line whose end has not arrived.
    private var beginning: [UInt8] = []

    /// Whether the final response has the version HTTP/1.0.
    package private(set) var isHTTP10 = false

    /// Creates a reader that expects a status line.
    package init() {}

    /// Takes a list from `pool` for the fields of the next head, unless a head has begun or the reader already owns
    /// memory.
    package mutating func lend(from pool: inout FieldListPool) {
        if status == 0, fields.byteCapacity == 0 { fields = pool.acquire() }
    }

    /// Reads bytes from `index` up to the end of the head. The head may be split anywhere between calls. Advances
    /// `index` past the bytes read.
    package mutating func parse(_ bytes: Span<UInt8>, from index: inout Int) throws(Fault) -> Progress {
        while index < bytes.count {
            let start = index
            index = bytes.firstIndex(of: UInt8(ascii: "\n"), from: index)
            let isWhole = index < bytes.count
            if isWhole { index += 1 }
            size += index - start
            guard size <= Self.maximumSize else { throw .tooLarge }
            let chunk = bytes.extracting(start..<index)
            if !isWhole {
                beginning.append(copying: chunk)
                break
            }
            let progress = beginning.isEmpty ? try parse(line: chunk) : try parseWithBeginning(chunk)
            if case .needsMore = progress { continue }
            return progress
        }
        return .needsMore
    }

    private mutating func parseWithBeginning(_ end: Span<UInt8>) throws(Fault) -> Progress {
        var line: [UInt8] = []
        swap(&line, &beginning)
        line.append(copying: end)
        return try parse(line: line.span)
    }

    /// Reads one line including its line end.
    private mutating func parse(line bytes: Span<UInt8>) throws(Fault) -> Progress {
        guard bytes.count >= 2, bytes[bytes.count - 2] == 0x0d else { throw .badLineEnding }
        let line = bytes.extracting(0..<(bytes.count - 2))
        if status == 0 {
            status = try parseStatus(line)
            fields.makeRoom(fields: 12, bytes: 480)
        } else if line.isEmpty {
            return finish()
        } else {
            try add(line, bytes)
        }
        return .needsMore
    }

    private mutating func finish() -> Progress {
        var head = ResponseHead(status: status)
        swap(&head.fields, &fields)
        status = 0
        switch head.status {
        case 101: return .switching(head)
        case 100..<200: return .interim
        default: return .complete(head)
        }
    }

    /// Reads `HTTP/1.1 200 Reason` (RFC 9112 §4). The reason may be missing, and so may the space before it.
    private mutating func parseStatus(_ line: Span<UInt8>) throws(Fault) -> Int {
        guard line.count >= 12, line[8] == 0x20, line.count == 12 || line[12] == 0x20 else { throw .badStatusLine }
        let prefix = Self.protocolPrefix.span
        for index in prefix.indices where line[index] != prefix[index] { throw .badStatusLine }
        switch line[7] {
        case UInt8(ascii: "0"): isHTTP10 = true
        case UInt8(ascii: "1"): isHTTP10 = false
        default: throw .badStatusLine
        }
        var status = 0
        for index in 9..<12 {
            guard line[index] >= UInt8(ascii: "0"), line[index] <= UInt8(ascii: "9") else { throw .badStatusLine }
            status = status * 10 + Int(line[index] - UInt8(ascii: "0"))
        }
        guard status >= 100 else { throw .badStatusLine }
        return status
    }

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - line: The field line without its line end.
    ///   - bytes: The same line including its line end.
    private mutating func add(_ line: Span<UInt8>, _ bytes: Span<UInt8>) throws(Fault) {
        guard !line[0].isOptionalWhiteSpace else { throw .foldedLine }
        let colon = line.firstIndex(of: UInt8(ascii: ":"), from: 0)
        guard colon > 0, colon < line.count else { throw .badField }
        guard line.extracting((colon + 1)..<line.count).isFieldContent else { throw .badField }
        fields.append(line: bytes, colon: colon)
        // A known name is always a token, so it needs no check.
        if fields.knownName(at: fields.count - 1).isWhole { return }
        // The loop condition keeps the index within the line.
        for index in 0..<colon where !line[unchecked: index].isTokenCharacter { throw .badField }
    }
}
