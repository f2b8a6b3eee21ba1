// SPDX-License-Identifier: Apache-2.0

/// Selects the segments to remove, so that the logs of all projects together stay within the limit
/// (`--event-keep-total`). The oldest segments are removed first, regardless of their project.
package enum RetentionPlan {
    /// Returns the number of segments that each log must remove, oldest first.
    ///
    /// - Parameters:
    ///   - logs: The segments of each log, in order. The sizes of segments in memory do not count.
    ///   - total: The maximum total size in bytes.
    ///   - keepsNewest: Whether each log keeps its newest segment, because the segment has just begun.
    package static func removals(_ logs: [[LogSegment]], total: Int, keepsNewest: Bool = false) -> [Int] {
        var counts = [Int](repeating: 0, count: logs.count)
        var bytes = logs.joined().reduce(0) { $0 + ($1.isFile ? $1.bytes : 0) }
        while bytes > total {
            // Compare only the oldest remaining segment of each log, because a log's segments are removed in order.
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
