// SPDX-License-Identifier: Apache-2.0

import Conversations
import EventLoop

/// The suspended tasks of a project. Each task is resumed exactly once and is then removed.
struct SuspendedTasks {
    /// The event that resumes a task.
    enum Reason {
        /// The state meets a condition.
        case state((ConversationState) -> Bool)
        /// The routing table or the hub's snapshot of the project changes.
        case route
        /// The loop replies to a request.
        case reply
        /// All earlier changes are committed.
        case commit
        /// The stored entries are known and the subscription is active.
        case start
    }

    /// The cause of a resumption.
    enum Cause: Sendable {
        /// The awaited event.
        case event
        /// The loop's reply.
        case reply(LoopReply)
        /// The time limit has passed.
        case deadline
        /// The task was cancelled, or the thread is about to end.
        case ended
    }

    /// A suspended task. An unsafe continuation is sufficient, because ``remove(_:)`` returns each task only once.
    struct Suspension {
        let reason: Reason
        let continuation: UnsafeContinuation<Cause, Never>
        /// The time limit; nil if another component limits the time.
        let deadline: LoopExecutor.DelayedCall?
    }

    private var tasks: [Int: Suspension] = [:]
    /// The number of tasks that wait for a condition of the state.
    private var stateCount = 0

    /// Whether a task waits for a condition of the state.
    var includesStateWaits: Bool { stateCount > 0 }

    /// The number of suspended tasks.
    var count: Int { tasks.count }

    mutating func add(_ suspension: Suspension, number: Int) {
        tasks[number] = suspension
        if case .state = suspension.reason { stateCount += 1 }
    }

    /// Removes a task, which the caller resumes. Returns nil if the task was removed before.
    mutating func remove(_ number: Int) -> Suspension? {
        guard let suspension = tasks.removeValue(forKey: number) else { return nil }
        if case .state = suspension.reason { stateCount -= 1 }
        return suspension
    }

    /// Returns the numbers of the tasks with a matching reason, in the order of their suspension.
    func numbers(where isMatching: (Reason) -> Bool) -> [Int] {
        tasks.filter { isMatching($0.value.reason) }.keys.sorted()
    }
}

/// The reply of a loop to a request.
enum LoopReply: Sendable {
    case answer(OpenCodeAnswer)
    /// The instance is not reachable.
    case notRunning
}
