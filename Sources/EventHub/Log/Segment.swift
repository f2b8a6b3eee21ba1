internal import MappedFiles

/// A piece of a log: a header and records behind each other, in a file or in memory. Its region says how much of it is whole.
final class Segment: Sendable {
    let region: MappedRegion
    let header: SegmentHeader
    /// Its place among the segments of the log, in this process.
    let ordinal: UInt64

    init(_ region: MappedRegion, _ header: SegmentHeader, ordinal: UInt64) {
        self.region = region
        self.header = header
        self.ordinal = ordinal
    }

    /// Bytes that records can take, with the header before them: what a file was cut to counts, not what it was.
    var capacity: Int { min(header.capacity, region.count) }

    /// A segment in memory.
    static func inMemory(_ header: SegmentHeader, ordinal: UInt64) -> Segment {
        let region = MappedRegion(memory: header.capacity)
        header.write(to: region)
        return Segment(region, header, ordinal: ordinal)
    }

    /// The same segment with its records in another region, under the same ordinal and at the same offsets.
    func moved(to region: MappedRegion) -> Segment { Segment(region, header, ordinal: ordinal) }

    /// Writes its header and the records that are published to a region of the same size. The header is the segment's own, which
    /// may have learned what precedes it since the region in memory was written.
    func copy(to other: MappedRegion) {
        header.write(to: other)
        let end = region.published
        region.withSpan(SegmentHeader.count..<end) { other.write($0, at: SegmentHeader.count) }
        other.publish(end)
    }

    /// The place before its first record.
    var beginning: LogPosition { LogPosition(segment: self, offset: SegmentHeader.count, last: header.previous) }
}
