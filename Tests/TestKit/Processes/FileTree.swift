// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Glibc

/// Operations on small files. Each file is read as a whole.
package enum FileTree {
    /// Returns the bytes of a file. The file may be in /proc.
    package static func contents(_ path: String) throws -> [UInt8] {
        let descriptor = try SystemCall.check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 { throw TestKitError.system(operation: "read \(path)", code: errno) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Writes a whole file with the given permissions, and creates it if necessary. An executable file can be executed
    /// as soon as this method returns.
    package static func write(_ content: String, to path: String, mode: UInt32 = 0o644) throws {
        try writeBytes(content, to: path, mode: mode)
        if mode & 0o100 != 0 { try waitUntilExecutable(path) }
    }

    /// Waits until the file can be executed. Between fork and exec, the children of other threads hold all descriptors
    /// of this process, and a file that is open for writing cannot be executed (execve(2), ETXTBSY).
    private static func waitUntilExecutable(_ path: String) throws {
        let descriptor = try SystemCall.check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
        defer { _ = close(descriptor) }
        let deadline = Deadline(after: .seconds(60))
        while try SystemCall.check("ask for a lease of \(path)", { spawn_is_being_written(descriptor) }) == 1 {
            if deadline.hasPassed {
                throw TestKitError.timedOut(after: .seconds(60), waitingFor: "the end of all writing to \(path)")
            }
            sched_yield()
        }
    }

    private static func writeBytes(_ content: String, to path: String, mode: UInt32) throws {
        let descriptor = try SystemCall.check("open \(path)") {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        }
        defer { _ = close(descriptor) }
        var remainder = Array(content.utf8)[...]
        while !remainder.isEmpty {
            let written = remainder.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 { throw TestKitError.system(operation: "write \(path)", code: errno) }
            remainder = remainder.dropFirst(written)
        }
        _ = fchmod(descriptor, mode)
    }

    /// Returns the names in a directory in no particular order, without `.` and `..`.
    package static func names(in path: String) throws -> [String] {
        guard let directory = opendir(path) else {
            throw TestKitError.system(operation: "opendir \(path)", code: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the absolute path without symbolic links (realpath(3)).
    package static func resolve(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else {
            throw TestKitError.system(operation: "realpath \(path)", code: errno)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Removes a file, or a directory with its content. Symbolic links are not followed.
    package static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in (try? names(in: path)) ?? [] { remove("\(path)/\(name)") }
            _ = rmdir(path)
        } else {
            _ = unlink(path)
        }
    }
}
