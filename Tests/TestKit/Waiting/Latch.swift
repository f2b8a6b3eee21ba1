// SPDX-License-Identifier: Apache-2.0

/// A flag that is set once and never reset. One thread opens the latch, and any number of threads can wait until it is
/// open.
package final class Latch: Sendable {
    private let monitor = Monitor(false)
    private let name: String

    /// Creates a closed latch. The name appears in time-out messages.
    package init(_ name: String = "a latch to open") {
        self.name = name
    }

    /// Opens the latch permanently and wakes the waiting threads.
    package func open() {
        monitor.withLock { $0 = true }
    }

    /// Whether the latch is open.
    package var isOpen: Bool { monitor.withLock { $0 } }

    /// Waits until the latch is open.
    package func wait(within limit: Duration = .seconds(10)) throws {
        _ = try monitor.wait(for: name, within: limit) { $0 ? true : nil }
    }

    /// Waits until the latch is open or the time limit is reached, and returns whether the latch is open. This is
    /// useful for delays that can be ended early.
    package func isOpened(within limit: Duration) -> Bool {
        (try? wait(within: limit)) != nil
    }
}
