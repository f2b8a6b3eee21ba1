/// Memory that is read into and looked at at once; nobody keeps a reference to its content.
package final class ScratchBuffer {
    // Owned by this object alone and lent only inside closures.
    let memory: UnsafeMutableRawBufferPointer

    /// A buffer of `capacity` bytes.
    package init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Lends the first `count` bytes.
    func withBytes<Result>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        body(UnsafeRawBufferPointer(memory).bindMemory(to: UInt8.self).span.extracting(0..<count))
    }
}
