// SPDX-License-Identifier: Apache-2.0

// length: 1024

import MappedFiles
import OpenCodeFamilies

@testable import EventHub

/// Checks that parsing a segment's file ends, whatever the file contains. The parsed records must be in order and
/// within the file.
///
/// The input consists of a byte of options and the content after a segment's header. The options can request that the
/// checksums are corrected first, so that the fuzzer reaches the code after the check.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let choice = input.byte()
    let bytes = Array(input.remainder())
    readHeader(bytes)
    let capacity = SegmentHeader.count + bytes.count + (choice & 2 == 0 ? 0 : 80)
    let header = SegmentHeader(capacity: capacity, generation: 1, time: 0)
    let region = MappedRegion(memory: SegmentHeader.count + bytes.count)
    header.write(to: region)
    precondition(SegmentHeader.decode(region) == .header(header))
    region.write(bytes.span, at: SegmentHeader.count)
    if choice & 1 == 1 { makeWhole(region) }

    let scan = SegmentScan(region, header)
    let segment = Segment(region, header, ordinal: 0)
    precondition(scan.end >= SegmentHeader.count && scan.end <= region.count)
    var offset = SegmentHeader.count
    var generation: UInt64 = 1
    var last = EventID(generation: 1, sequence: 0)
    while offset < scan.end {
        guard let record = EventRecord(region, at: offset, limit: scan.end) else {
            preconditionFailure("a record that was whole is none")
        }
        precondition(record.isWhole(in: region) && record.end > offset && record.end <= scan.end)
        switch record.kind {
        case .event:
            let isNext = record.id.generation == last.generation && record.id.sequence == last.sequence + 1
            precondition(record.id.generation == generation && (isNext || record.id.sequence == 1))
            let event = StoredEvent(
                region, record, after: LogPosition(segment: segment, offset: record.end, last: record.id))
            let skeleton = event.skeleton
            precondition(event.size <= record.length && event.withType { $0.count } == skeleton.type.count)
            precondition(event.withLine { $0.count } == event.size && event.payload.upperBound <= event.size)
            last = record.id
        case .gap:
            precondition(record.gap(in: region) != nil)
            if record.id.sequence > 0 { last = record.id }
        case .generation:
            precondition(record.id.generation > generation)
            generation = record.id.generation
        }
        offset = record.end
    }
    // If a complete record follows the parsed records, the scan must have reported damage.
    if let next = EventRecord(region, at: scan.end, limit: region.count), next.isWhole(in: region) {
        precondition(scan.isDamaged)
    }
    return 0
}

/// Checks that a header is valid if and only if its magic number, version and checksum are valid.
private func readHeader(_ bytes: [UInt8]) {
    let region = MappedRegion(memory: bytes.count)
    region.write(bytes.span, at: 0)
    guard case .header(let header) = SegmentHeader.decode(region) else { return }
    let again = MappedRegion(memory: bytes.count)
    header.write(to: again)
    precondition(SegmentHeader.decode(again) == .header(header))
}

/// Corrects the checksum of every record.
private func makeWhole(_ region: MappedRegion) {
    var offset = SegmentHeader.count
    while let record = EventRecord(region, at: offset, limit: region.count) {
        region.write(region.checksum(offset + 8..<record.end, after: UInt32(record.length)), at: offset + 4)
        offset = record.end
    }
}
