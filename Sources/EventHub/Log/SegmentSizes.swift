/// How large segments are.
///
/// They grow, so that a project that says little takes little, and are small beside what is kept, so that what goes at once is
/// little of it.
enum SegmentSizes {
    /// The first one's.
    static let first = 256 << 10
    /// The largest one's, unless one event needs more.
    static let largest = 4 << 20
    /// Less than this is never kept, whatever the limit says.
    static let leastKept = 64 << 10
    private static let page = 4096

    /// Bytes of a segment that follows one of `previous` bytes and has to hold `least`, where `kept` are kept in all; nil: it
    /// would be more than that.
    static func next(after previous: Int?, least: Int, kept: Int) -> Int? {
        guard least <= kept else { return nil }
        let grown = previous.map { min(max(4 * $0, first), largest) } ?? first
        let size = max(min(grown, kept / 8), least)
        return min((size + page - 1) / page * page, kept)
    }
}
