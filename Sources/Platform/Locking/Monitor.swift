// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock-protected value that threads can wait on: the state, its lock and one condition variable.
///
/// Only threads that may block can use `wait`. The event loop threads of the data plane must never call `wait`.
package struct Monitor<State>: ~Copyable, @unchecked Sendable {  // The mutex orders every access to the state.
    /// The mutex and the condition variable are allocated on the heap, because pthread objects must not move while they
    /// are in use.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private let state: UnsafeMutablePointer<State>

    /// Creates a monitor for `initial` and takes ownership of the value. Nothing else may refer to the value
    /// afterwards.
    package init(_ initial: sending State) {
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        let mutexResult = pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Use the monotonic clock, because deadlines must not move when the wall clock changes.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        let conditionResult = pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
        precondition(mutexResult == 0 && conditionResult == 0, "pthread_mutex_init or pthread_cond_init failed")
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Calls `body` while holding the lock and wakes no thread. Keep `body` short and free of I/O.
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }

    /// Wakes every thread in `wait`; each checks its condition again.
    package borrowing func notifyAll() {
        pthread_cond_broadcast(changed)
    }

    /// Wakes one thread in `wait`. Use this method only if all threads wait for the same condition.
    package borrowing func notifyOne() {
        pthread_cond_signal(changed)
    }

    /// Blocks until `condition` is true, then calls `body` before any other thread can change the state.
    package borrowing func wait<Result>(
        until condition: (borrowing State) -> Bool,
        then body: (inout sending State) -> sending Result
    ) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !condition(state.pointee) { pthread_cond_wait(changed, mutex) }
        return body(&state.pointee)
    }

    /// Blocks until `condition` is true, but no longer than `limit`. Returns false if the time limit is reached first.
    package borrowing func wait(until condition: (borrowing State) -> Bool, atMost limit: Duration) -> Bool {
        let (seconds, attoseconds) = limit.components
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += Int(seconds)
        deadline.tv_nsec += Int(attoseconds / 1_000_000_000)
        if deadline.tv_nsec >= 1_000_000_000 {
            deadline.tv_sec += 1
            deadline.tv_nsec -= 1_000_000_000
        }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !condition(state.pointee) {
            if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return condition(state.pointee) }
        }
        return true
    }
}
