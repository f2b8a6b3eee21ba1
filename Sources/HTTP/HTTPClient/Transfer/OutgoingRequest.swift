// SPDX-License-Identifier: Apache-2.0

import Addresses
internal import Encodings
import HTTPTypes

/// The encoder of an outgoing request, which records how much has been sent. The encoder performs no I/O.
///
/// A complete body is stored together with its head. A streamed body is never copied. The encoder passes the body on
/// directly from the queue of incoming bytes, together with the preceding text. In the chunked coding (RFC 9112 §7.1),
/// a line end follows each chunk.
struct OutgoingRequest {
    private enum BodyFraming {
        case whole, length, chunked
    }

    private static let lineEnd = Array("\r\n".utf8)
    private static let lastChunk = Array("0\r\n\r\n".utf8)

    private let framing: BodyFraming
    /// The request's head, followed by the body if the body is complete. After the head is sent, the buffer contains
    /// the size line of the current chunk.
    private var text: [UInt8]
    private var textSent = 0
    private var content = ByteQueue()
    /// The number of unsent content bytes in the current chunk. `lineEndLeft` is the number of unsent bytes of the line
    /// end after the chunk.
    private var chunkLeft = 0
    private var lineEndLeft = 0
    private var isContentComplete = false
    private var isLastChunkBegun = false

    /// Creates an encoder and encodes the request in a buffer from `pool`.
    init(_ request: borrowing UpstreamRequest, authority: [UInt8], in pool: inout TextPool) {
        framing =
            switch request.body {
            case .none, .whole: .whole
            case .streamed(length: .some): .length
            case .streamed(length: nil): .chunked
            }
        text = pool.acquire()
        request.write(to: &text, authority)
    }

    /// Whether the body is passed on in parts.
    var isStreamed: Bool { framing != .whole }

    /// The number of unsent bytes of a streamed body.
    var waitingContent: Int { content.count }

    // The methods that a transfer calls for each request are `mutating`, so that the compiler calls them on the stored
    // value and not on a copy.

    /// Returns whether the whole request was sent and nothing more follows.
    mutating func isSent() -> Bool {
        guard textSent == text.count else { return false }
        switch framing {
        case .whole: return true
        case .length: return isContentComplete && content.isEmpty
        case .chunked: return isLastChunkBegun
        }
    }

    /// Returns whether there are bytes that can be sent now.
    mutating func canSend() -> Bool {
        if textSent < text.count || !content.isEmpty { return true }
        return framing == .chunked && (lineEndLeft > 0 || isContentComplete && !isLastChunkBegun)
    }

    /// Adds bytes of a streamed body and empties their queue.
    mutating func append(_ bytes: inout ByteQueue) { content.append(moving: &bytes) }

    /// Marks the streamed body as complete.
    mutating func finishContent() { isContentComplete = true }

    /// Restarts from the beginning. Only valid for a request whose body is not streamed.
    mutating func rewind() { textSent = 0 }

    /// Removes and returns the text buffer if the whole request was sent; returns an empty buffer otherwise.
    mutating func removeText() -> [UInt8] {
        var removed: [UInt8] = []
        guard isSent() else { return removed }
        swap(&removed, &text)
        textSent = 0
        return removed
    }

    /// Calls `write` with the next bytes, in three parts. The closure returns the number of bytes that were sent, or
    /// nil if no more can be sent. Returns the closure's result.
    mutating func send(
        _ write: (_ text: Span<UInt8>, _ content: Span<UInt8>, _ lineEnd: Span<UInt8>) -> Int?
    ) -> Int? {
        if framing == .chunked { beginChunk() }
        let contentLeft = framing == .chunked ? chunkLeft : content.count
        let count = content.withBytes { bytes in
            write(
                text.span.extracting(textSent...), bytes.extracting(0..<contentLeft),
                Self.lineEnd.span.extracting((Self.lineEnd.count - lineEndLeft)...))
        }
        if let count { advance(count) }
        return count
    }

    /// Begins the next chunk after the previous one was sent. The chunk contains all available bytes, or is the last
    /// chunk.
    private mutating func beginChunk() {
        guard chunkLeft == 0, lineEndLeft == 0, !isLastChunkBegun else { return }
        if textSent == text.count {
            text.removeAll(keepingCapacity: true)
            textSent = 0
        }
        if !content.isEmpty {
            chunkLeft = content.count
            lineEndLeft = Self.lineEnd.count
            text.append(hexadecimal: UInt64(chunkLeft))
            text.append(contentsOf: Self.lineEnd)
        } else if isContentComplete {
            isLastChunkBegun = true
            text.append(contentsOf: Self.lastChunk)
        }
    }

    private mutating func advance(_ count: Int) {
        let ofText = min(count, text.count - textSent)
        textSent += ofText
        let remaining = count - ofText
        guard remaining > 0 else { return }
        let ofContent = min(remaining, framing == .chunked ? chunkLeft : content.count)
        content.removeFirst(ofContent)
        guard framing == .chunked else { return }
        chunkLeft -= ofContent
        lineEndLeft -= remaining - ofContent
    }
}

extension UpstreamRequest {
    /// Appends the request in its wire format (RFC 9112 §2.1). The body is included if it is complete.
    ///
    /// - Parameter authority: The authority of the instance.
    func write(to text: inout [UInt8], _ authority: [UInt8]) {
        text.reserveCapacity(target.count + fields.byteCount + 128)
        text.append(contentsOf: methodName.utf8)
        text.append(UInt8(ascii: " "))
        text.append(contentsOf: target)
        text.append(contentsOf: Self.afterTarget)
        text.append(contentsOf: authority)
        text.append(contentsOf: Self.lineEnd)
        fields.appendLines(to: &text)
        switch body {
        case .none: break
        case .whole(let content):
            writeLength(UInt64(content.count), to: &text)
            text.append(contentsOf: Self.lineEnd)
            text.append(contentsOf: content)
            return
        case .streamed(let length):
            if let length { writeLength(length, to: &text) } else { text.append(contentsOf: Self.chunked) }
        }
        text.append(contentsOf: Self.lineEnd)
    }

    private func writeLength(_ length: UInt64, to text: inout [UInt8]) {
        text.append(contentsOf: Self.contentLength)
        text.append(decimal: length)
        text.append(contentsOf: Self.lineEnd)
    }

    private static let afterTarget = Array(" HTTP/1.1\r\nHost: ".utf8)
    private static let contentLength = Array("Content-Length: ".utf8)
    private static let chunked = Array("Transfer-Encoding: chunked\r\n".utf8)
    private static let lineEnd = Array("\r\n".utf8)
}
