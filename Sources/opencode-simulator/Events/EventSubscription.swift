import TestKit

/// What waits for one subscriber. Unbounded, as OpenCode's own queue is.
final class EventSubscription: Sendable {
    /// What is taken from the queue next.
    enum Item: Equatable {
        /// An event, or whatever else the stream has, as it is written.
        case frame(String)
        /// The stream ends cleanly.
        case end
        /// The subscriber has gone.
        case gone
    }

    private struct State {
        var frames: [String] = []
        var isEnded = false
        var isGone = false
        /// How many frames were queued, taken from the queue and written.
        var (queued, taken, written) = (0, 0, 0)
        /// Whether its reader has once been waited for in vain, until it reads again.
        var isStuck = false
    }

    let number: Int
    /// The directory whose events come; nil for all, wrapped.
    let directory: String?
    private let state = Monitor(State())

    init(number: Int, directory: String?) {
        self.number = number
        self.directory = directory
    }

    /// Queues an encoded event.
    func append(_ event: String) {
        state.withLock { state in
            if state.isEnded { return }
            state.frames.append("data: \(event)\n\n")
            state.queued += 1
        }
    }

    /// No event follows; those queued are still delivered.
    func end() {
        state.withLock { $0.isEnded = true }
    }

    /// The subscriber's connection has ended.
    func leave() {
        state.withLock { $0.isGone = true }
    }

    /// Waits until what is queued now is written, unless its reader takes nothing or has gone; whether it is.
    @discardableResult
    func waitUntilWritten(within limit: Duration) -> Bool {
        let last = state.withLock { $0.queued }
        let isWritten = try? state.wait(for: "a stream's reader", within: limit) { state in
            if state.written >= last { return true }
            return state.isGone || state.isStuck ? false : nil
        }
        if isWritten == nil { state.withLock { $0.isStuck = $0.written < last } }
        return isWritten ?? false
    }

    /// The next items, all that are there; nil when nothing came before the deadline. Those taken before are written.
    func next(by deadline: Deadline) -> [Item]? {
        state.withLock { state in
            if state.written < state.taken { state.isStuck = false }
            state.written = state.taken
        }
        return try? state.wait(for: "an event", within: deadline.remaining) { state in
            if state.isGone { return [.gone] }
            if state.frames.isEmpty { return state.isEnded ? [.end] : nil }
            defer { (state.frames, state.taken) = ([], state.queued) }
            return state.frames.map(Item.frame) + (state.isEnded ? [.end] : [])
        }
    }
}
