// SPDX-License-Identifier: Apache-2.0

/// Reads one message body incrementally according to its framing. A reader must be used by only one thread.
final class BodyReader {
    private enum Position {
        case inData(left: Int)
        case beforeChunk
        case afterChunkData
        case untilClose
        case done
    }

    private let connection: TestConnection
    private var position: Position
    private let framing: BodyFraming
    /// How the body ended; nil while it is incomplete.
    private(set) var ending: TestResponse.Ending?
    /// The trailer fields; empty before the end of the body.
    private(set) var trailers: [TestField] = []
    /// The chunk extensions after the sizes, including the semicolon, of all chunks that have extensions.
    private(set) var chunkExtensions: [String] = []
    /// The size of each chunk in order, except the last chunk of size 0.
    private(set) var chunkSizes: [Int] = []
    /// All bytes of the body as received, including the framing. They are stored only on request.
    private(set) var raw: [UInt8] = []
    private let recordsRawBytes: Bool

    init(_ connection: TestConnection, _ framing: BodyFraming, recordsRawBytes: Bool = false) {
        self.connection = connection
        self.framing = framing
        self.recordsRawBytes = recordsRawBytes
        switch framing {
        case .none, .length(0):
            position = .done
            ending = .complete
        case .length(let length): position = .inData(left: length)
        case .chunked: position = .beforeChunk
        case .untilClose: position = .untilClose
        }
    }

    /// Returns the next bytes of the content, which never span two chunks, or nil at the end of the body (see
    /// `ending`).
    func next(within limit: Duration) throws -> [UInt8]? {
        let deadline = Deadline(after: limit)
        do {
            while ending == nil {
                if let part = try step(deadline) { return part }
            }
            return nil
        } catch TestKitError.reset {
            return finish(.reset)
        } catch TestKitError.closed {
            return finish(.truncated)
        } catch TestKitError.timedOut(_, let what) {
            throw TestKitError.timedOut(after: limit, waitingFor: what)
        }
    }

    private func step(_ deadline: Deadline) throws -> [UInt8]? {
        switch position {
        case .done:
            return finish(.complete)
        case .untilClose:
            let part = try connection.read(within: deadline.remaining, waitingFor: "a body that ends by close")
            append(part)
            return part.isEmpty ? finish(.closed) : part
        case .inData(let left):
            let part = try connection.read(
                upTo: min(left, 65_536), within: deadline.remaining, waitingFor: "\(left) more bytes of a body")
            if part.isEmpty { return finish(.truncated) }
            append(part)
            if part.count < left {
                position = .inData(left: left - part.count)
            } else if framing == .chunked {
                // Return the data immediately, because the CRLF after the data may be delayed or never arrive.
                position = .afterChunkData
            } else {
                position = .done
                ending = .complete
            }
            return part
        case .beforeChunk:
            try readChunkHead(deadline)
            return nil
        case .afterChunkData:
            let end = try connection.readExactly(2, within: deadline.remaining, waitingFor: "a chunk's CRLF")
            append(end)
            if end != [13, 10] { throw TestKitError.malformed("a chunk that is longer than its size says") }
            position = .beforeChunk
            return nil
        }
    }

    private func readChunkHead(_ deadline: Deadline) throws {
        guard
            let line = try connection.readThrough(
                "\r\n", within: deadline.remaining, waitingFor: "a chunk's size", maximum: 65_536)
        else { throw TestKitError.closed(waitingFor: "a chunk's size") }
        append(line)
        let digits = line.prefix { ("0123456789abcdefABCDEF").utf8.contains($0) }
        let remainder = line.dropFirst(digits.count).dropLast(2)
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
            remainder.isEmpty || remainder.first == UInt8(ascii: ";")
        else {
            throw TestKitError.malformed("a chunk size line: \(String(decoding: line, as: UTF8.self).debugDescription)")
        }
        if !remainder.isEmpty { chunkExtensions.append(String(decoding: remainder, as: UTF8.self)) }
        if size > 0 {
            chunkSizes.append(size)
            position = .inData(left: size)
            return
        }
        try readTrailer(deadline)
        position = .done
        ending = .complete
    }

    private func readTrailer(_ deadline: Deadline) throws {
        var section: [UInt8] = []
        while true {
            guard
                let line = try connection.readThrough(
                    "\r\n", within: deadline.remaining, waitingFor: "the trailer section")
            else { throw TestKitError.closed(waitingFor: "the trailer section") }
            section += line
            if line == [13, 10] { break }
        }
        append(section)
        trailers = try MessageHead.fields(ofTrailer: section)
    }

    private func append(_ bytes: [UInt8]) {
        if recordsRawBytes { raw += bytes }
    }

    private func finish(_ ending: TestResponse.Ending) -> [UInt8]? {
        position = .done
        self.ending = self.ending ?? ending
        return nil
    }
}
