// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads files below /proc (proc(5)), which report no size and must be read to their end.
enum ProcFile {
    /// Returns the whole content; nil if the process has ended or the file is not readable.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialized in
                repeat {
                    count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                } while count < 0 && errno == EINTR
                initialized = max(count, 0)
            }
            if count < 0 { return nil }
            if count == 0 { return content }
            content += chunk
        }
    }

    /// Returns the numbers of all processes.
    static func processes() -> [Int32] { (FolderEntries.names(in: "/proc") ?? []).compactMap { Int32($0) } }
}
