// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles

/// A part of a log: a header and consecutive records, in a file or in memory. The segment's region contains the end of
/// the complete records.
final class Segment: Sendable {
    let region: MappedRegion
    let header: SegmentHeader
    /// The number of the segment in the order of the log's segments. Ordinals are valid only in this process.
    let ordinal: UInt64

    init(_ region: MappedRegion, _ header: SegmentHeader, ordinal: UInt64) {
        self.region = region
        self.header = header
        self.ordinal = ordinal
    }

    /// The number of bytes available to the header and the records. If the file was truncated, the present size counts
    /// instead of the original size.
    var capacity: Int { min(header.capacity, region.count) }

    /// Creates a segment in memory.
    static func inMemory(_ header: SegmentHeader, ordinal: UInt64) -> Segment {
        let region = MappedRegion(memory: header.capacity)
        header.write(to: region)
        return Segment(region, header, ordinal: ordinal)
    }

    /// Returns a segment with the same records, ordinal and offsets in another region.
    func moved(to region: MappedRegion) -> Segment { Segment(region, header, ordinal: ordinal) }

    /// Writes the header and the published records to a region of the same size. Writes ``header`` instead of copying
    /// it from the old region, because ``header`` may contain newer information about the previous segment.
    func copy(to other: MappedRegion) {
        header.write(to: other)
        let end = region.published
        region.withSpan(SegmentHeader.count..<end) { other.write($0, at: SegmentHeader.count) }
        other.publish(end)
    }

    /// The position before the first record.
    var beginning: LogPosition { LogPosition(segment: self, offset: SegmentHeader.count, last: header.previous) }
}
