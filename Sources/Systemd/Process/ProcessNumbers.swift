/// How processes see their own numbers: in a name space of its own (pid_namespaces(7)) one has another number than here.
extension ProcessTable {
    /// The number under which the process sees itself: the last one of `NSpid` (proc_pid_status(5)); nil when the process is
    /// gone or its file is not for us.
    package static func innermostNumber(of number: Int32) -> Int32? {
        ProcFile.read("/proc/\(number)/status").flatMap { innermostNumber(inStatus: $0) }
    }

    /// Whether one of these processes sees itself under `number`; nil when none of them could be asked.
    package static func hasNumber(_ number: Int32, among processes: some Sequence<Int32>) -> Bool? {
        let seen = processes.compactMap { innermostNumber(of: $0) }
        return seen.isEmpty ? nil : seen.contains(number)
    }

    /// The last number of the line `NSpid`; nil without one, as before Linux 4.1.
    static func innermostNumber(inStatus text: [UInt8]) -> Int32? {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: name) {
            let last = line.dropFirst(name.count).split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }.last
            return last.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
        }
        return nil
    }

    private static let name = Array("NSpid:".utf8)
}
