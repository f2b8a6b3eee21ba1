// SPDX-License-Identifier: Apache-2.0

/// The kernel's status line of a process (proc_pid_stat(5)).
package struct ProcessStatus: Sendable, Equatable {
    /// The identity of the process.
    package let identity: ProcessIdentity
    /// The number of the parent process, or of the process that adopted this process after the parent had ended.
    package let parent: Int32
    /// The number of the process group.
    package let group: Int32
    /// The number of the session.
    package let session: Int32
    /// Whether the process has ended and waits to be reaped.
    package let hasEnded: Bool
    /// Whether the process is a kernel thread, which has no program.
    let isKernels: Bool
    /// Whether the process was started with environment variables. The value is nil while the program is being started,
    /// and if the kernel does not provide this information.
    let hasVariables: Bool?

    /// Parses a status line; returns nil for any other text.
    package init?(_ line: some Collection<UInt8>) {
        let line = Array(line)
        // The program's name is in parentheses and may contain any character, including closing parentheses, so search
        // for the last closing parenthesis.
        guard let opening = line.firstIndex(of: UInt8(ascii: "(")), let closing = line.lastIndex(of: UInt8(ascii: ")")),
            opening < closing, let number = Int32(decimal: line[..<opening].dropLast())
        else { return nil }
        let fields = line[(closing + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard fields.count > Field.startTime, let parent = Int32(decimal: fields[Field.parent]),
            let group = Int32(decimal: fields[Field.group]), let session = Int32(decimal: fields[Field.session]),
            let startTime = UInt64(decimal: fields[Field.startTime]), let flags = UInt64(decimal: fields[Field.flags])
        else { return nil }
        identity = ProcessIdentity(number: number, startTime: startTime)
        self.parent = parent
        self.group = group
        self.session = session
        // execve(2) sets the start of the program's code when it finishes. Shortly before, the environment temporarily
        // has the length zero. The length is therefore valid only if the start of the code is set.
        if fields.count > Field.environmentEnd, let code = UInt64(decimal: fields[Field.codeStart]), code > 0,
            let start = UInt64(decimal: fields[Field.environmentStart]), start > 0,
            let end = UInt64(decimal: fields[Field.environmentEnd]), end >= start
        {
            hasVariables = end > start
        } else {
            hasVariables = nil
        }
        isKernels = flags & Self.kernelThread != 0
        hasEnded = [UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x")].contains(fields[Field.state].first)
    }

    /// The flag PF_KTHREAD of kernel threads (linux/sched.h).
    private static let kernelThread: UInt64 = 0x20_0000

    /// The indices of the fields after the name. The man page counts from 1 and includes the two fields up to the name.
    private enum Field {
        static let state = 0
        static let parent = 1
        static let group = 2
        static let session = 3
        static let flags = 6
        static let startTime = 19
        static let codeStart = 23
        static let environmentStart = 47
        static let environmentEnd = 48
    }
}

extension FixedWidthInteger {
    /// Parses a number that consists of decimal digits only.
    fileprivate init?(decimal digits: ArraySlice<UInt8>) {
        guard let value = Self(String(decoding: digits, as: UTF8.self)) else { return nil }
        self = value
    }
}

/// The identity of one process. The kernel can reuse a number, but never with the same start time before a reboot.
package struct ProcessIdentity: Sendable, Hashable {
    /// The process ID assigned by the kernel.
    package let number: Int32
    /// The start time in clock ticks since boot (proc_pid_stat(5), field 22).
    package let startTime: UInt64

    /// Creates an identity from recorded values.
    package init(number: Int32, startTime: UInt64) {
        self.number = number
        self.startTime = startTime
    }
}
