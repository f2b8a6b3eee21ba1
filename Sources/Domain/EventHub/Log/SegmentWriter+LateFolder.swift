// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles

/// Handles a directory that belonged to another process when the log was opened, and now belongs to this gateway.
extension SegmentWriter {
    /// The first ordinal of a log whose directory could not be read when the log was opened. Segments that are found in
    /// the directory later receive smaller ordinals.
    static let lateOrdinal: UInt64 = 1 << 32

    /// Finds the segments in the directory, and writes to the directory from now on.
    ///
    /// The segments in the directory precede the segments in memory, with a gap between them. Ids must increase. The
    /// segments in memory are therefore removed if the newest generation in the directory is not older than the first
    /// generation in memory. In this case, readers receive a gap, and a new generation begins.
    mutating func useFolder(now: Int64) {
        guard obstacle != nil else { return }
        obstacle = nil
        readFolder(now: now)
    }

    /// Finds the segments in the directory, as in ``useFolder(now:)``, and also writes the segments in memory to the
    /// directory.
    mutating func readFolder(now: Int64) {
        hasChanged = true
        guard let folder else { return }
        var found = SegmentWriter(folder, limits)
        found.open(now: now)
        problem = found.problem
        strangers = found.strangers
        isUnread = found.isUnread
        guard limits.bytes > 0, !isUnread else { return }
        if kept.isEmpty { isOpen = false }
        guard found.generation > 0 else { return moveToDisk() }
        if let firstGeneration, firstGeneration <= found.generation {
            replace(by: found, now: now)
        } else {
            precede(with: found)
        }
        removeOldest(until: max(limits.bytes, SegmentSizes.leastKept))
        moveToDisk()
    }

    private mutating func precede(with found: SegmentWriter) {
        var found = found
        if !found.kept.isEmpty, !kept.isEmpty {
            found.addGap(.gatewayRestarted, before: found.last, isDerived: false)
        }
        let following = kept.map { $0.following(found.last, at: found.lastTime, in: found.generation) }
        kept = found.kept(before: firstOrdinal) + following
        guard last == nil else { return }
        last = found.last
        lastTime = found.lastTime
        endsInGap = found.endsInGap
        generation = max(generation, found.generation)
        if kept.isEmpty { origin = Self.origin(generation: generation, last: last, ordinal: origin.ordinal) }
    }

    private mutating func replace(by found: SegmentWriter, now: Int64) {
        let newest = newestOrdinal
        kept = found.kept(before: firstOrdinal)
        generation = found.generation
        last = found.last
        lastTime = found.lastTime
        addGap(.gatewayRestarted, before: last, ordinal: newest + 1, isDerived: false)
        _ = beginGeneration(now: now, after: nil)
    }

    private var firstOrdinal: UInt64 { kept.first?.segment.ordinal ?? origin.ordinal + 1 }

    /// Returns the segments with new ordinals that precede the given ordinal.
    private func kept(before ordinal: UInt64) -> [Kept] {
        kept.enumerated().map { index, kept in
            let segment = kept.segment
            let earlier = Segment(segment.region, segment.header, ordinal: ordinal - UInt64(self.kept.count - index))
            return Kept(
                segment: earlier, name: kept.name, lastTime: kept.lastTime, gaps: kept.gaps, isDerived: kept.isDerived)
        }
    }
}

extension SegmentWriter.Kept {
    /// Returns a copy whose header contains the previous event, which was not known when the segment was created. If
    /// the header already contains a previous event, returns the segment unchanged.
    fileprivate func following(_ event: EventID?, at time: Int64, in generation: UInt64) -> Self {
        guard segment.header.previous == nil else { return self }
        var header = segment.header
        header.previous = event
        header.previousTime = time
        header.generation = max(header.generation, generation)
        let segment = Segment(segment.region, header, ordinal: segment.ordinal)
        return Self(segment: segment, name: name, lastTime: lastTime, gaps: gaps, isDerived: isDerived)
    }
}
