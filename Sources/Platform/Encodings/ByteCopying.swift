// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Creates an array with a copy of the span's bytes.
    package init(copying span: borrowing Span<UInt8>) {
        self = []
        append(copying: span)
    }

    /// Appends a copy of the span's bytes.
    package mutating func append(copying span: borrowing Span<UInt8>) {
        // Append through a buffer, because an array appends bytes in bulk only from a buffer. The pointer is valid for
        // this call only.
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
