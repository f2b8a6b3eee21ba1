// SPDX-License-Identifier: Apache-2.0

/// The sizes of a log's segments.
///
/// Each segment is larger than the previous segment, so that a project with few events uses little space. Each segment
/// is small compared with the retention limit, so that only a small part of the events is removed at once.
enum SegmentSizes {
    /// The size of the first segment in bytes.
    static let first = 256 << 10
    /// The maximum size of a segment in bytes. A segment is larger only if a single event needs more space.
    static let largest = 4 << 20
    /// The minimum number of bytes that a log keeps, regardless of the limit.
    static let leastKept = 64 << 10
    private static let page = 4096

    /// Returns the size of the next segment in bytes; nil if the segment would exceed `kept`.
    ///
    /// - Parameters:
    ///   - previous: The size of the previous segment.
    ///   - least: The minimum size of the segment.
    ///   - kept: The maximum size of all segments.
    static func next(after previous: Int?, least: Int, kept: Int) -> Int? {
        guard least <= kept else { return nil }
        let grown = previous.map { min(max(4 * $0, first), largest) } ?? first
        let size = max(min(grown, kept / 8), least)
        return min((size + page - 1) / page * page, kept)
    }
}
