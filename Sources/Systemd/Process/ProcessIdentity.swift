/// One process and no other: the kernel gives its number again, but never with the same start time before a reboot.
package struct ProcessIdentity: Sendable, Hashable {
    /// The kernel's number.
    package let number: Int32
    /// When it started, clock ticks since the machine booted (proc_pid_stat(5), field 22).
    package let startTime: UInt64

    /// An identity, as a record keeps it.
    package init(number: Int32, startTime: UInt64) {
        self.number = number
        self.startTime = startTime
    }
}
