// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import MappedFiles
internal import OpenCodeFamilies

/// The location, kind, id and time of a record in a segment. A record begins with a head of 72 bytes. Numbers are
/// little-endian. The length of a record is a multiple of 8.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 4 | bytes of the whole record, written last; 0: no record follows |
/// | 4 | 4 | CRC-32C of everything from byte 8 on, seeded with the length |
/// | 8 | 16 | generation and sequence: of the event; for a gap, of the last id that was assigned |
/// | 24 | 8 | time of receipt, milliseconds since 1970 |
/// | 32 | 1 | kind: 1 event, 2 gap, 3 a generation begins |
/// | 33 | 1 | a gap's reason |
/// | 36 | 24 | lengths of type, directory, session, parent session, message, part; all ones: absent |
/// | 60 | 8 | position of the payload in the line: begin, length |
/// | 68 | 4 | length of the line |
/// | 72 | | the fields, the line, zeros to the next multiple of 8 |
///
/// In the record of a gap, bytes 40 to 55 contain the generation and sequence of the last event before the gap.
struct EventRecord: Sendable {
    enum Kind: UInt8 {
        case event = 1
        case gap = 2
        case generation = 3
    }

    enum Field: Int, CaseIterable {
        case type, directory, session, parentSession, message, part
    }

    let offset: Int
    let length: Int
    let kind: Kind
    let id: EventID
    let time: Int64
    /// The range of the line's bytes in the region.
    let line: Range<Int>

    static let headCount = 72
    static let none = UInt32.max

