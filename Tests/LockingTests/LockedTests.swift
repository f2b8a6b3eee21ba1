import Glibc
import Locking
import Testing

@Suite("State behind a lock")
struct LockedTests {
    struct Refused: Error {}

    final class Counter: Sendable {
        let count = Locked(0)
    }

    @Test("Additions from many tasks at once are all counted")
    func additionsAreAllCounted() async {
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

    @Test("An error thrown inside leaves the lock open and keeps its type")
    func errorLeavesTheLockOpen() {
        let counter = Counter()
        #expect(throws: Refused.self) {
            try counter.count.withLock { (_: inout Int) throws(Refused) in throw Refused() }
        }
        #expect(counter.count.withLock { $0 } == 0)
    }

    @Test("The state is released with the lock")
    func stateIsReleased() {
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
