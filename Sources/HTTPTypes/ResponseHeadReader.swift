/// Puts an answer's head together from its lines, and drops the interim answers before it (RFC 9110 §15.2).
package struct ResponseHeadReader: Sendable {
    /// What a line has brought.
    package enum Progress: Sendable {
        /// More lines are needed.
        case needsMore
        /// An interim answer has ended; the next line begins another head.
        case interim
        /// The final head is complete.
        case complete(ResponseHead)
        /// A 101 is complete: from here on the connection speaks another protocol.
        case switching(ResponseHead)
    }

    /// Why a head can't be used.
    package enum Fault: String, Error, Sendable, Equatable {
        case badStatusLine = "the status line is malformed"
        case badLineEnding = "a line of the head does not end with CR LF"
        case foldedLine = "a field line is folded"
        case badField = "a field line is malformed"
        case tooLarge = "the head is larger than 64 KiB"
    }

    private static let maximumSize = 64 * 1024
    private static let protocolPrefix = Array("HTTP/1.".utf8)

    private var head: ResponseHead?
    private var size = 0

    /// Whether the final answer speaks HTTP/1.0.
    package private(set) var isHTTP10 = false

    /// A reader before the first line.
    package init() {}

    /// Reads one line with its line ending.
    package mutating func read(line bytes: Span<UInt8>) throws(Fault) -> Progress {
        size += bytes.count
        guard size <= Self.maximumSize else { throw .tooLarge }
        guard bytes.count >= 2, bytes[bytes.count - 2] == 0x0d, bytes[bytes.count - 1] == 0x0a else {
            throw .badLineEnding
        }
        let line = bytes.extracting(0..<(bytes.count - 2))
        guard var head else {
            head = ResponseHead(status: try status(line), fields: FieldList(fields: 12, bytes: 480))
            return .needsMore
        }
        guard !line.isEmpty else { return end(head) }
        self.head = nil
        try Self.add(line, to: &head.fields)
        self.head = head
        return .needsMore
    }

    private mutating func end(_ head: ResponseHead) -> Progress {
        self.head = nil
        switch head.status {
        case 101: return .switching(head)
        case 100..<200: return .interim
        default: return .complete(head)
        }
    }

    /// `HTTP/1.1 200 Reason` (RFC 9112 §4); the reason may be missing, and the space before it too.
    private mutating func status(_ line: Span<UInt8>) throws(Fault) -> Int {
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

    private static func add(_ line: Span<UInt8>, to fields: inout FieldList) throws(Fault) {
        guard !line[0].isOptionalWhiteSpace else { throw .foldedLine }
        var colon = 0
        // Both loops stay within the line by their conditions.
        while colon < line.count, line[unchecked: colon].isTokenCharacter { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { throw .badField }
        var index = colon
        while index < line.count {
            guard line[unchecked: index].isFieldContent else { throw .badField }
            index += 1
        }
        fields.append(
            name: line.extracting(0..<colon), value: line.extracting((colon + 1)..<line.count))
    }
}
