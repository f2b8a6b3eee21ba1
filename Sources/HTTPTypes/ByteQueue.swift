/// Bytes on their way from one side to the other, first in, first out.
///
/// Taking from the front moves an index; memory is given back once the queue is empty and had grown large, so that one
/// burst does not stay in the process for the life of its connection.
package struct ByteQueue: Sendable {
    // Not private, so that other modules can count without a call.
    @usableFromInline var storage: [UInt8] = []
    @usableFromInline var start = 0

    /// Above this capacity an emptied queue gives its memory back.
    private static let keptCapacity = 16 * 1024

    /// An empty queue.
    package init() {}

    /// The number of bytes waiting.
    @inlinable package var count: Int { storage.count - start }

    /// Whether nothing waits.
    @inlinable package var isEmpty: Bool { storage.count == start }

    /// Lends the bytes that wait, from the front.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span.extracting(start..<storage.count))
    }

    /// Makes room for this many bytes in all, so that adding them copies nothing that waits already.
    package mutating func reserve(_ count: Int) {
        storage.reserveCapacity(start + count)
    }

    /// Adds borrowed bytes.
    package mutating func append(_ span: Span<UInt8>) {
        compactIfWorthwhile()
        storage.append(span)
    }

    /// Adds bytes.
    package mutating func append(contentsOf bytes: some Collection<UInt8>) {
        compactIfWorthwhile()
        storage.append(contentsOf: bytes)
    }

    /// Adds all bytes of another queue, which is empty afterwards; without a copy where this one is empty.
    package mutating func append(moving other: inout ByteQueue) {
        if isEmpty {
            swap(&self, &other)
        } else {
            compactIfWorthwhile()
            other.withBytes { storage.append($0) }
        }
        other.removeAll()
    }

    /// Drops the first `count` bytes.
    package mutating func removeFirst(_ count: Int) {
        precondition(count <= self.count, "more bytes taken than were waiting")
        start += count
        if start == storage.count { removeAll() }
    }

    /// Drops everything.
    package mutating func removeAll() {
        guard !storage.isEmpty else { return }
        if storage.capacity > Self.keptCapacity {
            storage = []
        } else {
            storage.removeAll(keepingCapacity: true)
        }
        start = 0
    }

    /// Moves the rest to the front when at least half of the storage lies before it: each byte moves once at most.
    private mutating func compactIfWorthwhile() {
        guard start > 4096, start >= storage.count / 2 else { return }
        storage.removeSubrange(0..<start)
        start = 0
    }
}
