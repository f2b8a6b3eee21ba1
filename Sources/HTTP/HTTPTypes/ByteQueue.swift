// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// A first-in, first-out queue of bytes.
///
/// Removing bytes from the front only moves an index. An emptied queue that had grown large releases its memory, so
/// that one burst does not keep memory for the lifetime of a connection.
package struct ByteQueue: Sendable {
    // These properties are not private, so that other modules can inline `count`.
    @usableFromInline var storage: [UInt8] = []
    @usableFromInline var start = 0

    /// The capacity above which an emptied queue releases its memory.
    private static let keptCapacity = 16 * 1024

    /// Creates an empty queue that owns no memory yet.
    package init() {}

    /// The number of bytes in the queue.
    @inlinable package var count: Int { storage.count - start }

    /// Whether the queue contains no bytes.
    @inlinable package var isEmpty: Bool { storage.count == start }

    /// Calls `body` with the bytes in the queue, from the front.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span.extracting(start..<storage.count))
    }

    /// Reserves memory for this many bytes in total, so that appending them does not copy the bytes already in the
    /// queue.
    package mutating func reserve(_ count: Int) {
        storage.reserveCapacity(start + count)
    }

    /// Appends the bytes of a span.
    package mutating func append(_ span: Span<UInt8>) {
        compactIfWorthwhile()
        storage.append(copying: span)
    }

    /// Appends the bytes of a collection.
    package mutating func append(contentsOf bytes: some Collection<UInt8>) {
        compactIfWorthwhile()
        storage.append(contentsOf: bytes)
    }

    /// Moves all bytes of another queue to the end of this queue. Copies nothing if this queue is empty.
    package mutating func append(moving other: inout ByteQueue) {
        if isEmpty {
            swap(&self, &other)
        } else {
            compactIfWorthwhile()
            other.withBytes { storage.append(copying: $0) }
        }
        other.removeAll()
    }

    /// Removes the first `count` bytes, which must be in the queue.
    package mutating func removeFirst(_ count: Int) {
        precondition(count <= self.count, "more bytes removed than the queue contains")
        start += count
        if start == storage.count { removeAll() }
    }

    /// Removes all bytes from the queue.
    package mutating func removeAll() {
        guard !storage.isEmpty else { return }
        if storage.capacity > Self.keptCapacity {
            storage = []
        } else {
            storage.removeAll(keepingCapacity: true)
        }
        start = 0
    }

    /// Moves the remaining bytes to the start of the storage once about half of the storage is unused. On average, each
    /// appended byte therefore moves at most once.
    private mutating func compactIfWorthwhile() {
        guard start > 4096, start >= storage.count / 2 else { return }
        storage.removeSubrange(0..<start)
        start = 0
    }
}
