// SPDX-License-Identifier: Apache-2.0

import Glibc

/// State protected by a lock, on which threads can wait for a condition.
///
/// The monitor uses pthread's mutex and condition variable, which Thread Sanitizer recognises. With Swift's own `Mutex`
/// on Linux, Thread Sanitizer reports false races (observed with 6.3.1).
package final class Monitor<State: Sendable>: @unchecked Sendable {  // the mutex orders every access to the state
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// Creates a monitor with an initial state.
    package init(_ initial: State) {
        state = initial
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Use the monotonic clock for deadlines, because the default clock jumps when the time is set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls `body` with the state while holding the lock, and then wakes all waiting threads.
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Waits until `condition` returns a value, and returns this value.
    ///
    /// - Throws: `timedOut` if this does not happen within the limit.
    ///
    /// The condition may change the state, for example by removing a value. Such a change wakes no other thread.
    package func wait<Result>(
        for what: String, within limit: Duration = .seconds(10), until condition: (inout State) throws -> Result?
    ) throws -> Result {
        let deadline = Deadline(after: limit)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try condition(&state) { return result }
            var end = deadline.timespec
            if pthread_cond_timedwait(changed, mutex, &end) == ETIMEDOUT, deadline.hasPassed {
                if let result = try condition(&state) { return result }
                throw TestKitError.timedOut(after: limit, waitingFor: what)
            }
        }
    }
}
