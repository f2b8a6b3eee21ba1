// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Sends the gateway's own state to the service manager (sd_notify(3)). Does nothing if no manager expects such
/// messages.
package enum ServiceNotifier {
    /// Reports that the gateway is ready. Units that wait for the gateway then start.
    package static func ready(status: String) { send(["READY=1", field("STATUS", status)]) }

    /// Reports that the gateway is reloading its configuration. ``ready(status:)`` ends this state.
    /// `Type=notify-reload` also requires the time of the message.
    package static func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// Reports that the gateway is shutting down.
    package static func stopping(status: String) { send(["STOPPING=1", field("STATUS", status)]) }

    /// Sets the text that `systemctl status` shows.
    package static func status(_ text: String) { send([field("STATUS", text)]) }

    /// The time within which the service manager's watchdog expects a message from this process (`WatchdogSec=` of the
    /// unit, sd_watchdog_enabled(3)); nil if the watchdog is off.
    package static var watchdogTime: Duration? {
        var microseconds: UInt64 = 0
        return sd_watchdog_enabled(0, &microseconds) > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }

    /// Notifies the watchdog that this process responds.
    package static func alive() { send(["WATCHDOG=1"]) }

    /// Returns an assignment without line feeds, which would start another variable.
    private static func field(_ name: String, _ value: String) -> String {
        name + "=" + value.replacing("\n", with: " ")
    }

    private static func send(_ lines: [String]) { sd_notify(0, lines.joined(separator: "\n")) }
}
