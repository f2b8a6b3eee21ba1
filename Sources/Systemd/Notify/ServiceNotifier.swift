internal import CSystemd
internal import Glibc

/// Tells the service manager about the gateway itself (sd_notify(3)). Does nothing where no manager wants to know.
package enum ServiceNotifier {
    /// It is up: whoever waits for the unit goes on.
    package static func ready(status: String) { send(["READY=1", field("STATUS", status)]) }

    /// It reads its configuration again; ``ready(status:)`` ends this. `Type=notify-reload` wants the time too.
    package static func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// It is ending.
    package static func stopping(status: String) { send(["STOPPING=1", field("STATUS", status)]) }

    /// What `systemctl status` shows.
    package static func status(_ text: String) { send([field("STATUS", text)]) }

    /// A line feed would begin another variable.
    private static func field(_ name: String, _ value: String) -> String {
        name + "=" + value.replacing("\n", with: " ")
    }

    private static func send(_ lines: [String]) { sd_notify(0, lines.joined(separator: "\n")) }
}
