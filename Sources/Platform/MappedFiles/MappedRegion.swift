// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A memory region that one thread fills from its beginning, and that any thread reads up to the published end. The
/// region is a mapped file or plain memory.
///
/// The writer writes only after `published`, and publishes only complete data. Published bytes never change. The memory
/// of a mapped file outlives the file's name, so the owner of a region can read all of it after the file is removed. If
/// another program truncates the file, the memory is lost (SIGBUS, mmap(2)). Only the file's mode protects against such
/// a truncation.
package final class MappedRegion: @unchecked Sendable {  // `published` orders reads after the writes of the same bytes.
    /// The size of the region in bytes.
    package let count: Int
    /// Whether the region is a mapped file.
    package let isFile: Bool
    /// Whether the region may be written.
    package let isWritable: Bool

    private let base: UnsafeMutableRawPointer
    private let end = Atomic<Int>(0)

    init(mapping base: UnsafeMutableRawPointer, count: Int, isFile: Bool, isWritable: Bool) {
        self.base = base
        self.count = count
        self.isFile = isFile
        self.isWritable = isWritable
    }

    /// Creates a region of zeroed memory without a file. In a large region, only the pages that are written use memory.
    package convenience init(memory count: Int) {
        guard let base = calloc(max(count, 1), 1) else { preconditionFailure("out of memory") }
        self.init(mapping: base, count: count, isFile: false, isWritable: true)
    }

    deinit {
        if isFile { munmap(base, count) } else { free(base) }
    }

    // MARK: Reading

    /// The number of bytes from the beginning that are complete and never change again.
    package var published: Int { end.load(ordering: .acquiring) }

    /// Calls `body` with the bytes in `range`, which must lie within the region.
    package func withSpan<Result, Failure: Error>(
        _ range: Range<Int>, _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        check(range.lowerBound, range.count)
        let bytes = UnsafeBufferPointer(
            start: UnsafePointer((base + range.lowerBound).assumingMemoryBound(to: UInt8.self)), count: range.count)
        return try body(bytes.span)
    }

    /// Returns the four-byte number at `offset`. All numbers in a region are little-endian.
    package func number32(at offset: Int) -> UInt32 {
        check(offset, 4)
        return UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Returns the eight-byte number at `offset`.
    package func number64(at offset: Int) -> UInt64 {
        check(offset, 8)
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the CRC-32C of the bytes in `range`, continued from `checksum`, the checksum of the preceding bytes.
    package func checksum(_ range: Range<Int>, after checksum: UInt32 = 0) -> UInt32 {
        check(range.lowerBound, range.count)
        let bytes = UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return CRC32C.checksum(bytes, after: checksum)
    }

    /// Returns the first offset, in steps of eight from `offset`, at which eight bytes are not all zero, or
    /// nil if there is none.
    package func firstNonzero(from offset: Int) -> Int? {
        var index = offset
        while index + 8 <= count {
            if base.loadUnaligned(fromByteOffset: index, as: UInt64.self) != 0 { return index }
            index += 8
        }
        return nil
    }

    // MARK: Writing

    /// Copies bytes to an offset after the published end.
    package func write(_ bytes: borrowing Span<UInt8>, at offset: Int) {
        checkWriting(offset, bytes.count)
        let base = base
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress { memcpy(base + offset, start, source.count) }
        }
    }

    /// Writes a four-byte number to an offset after the published end.
    package func write(_ number: UInt32, at offset: Int) {
        checkWriting(offset, 4)
        base.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Writes an eight-byte number to an offset after the published end.
    package func write(_ number: UInt64, at offset: Int) {
        checkWriting(offset, 8)
        base.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Writes a four-byte number after all earlier writes, at an offset that is a multiple of four. If the process ends
    /// abruptly, a file that contains the number also contains the earlier writes.
    package func seal(_ number: UInt32, at offset: Int) {
        checkWriting(offset, 4)
        precondition(offset % 4 == 0, "a seal must be at a multiple of four bytes")
        (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(
            number.littleEndian, ordering: .releasing)
    }

    /// Publishes the bytes up to `end`, which never decreases.
    package func publish(_ end: Int) {
        precondition(end <= count && end >= self.end.load(ordering: .relaxed), "published bytes cannot be withdrawn")
        self.end.store(end, ordering: .releasing)
    }

    /// Sets all bytes from `offset` to the end to zero, beginning at the end. `offset` must be a multiple of eight.
    /// Groups of eight bytes that are already zero are not written.
    package func clear(from offset: Int) {
        checkWriting(offset, 0)
        var index = count & ~7
        for byte in stride(from: index, to: count, by: 1) { base.storeBytes(of: 0, toByteOffset: byte, as: UInt8.self) }
        while index - 8 >= offset {
            index -= 8
            if base.loadUnaligned(fromByteOffset: index, as: UInt64.self) != 0 {
                base.storeBytes(of: 0, toByteOffset: index, as: UInt64.self)
            }
        }
    }

    private func checkWriting(_ offset: Int, _ count: Int) {
        check(offset, count)
        precondition(isWritable && offset >= end.load(ordering: .relaxed), "published bytes cannot be written")
    }

    @inline(__always) private func check(_ offset: Int, _ count: Int) {
        precondition(offset >= 0 && count >= 0 && offset <= self.count - count, "the range is outside the region")
    }
}
