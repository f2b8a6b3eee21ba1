import Glibc

/// Bytes that were received but not consumed yet. Consuming from its front copies only what is taken.
struct ReceiveBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }

    /// Takes at most that many bytes from the front.
    mutating func take(_ maximum: Int) -> [UInt8] {
        let end = start + min(maximum, count)
        let part = start == 0 && end == bytes.count ? bytes : Array(bytes[start..<end])
        start = end
        if start == bytes.count {
            bytes = []
            start = 0
        }
        return part
    }

    /// Adds bytes at the end.
    mutating func append(_ more: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more
    }

    /// Puts bytes back in front.
    mutating func giveBack(_ part: [UInt8]) {
        bytes = part + bytes[start...]
        start = 0
    }

    /// How many bytes there are up to the end of the first `pattern`; nil when it is not there. The first `offset`
    /// bytes are known not to begin one.
    func length(through pattern: [UInt8], from offset: Int) -> Int? {
        bytes.firstEnd(of: pattern, from: start + offset).map { $0 - start }
    }
}

extension [UInt8] {
    /// The index behind the first occurrence of `pattern` that begins at `start` or later.
    func firstEnd(of pattern: [UInt8], from start: Int) -> Int? {
        guard let first = pattern.first else { return nil }
        return withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var index = start
            // By memchr(3): a loop over single bytes is slow in the debug builds that tests are.
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
