// SPDX-License-Identifier: Apache-2.0

/// The numbers of processes in their own PID namespaces (pid_namespaces(7)). If a process is in another namespace than
/// the gateway, its number there differs from the number that the gateway sees.
extension ProcessTable {
    /// Returns the number of the process in its own namespace: the last number in the line `NSpid`
    /// (proc_pid_status(5)). Returns nil if the process has ended or its file is not readable.
    package static func innermostNumber(of number: Int32) -> Int32? {
        ProcFile.read("/proc/\(number)/status").flatMap { innermostNumber(inStatus: $0) }
    }

    /// Returns whether one of these processes has `number` in its own namespace; nil if none of them could be read.
    package static func hasNumber(_ number: Int32, among processes: some Sequence<Int32>) -> Bool? {
        let seen = processes.compactMap { innermostNumber(of: $0) }
        return seen.isEmpty ? nil : seen.contains(number)
    }

    /// Returns the last number of the line `NSpid`; nil if the line is missing, as in kernels before Linux 4.1.
    static func innermostNumber(inStatus text: [UInt8]) -> Int32? {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: name) {
            let last = line.dropFirst(name.count).split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }.last
            return last.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
        }
        return nil
    }

    private static let name = Array("NSpid:".utf8)
}
