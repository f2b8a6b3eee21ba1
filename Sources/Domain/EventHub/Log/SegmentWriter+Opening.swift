// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles

/// Finds the segments of earlier processes.
extension SegmentWriter {
    mutating func open(now: Int64) {
        guard let folder else { return }
        do throws(MappedFileError) {
            guard let files = try folder.open(isMade: false) else { return }
            let names = try segmentNames(files)
            for (index, name) in names.enumerated() {
                restoreSegment(name, in: files, isLast: index == names.count - 1)
            }
            if isDamaged { addGap(.damaged, before: last) }
        } catch {
            problem = Self.sentence(error, folder)
            isUnread = true
            // Segments that are found in the directory later precede all records that are written until then. Leave
            // ordinals for these segments.
            origin = Self.origin(generation: 0, last: nil, ordinal: Self.lateOrdinal)
        }
        trim(now: now)
        if limits.bytes == 0 { removeFromDisk() }
        hasChanged = true
    }

    /// Returns the segments' names in order. Removes unfinished files of segments, and leaves all other files
    /// unchanged.
    private mutating func segmentNames(_ files: MappedFolder) throws(MappedFileError) -> [SegmentName] {
        try files.names().compactMap { text in
            if let name = SegmentName(text) { return name }
            if text.hasSuffix(MappedFolder.unfinished),
                SegmentName(String(text.dropLast(MappedFolder.unfinished.count))) != nil
            {
                files.remove(text)
            } else {
                ignore(text, in: files, because: "it is not an event segment")
            }
            return nil
        }
    }

    private mutating func ignore(_ text: String, in files: MappedFolder, because why: String) {
        strangers.append("The gateway ignores \(files.path)/\(text): \(why). Move the file away.")
    }

    private mutating func restoreSegment(_ name: SegmentName, in files: MappedFolder, isLast: Bool) {
        // A generation in a file's name was assigned even if the segment is damaged. Ignore a generation that no
        // gateway can have assigned.
        defer { if name.generation <= EventID.largestNumber { generation = max(generation, name.generation) } }
        let region: MappedRegion
        do throws(MappedFileError) {
            region = try files.open(name.text, isWritten: isLast)
        } catch {
            return strangers.append("\(error). The gateway ignores this file.")
        }
        switch SegmentHeader.decode(region) {
        case .foreign: ignore(name.text, in: files, because: "it is not an event segment")
        case .version(let version):
            ignore(
                name.text, in: files,
                because: "its format version is \(version), and the gateway supports version \(SegmentHeader.version)")
        case .damaged:
            // The segment contains no readable record. The gateway removes the segment after the retention time has
            // passed.
            let header = SegmentHeader(
                capacity: SegmentHeader.count, generation: generation, previous: last, previousTime: lastTime,
                time: lastTime)
            let segment = Segment(region, header, ordinal: newestOrdinal + 1)
            region.publish(SegmentHeader.count)
            kept.append(Kept(segment: segment, name: name, lastTime: lastTime))
            isDamaged = true
            isOpen = false
        case .header(let header): restoreSegment(header, region: region, name: name, in: files, isLast: isLast)
        }
    }

    private mutating func restoreSegment(
        _ header: SegmentHeader, region: MappedRegion, name: SegmentName, in files: MappedFolder, isLast: Bool
    ) {
        let isAhead = (last.map { last in header.previous.map { $0 >= last } ?? false } ?? true)
        guard isAhead, kept.isEmpty || header.generation >= generation else {
            return ignore(name.text, in: files, because: "another file contains the same events")
        }
        if !kept.isEmpty, isDamaged || header.previous != last {
            addGap(header.followsMemory && !isDamaged ? .retention : .damaged, before: header.previous)
        }
        let scan = SegmentScan(region, header)
        region.publish(scan.end)
        let segment = Segment(region, header, ordinal: newestOrdinal + 1)
        kept.append(Kept(segment: segment, name: name, lastTime: scan.lastTime, gaps: scan.gaps))
        generation = max(generation, scan.generation)
        last = scan.last
        lastTime = scan.lastTime
        if !scan.isEmpty { endsInGap = scan.endsInGap }
        isOpen = isLast && region.isWritable && !scan.isDamaged
        isFromBefore = isOpen
        isDamaged = scan.isDamaged
    }

    /// Adds a gap that is not recorded anywhere, as a separate segment in memory.
    ///
    /// - Parameters:
    ///   - id: The last event before the next segment that received an id.
    ///   - isDerived: Whether the next process can find the same gap from the files. Such a gap never moves to the
    ///     disk.
    mutating func addGap(
        _ reason: EventGap.Reason, before id: EventID?, ordinal: UInt64? = nil, isDerived: Bool = true
    ) {
        let header = SegmentHeader(
            capacity: SegmentHeader.count + EventRecord.headCount, generation: generation, previous: last,
            previousTime: lastTime, time: lastTime)
        let segment = Segment.inMemory(header, ordinal: ordinal ?? newestOrdinal + 1)
        EventRecord.write(reason, from: last, last: id, lastTime, to: segment.region, at: SegmentHeader.count)
        kept.append(Kept(segment: segment, name: nil, lastTime: lastTime, gaps: 1, isDerived: isDerived))
        last = id
        isOpen = false
        isDamaged = false
    }
}
