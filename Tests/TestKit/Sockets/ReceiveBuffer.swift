// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Received bytes that were not consumed yet. Removing bytes from the front copies only these bytes.
struct ReceiveBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }

    /// Removes and returns at most `maximum` bytes from the front.
    mutating func removeFirst(_ maximum: Int) -> [UInt8] {
        let end = start + min(maximum, count)
        let part = start == 0 && end == bytes.count ? bytes : Array(bytes[start..<end])
        start = end
        if start == bytes.count {
            bytes = []
            start = 0
        }
        return part
    }

    /// Appends bytes to the buffer.
    mutating func append(_ more: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more
    }

    /// Inserts bytes at the front.
    mutating func prepend(_ part: [UInt8]) {
        bytes = part + bytes[start...]
        start = 0
    }

    /// Returns the number of bytes up to the end of the first occurrence of `pattern`, or nil if there is none. The
    /// caller guarantees that no occurrence begins in the first `offset` bytes.
    func length(through pattern: [UInt8], from offset: Int) -> Int? {
        bytes.firstEnd(of: pattern, from: start + offset).map { $0 - start }
    }
}

extension [UInt8] {
    /// Returns the index after the first occurrence of `pattern` that begins at or after `start`.
    func firstEnd(of pattern: [UInt8], from start: Int) -> Int? {
        guard let first = pattern.first else { return nil }
        return withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var index = start
            // Uses memchr(3), because a loop over single bytes is slow in the debug builds of tests.
            while index + pattern.count <= count,
                let found = memchr(base + index, Int32(first), count - pattern.count + 1 - index)
            {
                index = UnsafeRawPointer(found) - base
                if memcmp(base + index, pattern, pattern.count) == 0 { return index + pattern.count }
                index += 1
            }
            return nil
        }
    }
}
