/// A door that opens once and stays open: one thread opens it, any number wait for that.
package final class Latch: Sendable {
    private let monitor = Monitor(false)
    private let name: String

    /// A closed latch; the name appears in time-out messages.
    package init(_ name: String = "a latch to open") {
        self.name = name
    }

    /// Opens the latch for good.
    package func open() {
        monitor.withLock { $0 = true }
    }

    /// Whether somebody has opened it.
    package var isOpen: Bool { monitor.withLock { $0 } }

    /// Waits until it is open.
    package func wait(within limit: Duration = .seconds(10)) throws {
        _ = try monitor.wait(for: name, within: limit) { $0 ? true : nil }
    }

    /// Waits until it is open or the time is over; whether it is open. For pacing that can be cut short.
    package func isOpened(within limit: Duration) -> Bool {
        (try? wait(within: limit)) != nil
    }
}
