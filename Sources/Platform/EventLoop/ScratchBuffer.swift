// SPDX-License-Identifier: Apache-2.0

/// A buffer for bytes that are processed immediately. No reference to its content is kept.
package final class ScratchBuffer {
    // Only this object owns the memory. Other modules access the bytes only within closures.
    let memory: UnsafeMutableRawBufferPointer

    /// Creates a buffer of `capacity` bytes.
    package init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Calls `body` with the first `count` bytes.
    func withBytes<Result>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        body(UnsafeRawBufferPointer(memory).bindMemory(to: UInt8.self).span.extracting(0..<count))
    }
}
