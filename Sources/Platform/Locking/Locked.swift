// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A value protected by a lock: a counterpart of `Synchronization.Mutex` that uses a pthread mutex.
///
/// Thread Sanitizer does not recognise the futex inside Swift's own `Mutex` on Linux and reports false races (observed
/// with Swift 6.3.1). Thread Sanitizer does recognise pthread mutexes. The lock is not recursive: acquiring it again
/// inside `withLock` deadlocks.
package struct Locked<State>: ~Copyable, @unchecked Sendable {  // The mutex orders every access to the state.
    /// The mutex is allocated on the heap, because a pthread mutex must not move while it is in use.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Creates a lock for `initial` and takes ownership of the value. Nothing else may refer to the value afterwards.
    package init(_ initial: sending State) {
        mutex = .allocate(capacity: 1)
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init failed with error \(result)")
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Calls `body` while holding the lock. Keep `body` short and free of I/O.
    @inlinable
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
