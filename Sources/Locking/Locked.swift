package import Glibc

/// State behind a lock: what `Synchronization.Mutex` is, over a pthread mutex.
///
/// Thread Sanitizer does not see the futex inside Swift's own `Mutex` on Linux and reports races that are none
/// (seen with Swift 6.3.1); it knows pthread's. The lock is not recursive: taking it again inside `withLock` never returns.
package struct Locked<State>: ~Copyable, @unchecked Sendable {  // the mutex orders every access to the state
    /// On the heap because a pthread mutex must never move while it is in use.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// Takes over `initial`: nothing else may refer to it afterwards.
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

    /// Runs `body` alone: no other thread is in `withLock` of the same value meanwhile. Keep `body` short and free of I/O.
    @inlinable
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}
