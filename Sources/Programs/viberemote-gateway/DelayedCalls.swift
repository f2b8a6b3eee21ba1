// SPDX-License-Identifier: Apache-2.0

import Logging
import Systemd

/// Calls functions after a delay on the control plane's loop. Any thread may request a call.
actor DelayedCalls {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let loop: SystemEventLoop
    private let log: Logger
    private var calls: [Int: (timer: EventSource, body: @Sendable () -> Void)] = [:]
    private var count = 0

    init(_ loop: SystemEventLoop, log: Logger) {
        self.loop = loop
        self.log = log
    }

    /// Calls `body` once after a delay. Never calls `body` if the loop ends earlier.
    nonisolated func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        Task { await self.start(delay, body) }
    }

    private func start(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        count += 1
        let number = count
        do throws(SystemdError) {
            let timer = try loop.timer(after: delay) { self.assumeIsolated { $0.end(number) } }
            calls[number] = (timer, body)
        } catch {
            log.error("cannot set a timer", LogField("reason", error.description))
        }
    }

    private func end(_ number: Int) { calls.removeValue(forKey: number)?.body() }
}
