// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Information about the running machine, as the kernel reports it.
package enum Machine {
    /// A random text that changes with each boot (`/proc/sys/kernel/random/boot_id`, random(4)); empty if the kernel
    /// provides none. Start times of processes are comparable only within one boot.
    package static let bootIdentifier: String = {
        let text = ProcFile.read("/proc/sys/kernel/random/boot_id") ?? []
        return String(decoding: text.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }()

    /// The kernel's list of file locks (proc_locks(5)).
    package static var fileLocks: String { String(decoding: ProcFile.read("/proc/locks") ?? [], as: UTF8.self) }

    /// Returns the age of a process with this start time, which is in clock ticks since boot.
    package static func age(ofStart startTime: UInt64) -> Duration {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let ticks = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let (whole, remainder) = startTime.quotientAndRemainder(dividingBy: ticks)
        let start = Duration.seconds(Int64(clamping: whole)) + .nanoseconds(Int64(remainder * 1_000_000_000 / ticks))
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - start
    }
}