    /// Creates the record at this offset. Returns nil if the record's lengths exceed `limit`, or if its id or time is
    /// implausible. Does not verify the checksum.
    init?(_ region: MappedRegion, at offset: Int, limit: Int) {
        guard limit - offset >= Self.headCount else { return nil }
        let length = Int(region.number32(at: offset))
        guard length >= Self.headCount, length % 8 == 0, length <= limit - offset else { return nil }
        let kinds = region.number32(at: offset + 32)
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: kinds)) else { return nil }
        self.offset = offset
        self.length = length
        self.kind = kind
        id = EventID(generation: region.number64(at: offset + 8), sequence: region.number64(at: offset + 16))
        time = Int64(bitPattern: region.number64(at: offset + 24))
        guard id.isPlausible, EventID.isPlausible(time: time) else { return nil }
        guard kind == .event else {
            line = offset..<offset
            return
        }
        var start = offset + Self.headCount
        for field in Field.allCases { start += Self.length(of: field, offset, region) ?? 0 }
        let count = Int(region.number32(at: offset + 68))
        guard start + count <= offset + length else { return nil }
        line = start..<start + count
        let payload = payload(in: region)
        guard payload.upperBound <= count else { return nil }
    }

    /// The offset at which the next record begins.
    var end: Int { offset + length }

    /// Creates the description of an event's record that has just been written.
    private init(at offset: Int, length: Int, id: EventID, time: Int64, line: Range<Int>) {
        self.offset = offset
        self.length = length
        kind = .event
        self.id = id
        self.time = time
        self.line = line
    }

    /// Returns whether the checksum of the record matches.
    func isWhole(in region: MappedRegion) -> Bool {
        region.number32(at: offset + 4) == Self.checksum(at: offset, length: length, in: region)
    }

    // MARK: An event's parts

    /// Returns the range of a field's bytes; nil if the event does not have the field.
    func range(of field: Field, in region: MappedRegion) -> Range<Int>? {
        guard kind == .event, let count = Self.length(of: field, offset, region) else { return nil }
        var start = offset + Self.headCount
        for before in Field.allCases.prefix(field.rawValue) { start += Self.length(of: before, offset, region) ?? 0 }
        return start + count <= line.lowerBound ? start..<start + count : nil
    }

    func payload(in region: MappedRegion) -> Range<Int> {
        let start = Int(region.number32(at: offset + 60))
        return start..<start + Int(region.number32(at: offset + 64))
    }

    func skeleton(in region: MappedRegion) -> EventSkeleton {
        func bytes(_ field: Field) -> [UInt8]? {
            range(of: field, in: region).map { region.withSpan($0) { [UInt8](copying: $0) } }
        }
        var skeleton = EventSkeleton()
        skeleton.type = bytes(.type) ?? []
        skeleton.directory = bytes(.directory)
        skeleton.session = bytes(.session)
        skeleton.parentSession = bytes(.parentSession)
        skeleton.message = bytes(.message)
        skeleton.part = bytes(.part)
        skeleton.payload = payload(in: region)
        return skeleton
    }

    private static func length(of field: Field, _ offset: Int, _ region: MappedRegion) -> Int? {
        let length = region.number32(at: offset + 36 + 4 * field.rawValue)
        return length == none ? nil : Int(length)
    }

    // MARK: A gap's parts

    /// Returns the reason for the gap and the last event before it.
    func gap(in region: MappedRegion) -> (reason: EventGap.Reason, from: EventID?)? {
        let number = UInt8(truncatingIfNeeded: region.number32(at: offset + 32) >> 8)
        guard kind == .gap, let reason = EventGap.Reason(number: number) else { return nil }
        let from = EventID(generation: region.number64(at: offset + 40), sequence: region.number64(at: offset + 48))
        return (reason, from.sequence == 0 ? nil : from)
    }

    // MARK: Writing

    /// Returns the length of an event's record, in bytes.
    static func length(_ skeleton: EventSkeleton, line: Int) -> Int {
        var count = headCount + line + skeleton.type.count
        count += (skeleton.directory?.count ?? 0) + (skeleton.session?.count ?? 0)
        count += (skeleton.parentSession?.count ?? 0) + (skeleton.message?.count ?? 0) + (skeleton.part?.count ?? 0)
        return (count + 7) & ~7
    }

    /// Writes an event's record after the published records, and publishes it. `length` is the length of the record.
    static func write(
        _ id: EventID, time: Int64, skeleton: EventSkeleton, line: borrowing Span<UInt8>, length: Int,
        to region: MappedRegion, at offset: Int
    ) -> EventRecord {
        writeHead(.event, id: id, time: time, to: region, at: offset)
        var index = offset + headCount
        write(.type, skeleton.type, to: region, at: offset, index: &index)
        write(.directory, skeleton.directory, to: region, at: offset, index: &index)
        write(.session, skeleton.session, to: region, at: offset, index: &index)
        write(.parentSession, skeleton.parentSession, to: region, at: offset, index: &index)
        write(.message, skeleton.message, to: region, at: offset, index: &index)
        write(.part, skeleton.part, to: region, at: offset, index: &index)
        region.write(UInt32(skeleton.payload.lowerBound), at: offset + 60)
        region.write(UInt32(skeleton.payload.count), at: offset + 64)
        region.write(UInt32(line.count), at: offset + 68)
        region.write(line, at: index)
        finish(length: length, in: region, at: offset)
        return EventRecord(at: offset, length: length, id: id, time: time, line: index..<index + line.count)
    }

    /// Writes the record of a gap. `from` is the last event before the gap. `last` is the last event that was assigned
    /// an id, whether it is stored or not.
    static func write(
        _ reason: EventGap.Reason, from: EventID?, last: EventID?, _ time: Int64, to region: MappedRegion,
        at offset: Int
    ) {
        let last = last ?? EventID(generation: 0, sequence: 0)
        writeHead(.gap, id: last, time: time, reason: reason.number, to: region, at: offset)
        region.write(from?.generation ?? 0, at: offset + 40)
        region.write(from?.sequence ?? 0, at: offset + 48)
        finish(length: headCount, in: region, at: offset)
    }

    /// Writes a record that begins a generation.
    static func write(generation: UInt64, _ time: Int64, to region: MappedRegion, at offset: Int) {
        writeHead(.generation, id: EventID(generation: generation, sequence: 0), time: time, to: region, at: offset)
        finish(length: headCount, in: region, at: offset)
    }

    private static func writeHead(
        _ kind: Kind, id: EventID, time: Int64, reason: UInt8 = 0, to region: MappedRegion, at offset: Int
    ) {
        region.write(id.generation, at: offset + 8)
        region.write(id.sequence, at: offset + 16)
        region.write(UInt64(bitPattern: time), at: offset + 24)
        region.write(UInt32(kind.rawValue) | UInt32(reason) << 8, at: offset + 32)
    }

    /// Writes the checksum, then the length. A record with a length is therefore complete, regardless of when the
    /// process ended.
    private static func finish(length: Int, in region: MappedRegion, at offset: Int) {
        region.write(checksum(at: offset, length: length, in: region), at: offset + 4)
        region.seal(UInt32(length), at: offset)
        region.publish(offset + length)
    }

    private static func checksum(at offset: Int, length: Int, in region: MappedRegion) -> UInt32 {
        // The length precedes the checksum in the record. Use the length as the seed, so that the checksum covers the
        // length.
        region.checksum(offset + 8..<offset + length, after: UInt32(length))
    }

    /// Writes a field's length to the head, and the field's bytes at `index`, which follows the previous fields.
    private static func write(
        _ field: Field, _ bytes: [UInt8]?, to region: MappedRegion, at offset: Int, index: inout Int
    ) {
        region.write(bytes.map { UInt32($0.count) } ?? none, at: offset + 36 + 4 * field.rawValue)
        guard let bytes else { return }
        region.write(bytes.span, at: index)
        index += bytes.count
    }
}

extension EventGap.Reason {
    /// The number that represents the reason in a record. A number is never reused for another reason.
    var number: UInt8 {
        switch self {
        case .retention: 1
        case .upstreamLost: 2
        case .instanceRestarted: 3
        case .gatewayRestarted: 4
        case .stopped: 5
        case .tooLarge: 6
        case .damaged: 7
        case .unknownID: 8
        }
    }

    init?(number: UInt8) {
        guard let reason = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = reason
    }
}
