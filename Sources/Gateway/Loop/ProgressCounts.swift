import Instances

/// How many pieces of answers have come from each instance, by its slot: one loop's share. Counting costs an addition,
/// because it happens for each piece; times would cost a system call's worth.
struct ProgressCounts {
    private var counts: [UInt64] = []

    /// Makes room for all instances of a table.
    mutating func makeRoom(for routes: RoutingTable) {
        guard routes.slotCount > counts.count else { return }
        counts += Array(repeating: 0, count: routes.slotCount - counts.count)
    }

    /// A piece of an answer has come from the instance with this slot.
    mutating func add(_ slot: Int) { counts[slot] &+= 1 }

    /// The count of one slot; 0 where nothing has come yet.
    subscript(slot: Int) -> UInt64 { counts.indices.contains(slot) ? counts[slot] : 0 }
}
