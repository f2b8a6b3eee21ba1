// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The event queue of one subscriber, which is unbounded like OpenCode's own queue.
final class EventSubscription: Sendable {
    /// An item of the queue.
    enum Item: Equatable {
        /// An encoded event.
        case frame(String)
        /// The regular end of the stream, with the last chunk.
        case end
        /// The end of the subscriber's connection.
        case gone
    }

    private struct State {
        var frames: [String] = []
        var isEnded = false
        var isGone = false
        /// The numbers of frames that were queued, returned to the writer, and written.
        var queued = 0
        var taken = 0
        var written = 0
        /// Whether a wait for the reader has timed out. The value becomes false when the reader reads again.
        var isStuck = false
    }

    let number: Int
    /// The directory of the subscription; nil for the wrapped events of all directories.
    let directory: String?
    private let state = Monitor(State())

    init(number: Int, directory: String?) {
        self.number = number
        self.directory = directory
    }

    /// Queues an encoded event for the subscriber.
    func append(_ event: String) {
        state.withLock { state in
            if state.isEnded { return }
            state.frames.append("data: \(event)\n\n")
            state.queued += 1
        }
    }

    /// Ends the queue. The queued events are still delivered.
    func finish() {
        state.withLock { $0.isEnded = true }
    }

    /// Reports that the subscriber's connection has ended.
    func cancel() {
        state.withLock { $0.isGone = true }
    }

    /// Waits until the currently queued frames are written, unless the reader is stuck or has disconnected. Returns
    /// whether the frames are written.
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

    /// Returns all queued items. Counts the items of the previous call as written. Returns nil if no item arrives
    /// before the deadline.
    func next(by deadline: Deadline) -> [Item]? {
        state.withLock { state in
            if state.written < state.taken { state.isStuck = false }
            state.written = state.taken
        }
        return try? state.wait(for: "an event", within: deadline.remaining) { state in
            if state.isGone { return [.gone] }
            if state.frames.isEmpty { return state.isEnded ? [.end] : nil }
            defer {
                state.frames = []
                state.taken = state.queued
            }
            return state.frames.map(Item.frame) + (state.isEnded ? [.end] : [])
        }
    }
}
