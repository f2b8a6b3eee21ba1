// SPDX-License-Identifier: Apache-2.0

/// An input of the fuzzer that is consumed from the front.
struct FuzzInput {
    private var remaining: ArraySlice<UInt8>

    init(_ data: UnsafePointer<UInt8>, _ count: Int) {
        remaining = Array(UnsafeBufferPointer(start: data, count: count))[...]
    }

    /// Returns the next byte; 0 if none is left.
    mutating func byte() -> UInt8 { remaining.popFirst() ?? 0 }

    /// Returns the remaining bytes and ends the input.
    mutating func remainder() -> ArraySlice<UInt8> {
        defer { remaining = [] }
        return remaining
    }

    /// Returns the bytes up to the next `separator`, which is dropped; nil if no bytes are left.
    mutating func bytes(endedBy separator: UInt8) -> ArraySlice<UInt8>? {
        guard !remaining.isEmpty else { return nil }
        let end = remaining.firstIndex(of: separator) ?? remaining.endIndex
        defer { remaining = end == remaining.endIndex ? [] : remaining[(end + 1)...] }
        return remaining[..<end]
    }
}

extension ArraySlice<UInt8> {
    /// Returns the two parts around the first `separator`, which is dropped; nil if there is none.
    func divided(at separator: UInt8) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        firstIndex(of: separator).map { (self[..<$0], self[($0 + 1)...]) }
    }
}
