// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that runs one closure and can be joined. Test sockets block, so they need threads instead of tasks.
package final class TestThread: Sendable {
    private let handle: Monitor<pthread_t?>

    /// Starts the thread. The small default stack makes thousands of connections inexpensive.
    package init(stackBytes: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) throws {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, TestThread.entry, work.toOpaque())
        if code != 0 {
            work.release()
            throw TestKitError.system(operation: "pthread_create", code: code)
        }
        handle = Monitor(thread)
    }

    deinit {
        if let thread = handle.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Waits until the closure has returned. This must not be called on the thread itself.
    package func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }
}
