// SPDX-License-Identifier: Apache-2.0

/// Follows the body of an upstream response to its end (RFC 9112 §6.3) and detects incomplete bodies.
package struct ResponseBodyReader: Sendable {
    /// The reasons why a body is malformed.
    package enum Fault: Error, Sendable, Equatable {
        /// The connection was closed before the end of the body.
        case truncated
        /// The body has more bytes than announced.
        case excess
        /// The chunked coding is malformed.
        case chunked(ChunkedDecoder.Fault)
    }

    // These properties are not private, so that other modules can check for the end of the body without copying the
    // reader.
    @usableFromInline let framing: ResponseFraming
    @usableFromInline var remaining: UInt64 = 0
    /// The decoder for the chunked coding; nil for any other framing.
    @usableFromInline var decoder: ChunkedDecoder?

    /// Creates a reader at the start of a body.
    package init(_ framing: ResponseFraming) {
        self.framing = framing
        switch framing {
        case .length(let length): remaining = length
        case .chunked: decoder = ChunkedDecoder()
        case .none, .untilClose: break
        }
    }

    /// Whether the end of the body has been read. The value is never true for a body that ends when the connection is
    /// closed.
    @inlinable package var isComplete: Bool {
        switch framing {
        case .none: true
        case .length: remaining == 0
        case .chunked: decoder?.isComplete == true
        case .untilClose: false
        }
    }

    /// Whether the body has the chunked transfer coding.
    @inlinable package var isChunked: Bool { framing == .chunked }

    /// The trailer fields, valid when ``isComplete``.
    package var trailers: FieldList { decoder?.trailers ?? FieldList() }

    /// Reads the next bytes and passes each contiguous part of the content to `content`, in order.
    package mutating func decode(_ bytes: Span<UInt8>, content: (Span<UInt8>) -> Void) throws(Fault) {
        switch framing {
        case .none:
            if !bytes.isEmpty { throw .excess }
        case .length:
            let count = Int(min(UInt64(bytes.count), remaining))
            remaining -= UInt64(count)
            if count > 0 { content(bytes.extracting(0..<count)) }
            if count < bytes.count { throw .excess }
        case .chunked:
            do {
                try decoder?.decode(bytes, content: content)
            } catch {
                throw error == .excess ? .excess : .chunked(error)
            }
        case .untilClose:
            content(bytes)
        }
    }

    /// Whether the body is complete if the connection ends now.
    @inlinable package var endsWhole: Bool { framing == .untilClose || isComplete }

    /// Handles the end of the connection. Throws if the body is incomplete.
    package func closed() throws(Fault) {
        guard endsWhole else { throw .truncated }
    }
}
