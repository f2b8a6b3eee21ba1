// SPDX-License-Identifier: Apache-2.0

internal import EnvironmentFiles
internal import Glibc
internal import Projects
internal import Sodium
internal import Systemd

/// Operations on a single record file.
extension InstanceRecordStore {
    /// The maximum size of a file in bytes. Records are much shorter.
    private static let longestFile = 64 * 1024

    static func exists(_ path: String) -> Bool { Glibc.access(path, F_OK) == 0 }

    /// Creates a directory if it is missing. Throws an error if the directory belongs to another user or other users
    /// can access it.
    static func prepare(_ folder: String) throws(InstanceRecordError) {
        do throws(PrivateFolder.Problem) { try PrivateFolder.prepare(folder) } catch {
            switch error {
            case .failed(let verb, let path, let code): throw .failed(verb, path: path, code: code)
            case .foreign:
                throw InstanceRecordError(
                    "cannot store instances' passwords in \(folder), because it is not a directory of this user. Remove \(folder)."
                )
            case .accessible:
                throw InstanceRecordError(
                    "cannot store instances' passwords in \(folder), because other users can read it. Run `chmod 700 '\(folder)'`."
                )
            }
        }
    }

    static func put(_ record: InstanceRecord, _ name: String, in folder: String) throws(InstanceRecordError) {
        let path = "\(folder)/\(name)"
        let new = "\(folder)/.\(RandomBytes.hex(unfinishedLength / 2))"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed("create", path: new, code: errno) }
        defer { close(descriptor) }
        let text = Array(record.text.utf8)
        guard Glibc.write(descriptor, text, text.count) == text.count, rename(new, path) == 0 else {
            let code = errno
            unlink(new)
            throw .failed("write", path: path, code: code)
        }
    }

    /// Returns whether this is the name of a file that is still being written.
    static func isUnfinished(_ name: String) -> Bool {
        name.utf8.count == unfinishedLength + 1 && name.hasPrefix(".") && name.dropFirst().allSatisfy(\.isHexDigit)
    }

    private static let unfinishedLength = 16

    /// Removes a file, and then the directory if it is empty.
    static func remove(_ name: String, in folder: String) {
        unlink("\(folder)/\(name)")
        rmdir(folder)
    }

    /// Returns the record in a file. If the file is rejected, reports the reason and returns nil.
    static func read(_ name: String, in folder: String, report: Report) -> InstanceRecord? {
        let path = "\(folder)/\(name)"
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno != ENOENT { report(unread(path, SystemdError.reason(of: errno))) }
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        if let reason = reasonAgainst(status) {
            report(unread(path, reason))
            return nil
        }
        if status.st_mode & 0o077 != 0 {
            let mode = String(status.st_mode & 0o777, radix: 8)
            report(
                "Other users could read \(path), which contains a password (mode \(mode)). The gateway has set its mode to 600."
            )
            fchmod(descriptor, 0o600)
        }
        guard let record = content(of: descriptor, Int(status.st_size)).flatMap({ InstanceRecord(text: $0) }) else {
            report(unread(path, "it is not a record of an instance"))
            return nil
        }
        guard fileName(of: record.project.bytes) == name else {
            report(unread(path, "it is the record of another project, \(record.project)"))
            return nil
        }
        return record
    }

    private static func reasonAgainst(_ status: stat) -> String? {
        if status.st_mode & S_IFMT != S_IFREG { return "it is not a regular file" }
        if status.st_uid != geteuid() { return "it belongs to another user" }
        if status.st_mode & 0o022 != 0 { return "other users can write to it" }
        return status.st_size > longestFile ? "it is larger than \(longestFile) bytes" : nil
    }

    private static func content(of descriptor: Int32, _ size: Int) -> String? {
        var bytes = [UInt8](repeating: 0, count: size)
        guard Glibc.read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func unread(_ path: String, _ reason: String) -> String {
        "Cannot use the record \(path): \(reason). If no server of this project runs, remove the record "
            + "(`rm \(ShellWord.quoted(path))`)."
    }
}
