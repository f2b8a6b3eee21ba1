// SPDX-License-Identifier: Apache-2.0

package import Instances

/// A loop's counters of the received parts of responses, one for each instance. The instance's slot is the index of its
/// counter. Counting a part costs only one addition, whereas a timestamp would cost a system call.
package struct ProgressCounts {

    /// Creates counters without any slots.
    package init() {}
    private var counts: [UInt64] = []
    /// The generation of the last run that has responded on this loop, by the instance's slot; 0 if
    /// no run has responded.
    private var answered: [UInt64] = []

    /// Makes room for the instances of a routing table.
    package mutating func makeRoom(for routes: RoutingTable) {
        guard routes.slotCount > counts.count else { return }
        counts += Array(repeating: 0, count: routes.slotCount - counts.count)
        answered += Array(repeating: 0, count: routes.slotCount - answered.count)
    }

    /// Counts a part of a response from the instance with this slot.
    package mutating func add(_ slot: Int) { counts[slot] &+= 1 }

    /// Returns whether the run with this generation, which is never 0, has responded on this loop.
    func hasAnswered(_ slot: Int, ofRun generation: UInt64) -> Bool { answered[slot] == generation }

    /// Records that the run with this generation has responded on this loop.
    mutating func recordAnswer(_ slot: Int, ofRun generation: UInt64) { answered[slot] = generation }

    /// The count of one slot; 0 if no response has arrived yet.
    package subscript(slot: Int) -> UInt64 { counts.indices.contains(slot) ? counts[slot] : 0 }
}
