// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension StateFile {
    /// The state of the file according to ``examine()``.
    package enum Finding: Sendable, Equatable {
        /// The file does not exist yet, and can be created.
        case missing
        /// The file can be used.
        case usable
    }

    /// The number of free bytes below which a disk counts as full. Less space is not enough for useful data.
    private static let leastRoom: UInt64 = 1 << 20

    /// Performs the checks that a gateway performs when it starts, and also checks the whole file for damage. Changes
    /// no stored data. Throws the reason if the file cannot be used.
    package func examine() throws(StorageError) -> Finding {
        guard access(folder, F_OK) == 0 else {
            try checkRoom(in: nearestFolder)
            return .missing
        }
        try checkFolder()
        try checkRoom(in: folder)
        guard access(path, F_OK) == 0 else { return .missing }
        guard access(path, R_OK | W_OK) == 0 else { throw .system("opened", path: path, code: errno) }
        // Check the lock without acquiring it, so that a gateway that starts in the meantime can acquire it.
        try StateLock.check(path)
        let connection = try Connection(path, for: .reading)
        if try check(connection) { return .usable }
        let verdicts = try connection.rows("PRAGMA quick_check(1)", as: Verdict.self)
        guard verdicts.map(\.text) == ["ok"] else {
            throw .damaged(path, verdicts.first?.text ?? "the check returned no result")
        }
        return .usable
    }

    private struct Verdict: Row {
        let text: String

        init(_ columns: borrowing Columns) throws(StorageError) { text = try columns.text(0) }
    }

    /// The nearest existing directory: the state directory or one of its ancestors.
    private var nearestFolder: String {
        var path = folder[...]
        while !path.isEmpty, access(String(path), F_OK) != 0 {
            path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        }
        return path.isEmpty ? "/" : String(path)
    }

    private func checkRoom(in folder: String) throws(StorageError) {
        guard access(folder, W_OK | X_OK) == 0 else { throw .system("written", path: folder, code: errno) }
        var room = statvfs()
        guard statvfs(folder, &room) == 0 else { return }
        if UInt64(room.f_bavail) * UInt64(room.f_frsize) < Self.leastRoom { throw .full(path) }
    }
}
