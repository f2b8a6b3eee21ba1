// SPDX-License-Identifier: Apache-2.0

/// A pool of buffers for the text of requests, so that a small request allocates no memory for its text.
struct TextPool {
    private static let most = 64
    /// The maximum size in bytes of a buffer that the pool keeps.
    private static let largest = 8 * 1024

    private var texts: [[UInt8]] = []

    /// Returns an empty buffer. A buffer from the pool has reserved capacity.
    mutating func acquire() -> [UInt8] { texts.popLast() ?? [] }

    /// Returns a buffer to the pool.
    mutating func release(_ text: consuming [UInt8]) {
        guard texts.count < Self.most, 1...Self.largest ~= text.capacity else { return }
        text.removeAll(keepingCapacity: true)
        texts.append(text)
    }
}
