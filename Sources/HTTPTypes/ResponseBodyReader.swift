/// Follows an upstream's body to its end (RFC 9112 §6.3) and tells a whole one from a broken one.
package struct ResponseBodyReader: Sendable {
    /// What is wrong with a body.
    package enum Fault: Error, Sendable, Equatable {
        /// The connection was closed before the end.
        case truncated
        /// More bytes than promised.
        case excess
        /// The chunked coding is broken.
        case chunked(ChunkedDecoder.Fault)
    }

    // Not private, so that other modules can ask for the end without copying the reader for a call.
    @usableFromInline let framing: ResponseFraming
    @usableFromInline var remaining: UInt64 = 0
    /// Only for the chunked coding.
    @usableFromInline var decoder: ChunkedDecoder?

    /// A reader at the start of a body.
    package init(_ framing: ResponseFraming) {
        self.framing = framing
        switch framing {
        case .length(let length): remaining = length
        case .chunked: decoder = ChunkedDecoder()
        case .none, .untilClose: break
        }
    }

    /// Whether the end has been read; a body that is ended by closing never is.
    @inlinable package var isComplete: Bool {
        switch framing {
        case .none: true
        case .length: remaining == 0
        case .chunked: decoder?.isComplete == true
        case .untilClose: false
        }
    }

    /// Whether the body is in the chunked coding.
    @inlinable package var isChunked: Bool { framing == .chunked }

    /// The trailer fields, once ``isComplete``.
    package var trailers: FieldList { decoder?.trailers ?? FieldList() }

    /// Reads the next bytes and hands each run of content to `content`, in order.
    package mutating func read(_ bytes: Span<UInt8>, content: (Span<UInt8>) -> Void) throws(Fault) {
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

    /// Whether the connection's end would be the body's, or the body has ended.
    @inlinable package var endsWhole: Bool { framing == .untilClose || isComplete }

    /// The connection was closed: right where closing is the end, and after the end.
    package func closed() throws(Fault) {
        guard endsWhole else { throw .truncated }
    }
}
