// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locking
import Testing

@Suite("State protected by a lock")
struct LockedTests {
    struct Refused: Error {}

    final class Counter: Sendable {
        let count = Locked(0)
    }

    @Test func `concurrent additions from many tasks are all counted`() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<5_000 { counter.count.withLock { $0 += 1 } }
                }
            }
        }

        #expect(counter.count.withLock { $0 } == 40_000)
    }

    @Test func `an error inside withLock keeps its type and releases the lock`() {
        let counter = Counter()

        #expect(throws: Refused.self) {
            try counter.count.withLock { (_: inout Int) throws(Refused) in throw Refused() }
        }
        #expect(counter.count.withLock { $0 } == 0)
    }

    @Test func `the state is released with the lock`() {
        final class Guest: Sendable {}
        weak var guest: Guest?
        do {
            let state = Guest()
            guest = state
            let locked = Locked(state)
            #expect(locked.withLock { $0 === guest })
        }

        #expect(guest == nil)
    }
}
