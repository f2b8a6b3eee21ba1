/// What the kernel tells about a process in one line (proc_pid_stat(5)).
package struct ProcessStatus: Sendable, Equatable {
    /// Which process.
    package let identity: ProcessIdentity
    /// The number of its parent; of whoever took it over once its own has ended.
    package let parent: Int32
    /// The number of its process group.
    package let group: Int32
    /// The number of its session.
    package let session: Int32
    /// Whether it has ended and only waits to be collected.
    package let hasEnded: Bool
    /// Whether it is a thread of the kernel's own, which has no program.
    let isKernels: Bool
    /// Whether it was started with variables; nil while its program just begins, and where that is not told.
    let hasVariables: Bool?

    /// From the line; nil for anything else.
    package init?(_ line: some Collection<UInt8>) {
        let line = Array(line)
        // The program's name stands in parentheses and may hold anything, closing ones too.
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
        // execve(2) tells where the program's code is when it is done, and for a moment before that an environment of no length.
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

    /// PF_KTHREAD (linux/sched.h).
    private static let kernelThread: UInt64 = 0x20_0000

    /// Where fields stand behind the name; the man page counts from 1 and has two before them.
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
    /// From decimal digits alone.
    fileprivate init?(decimal digits: ArraySlice<UInt8>) {
        guard let value = Self(String(decoding: digits, as: UTF8.self)) else { return nil }
        self = value
    }
}

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
