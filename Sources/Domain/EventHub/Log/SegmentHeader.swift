// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles

/// The header at the beginning of a segment. The header has 80 bytes, and its numbers are little-endian.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | `vibeevnt` |
/// | 8 | 4 | version of the format |
/// | 12 | 4 | CRC-32C of bytes 16 to 79 |
/// | 16 | 8 | bytes of the whole segment |
/// | 24 | 8 | the current generation when the segment begins; 0: none |
/// | 32 | 16 | generation and sequence of the last event before the segment; 0: none |
/// | 48 | 8 | time at which the gateway received the last event before the segment |
/// | 56 | 8 | time at which the segment was created |
/// | 64 | 8 | 1: the preceding segment was in memory |
/// | 72 | 8 | 0 |
struct SegmentHeader: Equatable, Sendable {
    var capacity: Int
    /// The current generation when the segment begins; 0 if there is none.
    var generation: UInt64
    /// The last event before the segment; nil if there is none.
    var previous: EventID?
    /// The time at which the gateway received the last event before the segment, in milliseconds since 1970.
    var previousTime: Int64 = 0
    /// The time at which the segment was created, in milliseconds since 1970. The time is not later than the first
    /// record's time.
    var time: Int64
    /// Whether the preceding segment was in memory, so that its records may never have been written to the disk.
    var followsMemory = false

    static let count = 80
    static let version: UInt32 = 1
    private static let magic: UInt64 = 0x746E_7665_6562_6976  // The ASCII letters `vibeevnt`.

    /// The result of reading the beginning of a file.
    enum ReadResult: Equatable {
        case header(SegmentHeader)
        /// A segment whose header was never written to the disk, or is damaged.
        case damaged
        case version(UInt32)
        case foreign
    }

    static func decode(_ region: MappedRegion) -> ReadResult {
        guard region.count >= count else { return .foreign }
        if (0..<count / 8).allSatisfy({ region.number64(at: 8 * $0) == 0 }) { return .damaged }
        guard region.number64(at: 0) == magic else { return .foreign }
        let version = region.number32(at: 8)
        guard version == Self.version else { return .version(version) }
        guard region.number32(at: 12) == region.checksum(16..<count),
            let capacity = Int(exactly: region.number64(at: 16)), capacity >= count
        else { return .damaged }
        let generation = region.number64(at: 24)
        let previous = EventID(generation: region.number64(at: 32), sequence: region.number64(at: 40))
        let previousTime = Int64(bitPattern: region.number64(at: 48))
        let time = Int64(bitPattern: region.number64(at: 56))
        // A header with wrong values can have a matching checksum. Check the values, because the numbers of the
        // following records are derived from them.
        guard generation <= EventID.largestNumber, previous.isPlausible, EventID.isPlausible(time: previousTime),
            EventID.isPlausible(time: time)
        else { return .damaged }
        return .header(
            SegmentHeader(
                capacity: capacity, generation: generation, previous: previous.sequence == 0 ? nil : previous,
                previousTime: previousTime, time: time, followsMemory: region.number64(at: 64) == 1))
    }

    func write(to region: MappedRegion) {
        region.write(Self.magic, at: 0)
        region.write(Self.version, at: 8)
        region.write(UInt64(capacity), at: 16)
        region.write(generation, at: 24)
        region.write(previous?.generation ?? 0, at: 32)
        region.write(previous?.sequence ?? 0, at: 40)
        region.write(UInt64(bitPattern: previousTime), at: 48)
        region.write(UInt64(bitPattern: time), at: 56)
        region.write(UInt64(followsMemory ? 1 : 0), at: 64)
        region.write(UInt64(0), at: 72)
        region.write(region.checksum(16..<Self.count), at: 12)
        region.publish(Self.count)
    }
}
