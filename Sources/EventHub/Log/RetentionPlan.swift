/// Which segments of all projects go, so that all together are no more than is kept (`--event-keep-total`): the oldest first,
/// whosever they are.
package enum RetentionPlan {
    /// How many segments each log loses, oldest first; `logs`: each one's segments in their order. What is in memory does not
    /// count: it is not on the disk. `keepsNewest`: each log's newest segment stays, which has just been begun.
    package static func removals(_ logs: [[LogSegment]], total: Int, keepsNewest: Bool = false) -> [Int] {
        var counts = [Int](repeating: 0, count: logs.count)
        var bytes = logs.joined().reduce(0) { $0 + ($1.isFile ? $1.bytes : 0) }
        while bytes > total {
            // A log's segments go in their order, whatever their times are.
            let candidates = logs.indices.filter { counts[$0] < logs[$0].count - (keepsNewest ? 1 : 0) }
            let oldest = candidates.min { logs[$0][counts[$0]].lastTime < logs[$1][counts[$1]].lastTime }
            guard let oldest else { break }
            let segment = logs[oldest][counts[oldest]]
            if segment.isFile { bytes -= segment.bytes }
            counts[oldest] += 1
        }
        return counts
    }
}
