internal import Glibc
internal import Synchronization

/// A piece of memory that one thread fills from its beginning, and any threads read as far as it is published: a file that
/// is mapped, or plain memory.
///
/// Who writes may write behind `published` only and publishes what is whole; below it nothing changes any more. A mapped
/// file's memory outlives its name, so whoever holds a region can read it to its end after the file was removed. A file that
/// another program makes shorter takes the memory away (SIGBUS, mmap(2)): nothing protects from that but the file's mode.
package final class MappedRegion: @unchecked Sendable {  // `published` orders reads behind what they read
    /// How many bytes it has.
    package let count: Int
    /// Whether it is a file that is mapped.
    package let isFile: Bool
    /// Whether it may be written.
    package let isWritable: Bool

    private let base: UnsafeMutableRawPointer
    private let end = Atomic<Int>(0)

    init(mapping base: UnsafeMutableRawPointer, count: Int, isFile: Bool, isWritable: Bool) {
        self.base = base
        self.count = count
        self.isFile = isFile
        self.isWritable = isWritable
    }

    /// Memory that no file stands behind, all zero; of a large one only what is written costs any.
    package convenience init(memory count: Int) {
        guard let base = calloc(max(count, 1), 1) else { preconditionFailure("no memory is left") }
        self.init(mapping: base, count: count, isFile: false, isWritable: true)
    }

    deinit {
        if isFile { munmap(base, count) } else { free(base) }
    }

    // MARK: Reading

    /// How many bytes from the beginning are whole: they never change again.
    package var published: Int { end.load(ordering: .acquiring) }

    /// Runs `body` on these bytes, which must lie within the region.
    package func withSpan<Result, Failure: Error>(
        _ range: Range<Int>, _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        check(range.lowerBound, range.count)
        let bytes = UnsafeBufferPointer(
            start: UnsafePointer((base + range.lowerBound).assumingMemoryBound(to: UInt8.self)), count: range.count)
        return try body(bytes.span)
    }

    /// A number of four bytes, little-endian as all numbers in a region.
    package func number32(at offset: Int) -> UInt32 {
        check(offset, 4)
        return UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// A number of eight bytes.
    package func number64(at offset: Int) -> UInt64 {
        check(offset, 8)
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// CRC-32C of these bytes, continued from that of what stands before them.
    package func checksum(_ range: Range<Int>, behind checksum: UInt32 = 0) -> UInt32 {
        check(range.lowerBound, range.count)
        let bytes = UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return CRC32C.checksum(bytes, behind: checksum)
    }

    /// The first byte from here on, in steps of eight, behind which eight are not all zero; nil: there is none.
    package func firstNonzero(from offset: Int) -> Int? {
        var index = offset
        while index + 8 <= count {
            if base.loadUnaligned(fromByteOffset: index, as: UInt64.self) != 0 { return index }
            index += 8
        }
        return nil
    }

    // MARK: Writing

    /// Copies bytes to an offset behind what is published.
    package func write(_ bytes: borrowing Span<UInt8>, at offset: Int) {
        checkWriting(offset, bytes.count)
        let base = base
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress { memcpy(base + offset, start, source.count) }
        }
    }

    /// Writes a number of four bytes behind what is published.
    package func write(_ number: UInt32, at offset: Int) {
        checkWriting(offset, 4)
        base.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Writes a number of eight bytes behind what is published.
    package func write(_ number: UInt64, at offset: Int) {
        checkWriting(offset, 8)
        base.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Writes a number of four bytes, at a multiple of four, after everything that was written before: wherever the process is
    /// ended, a file that has it has all of that.
    package func seal(_ number: UInt32, at offset: Int) {
        checkWriting(offset, 4)
        precondition(offset % 4 == 0, "a seal stands at a multiple of four bytes")
        (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(
            number.littleEndian, ordering: .releasing)
    }

    /// Lets everybody read up to here; never less than before.
    package func publish(_ end: Int) {
        precondition(end <= count && end >= self.end.load(ordering: .relaxed), "what is published stays so")
        self.end.store(end, ordering: .releasing)
    }

    /// Makes everything from here on zero, from the end to the front; what is zero is not touched.
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
        precondition(isWritable && offset >= end.load(ordering: .relaxed), "only what is not published may be written")
    }

    @inline(__always) private func check(_ offset: Int, _ count: Int) {
        precondition(offset >= 0 && count >= 0 && offset <= self.count - count, "outside of the region")
    }
}
