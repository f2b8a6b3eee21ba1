extension [UInt8] {
    /// A copy of borrowed bytes.
    package init(copying span: borrowing Span<UInt8>) {
        self = []
        append(copying: span)
    }

    /// Adds a copy of borrowed bytes at the end.
    package mutating func append(copying span: borrowing Span<UInt8>) {
        // The pointer lives for the one call: an array takes bytes in bulk only from a buffer.
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
