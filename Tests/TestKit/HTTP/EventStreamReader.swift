// SPDX-License-Identifier: Apache-2.0

/// Reads server-sent events (the `text/event-stream` format of the HTML standard) from the body of a response. A reader
/// must be used by only one thread.
package final class EventStreamReader {
    /// The response whose body is read. It provides the head and the ending.
    package let response: ResponseReader
    private var pending = ReceiveBuffer()
    /// All bytes of the body so far, unchanged.
    package private(set) var raw: [UInt8] = []

    /// Creates a reader for the body of a response.
    package init(_ response: ResponseReader) {
        self.response = response
    }

    /// Creates a reader for the next response on a connection.
    package convenience init(_ connection: TestConnection) {
        self.init(ResponseReader(connection))
    }

    /// Returns the next block unchanged, but without its empty line, or nil at the end of the stream. Comments are also
    /// blocks.
    package func nextBlock(within limit: Duration = TestConnection.defaultLimit) throws -> String? {
        try nextBlockBytes(within: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the payload of the next event, or nil at the end of the stream. The payload consists of the `data:`
    /// lines of the event, joined by line feeds. Comments are skipped.
    package func next(within limit: Duration = TestConnection.defaultLimit) throws -> String? {
        let deadline = Deadline(after: limit)
        while let block = try nextBlockBytes(within: deadline.remaining) {
            if let payload = EventStreamReader.payload(of: block) { return payload }
        }
        return nil
    }

    private func nextBlockBytes(within limit: Duration) throws -> [UInt8]? {
        let deadline = Deadline(after: limit)
        var searched = 0
        while true {
            if let length = pending.length(through: [10, 10], from: searched) {
                return Array(pending.removeFirst(length).dropLast(2))
            }
            searched = max(0, pending.count - 1)
            do {
                guard let part = try response.readBodyPart(within: deadline.remaining) else { return nil }
                raw += part
                pending.append(part)
            } catch TestKitError.timedOut {
                throw TestKitError.timedOut(
                    after: limit, waitingFor: "the next event (\(pending.count) bytes of it are there)")
            }
        }
    }

    private static func payload(of block: [UInt8]) -> String? {
        let field = Array("data:".utf8)
        let lines = block.firstEnd(of: [10], from: 0) == nil ? [block[...]] : block.split(separator: 10)
        let data = lines.compactMap { line -> String? in
            guard line.starts(with: field) else { return nil }
            let value = line.dropFirst(field.count)
            return String(decoding: value.first == UInt8(ascii: " ") ? value.dropFirst() : value, as: UTF8.self)
        }
        return data.isEmpty ? nil : data.joined(separator: "\n")
    }

    /// Returns the next event whose payload satisfies the predicate.
    ///
    /// - Throws: `closed` if the stream ends before such an event.
    @discardableResult
    package func first(
        _ what: String = "an event", within limit: Duration = TestConnection.defaultLimit,
        where predicate: (String) -> Bool
    ) throws -> String {
        let deadline = Deadline(after: limit)
        while true {
            do {
                guard let event = try next(within: deadline.remaining) else {
                    throw TestKitError.closed(waitingFor: "\(what) in the event stream")
                }
                if predicate(event) { return event }
            } catch TestKitError.timedOut {
                throw TestKitError.timedOut(after: limit, waitingFor: "\(what) in the event stream")
            }
        }
    }
}
