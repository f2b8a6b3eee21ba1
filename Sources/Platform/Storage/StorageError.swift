// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// An error that prevented data from being stored or read.
package struct StorageError: Error, Equatable, CustomStringConvertible {
    /// The cause of the error.
    package enum Kind: Sendable, Equatable {
        /// The disk, or this user's quota, is full.
        case full
        /// The file system is not writable.
        case readOnly
        /// The file's content is invalid.
        case damaged
        /// A newer gateway has written the file.
        case newer
        /// The file belongs to another program.
        case foreign
        /// Another process has locked the file; the value is its process id, if known.
        case locked(by: Int32?)
        /// The system refuses an operation for any other reason, such as missing access to the directory.
        case unusable
        /// More bytes wait to be written than the limit allows.
        case overflow
        /// The store has been closed.
        case closed
        /// The database rejected a statement, which shows an error in the gateway.
        case refused

        /// Whether the problem may disappear without a change to the file or the gateway.
        package var mayPass: Bool {
            switch self {
            case .full, .readOnly, .unusable, .overflow: true
            case .damaged, .newer, .foreign, .locked, .closed, .refused: false
            }
        }

        /// Whether another attempt to open the file may succeed, for example after another gateway has ended.
        package var mayPassAtOpening: Bool {
            if case .locked = self { true } else { mayPass }
        }
    }

    /// The cause of the error.
    package let kind: Kind
    /// A message that includes an instruction for the user.
    package let description: String

    /// Creates an error of the given kind with this message.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    // MARK: Sentences

    static func full(_ path: String) -> StorageError {
        StorageError(.full, "\(path) cannot be written: the disk is full. Free space on the disk (`df \(path)`).")
    }

    static func readOnly(_ path: String) -> StorageError {
        StorageError(
            .readOnly,
            "\(path) cannot be written: its file system is read-only. Mount the file system for writing, or set --state-dir "
                + "to another directory.")
    }

    static func damaged(_ path: String, _ reason: String) -> StorageError {
        StorageError(
            .damaged,
            "\(path) is damaged (\(reason)). Stop the gateway, move the file away together with its -wal and -shm files (`mkdir "
                + "\(path).damaged; mv \(path) \(path)-wal \(path)-shm \(path).damaged`), and start the gateway again. "
                + "The gateway then creates a new file.")
    }

    static func newer(_ path: String, version: Int64, known: Int) -> StorageError {
        StorageError(
            .newer,
            "\(path) was written by a newer gateway: its schema version is \(version), and this gateway supports versions up "
                + "to \(known). Run the newer gateway, or set --state-dir to another directory.")
    }

    static func foreign(_ path: String) -> StorageError {
        StorageError(
            .foreign,
            "\(path) is another program's database. Set --state-dir to another directory, or move the file away."
        )
    }

    static func locked(_ path: String, by holder: Int32?) -> StorageError {
        let holderText = holder.map { "process \($0)" } ?? "another process"
        return StorageError(
            .locked(by: holder),
            "Another gateway (\(holderText)) uses \(path). Stop that gateway, or set --state-dir of this gateway to another directory."
        )
    }

    /// Returns the error for a failed system call on `path`.
    ///
    /// - Parameters:
    ///   - verb: The failed action as a past participle, such as `made`.
    ///   - path: The path of the file or directory.
    ///   - code: The error number (errno(3)).
    static func system(_ verb: String, path: String, code: Int32) -> StorageError {
        switch code {
        case ENOSPC, EDQUOT: full(path)
        case EROFS: readOnly(path)
        default:
            StorageError(
                .unusable,
                "\(path) cannot be \(verb): \(reason(code)). Give this user write permission, or set --state-dir to another "
                    + "directory.")
        }
    }

    static func overflow(_ path: String) -> StorageError {
        StorageError(
            .overflow,
            "Too many changes wait to be written to \(path): the disk is too slow or rejects writes. Check the disk.")
    }

    static func closed(_ path: String) -> StorageError {
        StorageError(.closed, "\(path) is closed, because the gateway is shutting down.")
    }

    /// Returns the error for a failed SQLite call.
    ///
    /// - Parameters:
    ///   - path: The path of the database file.
    ///   - code: The extended result code (https://www.sqlite.org/rescode.html).
    ///   - message: SQLite's message.
    ///   - number: The error number of the system that caused the failure; 0 if there is none.
    static func database(_ path: String, code: Int32, message: String, system number: Int32) -> StorageError {
        switch code & 0xff {
        case SQLITE_FULL: return full(path)
        case SQLITE_READONLY: return refusedWrite(path, message)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return damaged(path, message)
        case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH:
            return number == 0 ? unusable(path, message) : system("used", path: path, code: number)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            return unusable(path, "another program, such as a sqlite3 shell, has locked it; end that program")
        case SQLITE_NOMEM: return unusable(path, message)
        default:
            return StorageError(
                .refused,
                "SQLite rejected a statement for \(path): \(message) (code \(code)). Report this defect of the gateway."
            )
        }
    }

    /// Returns the error for a refused write. SQLite reports every file that it cannot write as read-only. access(2)
    /// reports the actual reason.
    private static func refusedWrite(_ path: String, _ message: String) -> StorageError {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        for name in [path, path + "-wal", path + "-shm", folder] where access(name, W_OK) != 0 {
            let code = errno
            // SQLite's companion files do not always exist, so skip a missing one.
            if code == ENOENT, name != path { continue }
            return system("written", path: name, code: code)
        }
        return unusable(path, message)
    }

    private static func unusable(_ path: String, _ reason: String) -> StorageError {
        StorageError(.unusable, "\(path) cannot be used: \(reason).")
    }

    /// Returns the text of an error number (errno(3)).
    private static func reason(_ code: Int32) -> String {
        // Use strerror_r, because strerror shares one buffer among threads.
        let capacity = 256
        return String(unsafeUninitializedCapacity: capacity) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress, strerror_r(code, start, capacity) == 0 else { return 0 }
                return strnlen(start, capacity)
            }
        }
    }
}
