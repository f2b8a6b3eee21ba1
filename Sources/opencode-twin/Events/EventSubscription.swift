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
        state.withLock { if !$0.isEnded { $0.frames.append("data: \(event)\n\n") } }
    }

    /// No event follows; those queued are still delivered.
    func end() {
        state.withLock { $0.isEnded = true }
    }

    /// The subscriber's connection has ended.
    func leave() {
        state.withLock { $0.isGone = true }
    }

    /// The next items, all that are there; nil when nothing came before the deadline.
    func next(by deadline: Deadline) -> [Item]? {
        try? state.wait(for: "an event", within: deadline.remaining) { state in
            if state.isGone { return [.gone] }
            if state.frames.isEmpty { return state.isEnded ? [.end] : nil }
            defer { state.frames = [] }
            return state.frames.map(Item.frame) + (state.isEnded ? [.end] : [])
        }
    }
}
