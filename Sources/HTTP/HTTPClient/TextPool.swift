// SPDX-License-Identifier: Apache-2.0

/// A pool of memory for the text of requests, so that a small request allocates none for its text.
struct TextPool {
    private static let most = 64
    /// The largest text whose memory is kept.
    private static let largest = 8 * 1024

    private var spare: [[UInt8]] = []

    /// Returns empty memory, with capacity where the pool has some.
    mutating func take() -> [UInt8] { spare.popLast() ?? [] }

    /// Returns memory to the pool.
    mutating func giveBack(_ text: consuming [UInt8]) {
        guard spare.count < Self.most, 1...Self.largest ~= text.capacity else { return }
        text.removeAll(keepingCapacity: true)
        spare.append(text)
    }
}
