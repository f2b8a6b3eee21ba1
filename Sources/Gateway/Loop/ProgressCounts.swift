internal import Instances

/// How many pieces of answers have come from each instance, by its slot: one loop's share. Counting costs an addition,
/// because it happens for each piece; times would cost a system call's worth.
struct ProgressCounts {
    private var counts: [UInt64] = []
    /// The number of the last run of each instance that has answered here.
    private var answered: [UInt64] = []

    /// Makes room for all instances of a table.
    mutating func makeRoom(for routes: RoutingTable) {
        guard routes.slotCount > counts.count else { return }
        counts += Array(repeating: 0, count: routes.slotCount - counts.count)
        answered += Array(repeating: 0, count: routes.slotCount - answered.count)
    }

    /// A piece of an answer has come from the instance with this slot.
    mutating func add(_ slot: Int) { counts[slot] &+= 1 }

    /// Whether the run with this number, which is never 0, has answered here.
    func hasAnswered(_ slot: Int, ofRun generation: UInt64) -> Bool { answered[slot] == generation }

    /// The run with this number has.
    mutating func noteAnswer(_ slot: Int, ofRun generation: UInt64) { answered[slot] = generation }

    /// The count of one slot; 0 where nothing has come yet.
    subscript(slot: Int) -> UInt64 { counts.indices.contains(slot) ? counts[slot] : 0 }
}
