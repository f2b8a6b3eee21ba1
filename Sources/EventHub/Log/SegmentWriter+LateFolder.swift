internal import MappedFiles

/// A folder that was somebody else's when the log was opened, and is the gateway's own now.
extension SegmentWriter {
    /// The ordinals of such a log begin here: what is found in the folder later comes before.
    static let lateOrdinal: UInt64 = 1 << 32

    /// Finds what is in the folder, and writes there from now on.
    ///
    /// What is there comes before what is in memory, with a gap between. Only where another process has begun a generation there
    /// that is not older than those in memory, these are dropped, for ids have to grow: whoever reads gets a gap, and a new
    /// generation goes on.
    mutating func useFolder(now: Int64) {
        guard obstacle != nil else { return }
        obstacle = nil
        readFolder(now: now)
    }

    /// Finds what is in the folder, as above, and writes what is in memory there, too.
    mutating func readFolder(now: Int64) {
        hasChanged = true
        guard let folder else { return }
        var found = SegmentWriter(folder, limits)
        found.open(now: now)
        (problem, strangers, isUnread) = (found.problem, found.strangers, found.isUnread)
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
        let own = kept.map { $0.following(found.last, at: found.lastTime, in: found.generation) }
        kept = found.kept(before: firstOrdinal) + own
        guard last == nil else { return }
        (last, lastTime, endsInGap) = (found.last, found.lastTime, found.endsInGap)
        generation = max(generation, found.generation)
        if kept.isEmpty { origin = Self.origin(generation: generation, last: last, ordinal: origin.ordinal) }
    }

    private mutating func replace(by found: SegmentWriter, now: Int64) {
        let newest = newestOrdinal
        kept = found.kept(before: firstOrdinal)
        (generation, last, lastTime) = (found.generation, found.last, found.lastTime)
        addGap(.gatewayRestarted, before: last, ordinal: newest + 1, isDerived: false)
        _ = beginGeneration(now: now, after: nil)
    }

    private var firstOrdinal: UInt64 { kept.first?.segment.ordinal ?? origin.ordinal + 1 }

    /// Its segments, as those of a log whose own ones begin with this ordinal.
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
    /// The same behind an event that nobody knew of when it was made.
    fileprivate func following(_ event: EventID?, at time: Int64, in generation: UInt64) -> Self {
        guard segment.header.previous == nil else { return self }
        var header = segment.header
        (header.previous, header.previousTime) = (event, time)
        header.generation = max(header.generation, generation)
        let segment = Segment(segment.region, header, ordinal: segment.ordinal)
        return Self(segment: segment, name: name, lastTime: lastTime, gaps: gaps, isDerived: isDerived)
    }
}
