// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// The error that data could not be stored or read.
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
        /// Another process has locked the file; its number where that is known.
        case taken(by: Int32?)
        /// The system refuses something else, such as the folder.
        case unusable
        /// More bytes wait to be written than the limit allows.
        case overflow
        /// The store has been closed.
        case closed
        /// The database rejects a statement: a mistake in the gateway.
        case refused

        /// Whether the problem can disappear without a change to the file or the gateway.
        package var mayPass: Bool {
            switch self {
            case .full, .readOnly, .unusable, .overflow: true
            case .damaged, .newer, .foreign, .taken, .closed, .refused: false
            }
        }

        /// Whether another attempt to open the file may succeed: another gateway can also end.
        package var mayPassAtOpening: Bool {
            if case .taken = self { true } else { mayPass }
        }
    }

    /// The cause of the error.
    package let kind: Kind
    /// One sentence with the instruction for the user.
    package let description: String

    /// Creates an error with this sentence.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    // MARK: Sentences

    static func full(_ path: String) -> StorageError {
        StorageError(.full, "\(path) can't be written: the disk is full. Make room on it (`df \(path)` shows it).")
    }

    static func readOnly(_ path: String) -> StorageError {
        StorageError(
            .readOnly,
            "\(path) can't be written: its file system is read-only. Mount it for writing, or name another folder "
                + "(--state-dir).")
    }

    static func damaged(_ path: String, _ reason: String) -> StorageError {
        StorageError(
            .damaged,
            "\(path) is damaged (\(reason)). Stop the gateway, move the file away together with its -wal and -shm (`mkdir "
                + "\(path).damaged; mv \(path) \(path)-wal \(path)-shm \(path).damaged`), and start the gateway again: it "
                + "makes a new one.")
    }

    static func newer(_ path: String, version: Int64, known: Int) -> StorageError {
        StorageError(
            .newer,
            "\(path) was written by a newer gateway: its schema has the number \(version), and this one knows those up to "
                + "\(known). Run the newer one, or name another folder (--state-dir).")
    }

    static func foreign(_ path: String) -> StorageError {
        StorageError(
            .foreign, "\(path) is another program's database. Name another folder (--state-dir), or move it away.")
    }

    static func taken(_ path: String, by holder: Int32?) -> StorageError {
        let holderText = holder.map { "process \($0)" } ?? "another process"
        return StorageError(
            .taken(by: holder),
            "Another gateway (\(holderText)) uses \(path). Stop it, or give this one a folder of its own (--state-dir)."
        )
    }

    /// Returns the error for a system call on `path` that has failed; `verb`: the failed action, as in `made`.
    static func system(_ verb: String, path: String, code: Int32) -> StorageError {
        switch code {
        case ENOSPC, EDQUOT: full(path)
        case EROFS: readOnly(path)
        default:
            StorageError(
                .unusable,
                "\(path) can't be \(verb): \(reason(code)). Let this user write there, or name another folder "
                    + "(--state-dir).")
        }
    }

    static func overflow(_ path: String) -> StorageError {
        StorageError(.overflow, "More waits to be written to \(path) than may: the disk is too slow, or refuses it.")
    }

    static func closed(_ path: String) -> StorageError {
        StorageError(.closed, "\(path) is closed: the gateway is ending.")
    }

    /// Returns the error for a failed call of SQLite; `code`: its extended result code
    /// (https://www.sqlite.org/rescode.html), `system`: the system's error number that caused it, 0 for none.
    static func database(_ path: String, code: Int32, message: String, system number: Int32) -> StorageError {
        switch code & 0xff {
        case SQLITE_FULL: return full(path)
        case SQLITE_READONLY: return refusedWrite(path, message)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return damaged(path, message)
        case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH:
            return number == 0 ? unusable(path, message) : system("used", path: path, code: number)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            return unusable(path, "another program holds it, such as a shell with sqlite3; end that")
        case SQLITE_NOMEM: return unusable(path, message)
        default:
            return StorageError(.refused, "\(path) refuses what the gateway asks of it: \(message) (code \(code)).")
        }
    }

    /// Returns the error for a refused write. SQLite reports read-only for every file that it cannot write; the system
    /// knows the reason.
    private static func refusedWrite(_ path: String, _ message: String) -> StorageError {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        for name in [path, path + "-wal", path + "-shm", folder] where access(name, W_OK) != 0 {
            let code = errno
            // SQLite's companion files do not always exist.
            if code == ENOENT, name != path { continue }
            return system("written", path: name, code: code)
        }
        return unusable(path, message)
    }

    private static func unusable(_ path: String, _ reason: String) -> StorageError {
        StorageError(.unusable, "\(path) can't be used: \(reason).")
    }

    /// Returns the text of an error number (errno(3)).
    private static func reason(_ code: Int32) -> String {
        // strerror_r and not strerror: the latter shares one buffer among threads.
        let capacity = 256
        return String(unsafeUninitializedCapacity: capacity) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress, strerror_r(code, start, capacity) == 0 else { return 0 }
                return strnlen(start, capacity)
            }
        }
    }
}
