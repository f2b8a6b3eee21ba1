import Dialects
import EventLoop
import Locking

/// The threads on which the bridge reads and writes JSON, and what all loops' requests share.
final class BridgeThreads: Sendable {
    typealias Work = @Sendable () -> Void

    private final class Queue: Sendable {
        struct State {
            var work: [Work] = []
            var isEnding = false
        }

        let monitor = Monitor(State())

        /// Waits for the next thing to do; nil at the end.
        func next() -> Work? {
            monitor.wait(
                until: { !$0.work.isEmpty || $0.isEnding }, then: { $0.isEnding ? nil : $0.work.removeFirst() })
        }
    }

    /// The home directory of the user who runs OpenCode.
    let home: String
    let turns = SessionTurns()
    let surroundings = KnownSurroundings()
    private let queue: Queue
    private let threads: [WorkerThread]

    /// Two: a page of a long list keeps no other request waiting.
    private static let count = 2

    init(home: String) throws {
        self.home = home
        let queue = Queue()
        self.queue = queue
        threads = try (0..<Self.count).map { index in
            try WorkerThread(name: "bridge-\(index)") {
                while let work = queue.next() { work() }
            }
        }
    }

    /// Has something done, behind all that was asked for before.
    func run(_ work: @escaping Work) {
        queue.monitor.withLock { $0.work.append(work) }
        queue.monitor.notifyOne()
    }

    /// Ends the threads; what waits is not done. Not on one of them.
    func stop() {
        queue.monitor.withLock { $0.isEnding = true }
        queue.monitor.notifyAll()
        for thread in threads { thread.join() }
    }
}
