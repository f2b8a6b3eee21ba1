// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Glibc

/// The network namespace of a process (network_namespaces(7)), where a test can create sockets. Requires root.
package struct NetworkNamespace: Sendable {
    private let pid: Int32

    /// Creates a reference to the namespace of a process.
    package init(of pid: Int32) { self.pid = pid }

    /// Runs `body` inside the namespace on a dedicated thread, and returns the result. Sockets that `body` creates
    /// remain in the namespace, regardless of the thread that uses them.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let pid = pid
        let outcome = Monitor<Swift.Result<Result, any Error>?>(nil)
        let thread = try TestThread {
            let result = Swift.Result {
                try NetworkNamespace.enter(pid)
                return try body()
            }
            outcome.withLock { $0 = result }
        }
        thread.join()
        guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the thread has ended") }
        return try result.get()
    }

    private static func enter(_ pid: Int32) throws {
        let path = "/proc/\(pid)/ns/net"
        let descriptor = try SystemCall.check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
        defer { _ = close(descriptor) }
        _ = try SystemCall.check("setns \(path)") { spawn_enter_network(descriptor) }
    }
}
