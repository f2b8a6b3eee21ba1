internal import CSystemd
internal import Glibc

/// The machine as it has run since it was booted.
package enum Machine {
    /// A random text that is another one after each boot (`/proc/sys/kernel/random/boot_id`, random(4)): start times of
    /// processes can be compared within one boot only. Empty where the kernel gives none.
    package static let bootIdentifier: String = {
        let text = ProcFile.read("/proc/sys/kernel/random/boot_id") ?? []
        return String(decoding: text.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }()

    /// The files that processes have locked, as the kernel lists them (proc_locks(5)).
    package static var fileLocks: String { String(decoding: ProcFile.read("/proc/locks") ?? [], as: UTF8.self) }

    /// How long ago a process with this start time was started.
    package static func age(ofStart startTime: UInt64) -> Duration {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let ticks = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let (whole, rest) = startTime.quotientAndRemainder(dividingBy: ticks)
        let start = Duration.seconds(Int64(clamping: whole)) + .nanoseconds(Int64(rest * 1_000_000_000 / ticks))
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - start
    }
}
