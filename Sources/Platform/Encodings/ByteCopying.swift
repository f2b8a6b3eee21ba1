// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Creates an array with a copy of the span's bytes.
    package init(copying span: borrowing Span<UInt8>) {
        self = []
        append(copying: span)
    }

    /// Appends a copy of the span's bytes.
    package mutating func append(copying span: borrowing Span<UInt8>) {
        // The pointer is valid for this call only. An array appends bytes in bulk only if they come from a buffer.
        span.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
