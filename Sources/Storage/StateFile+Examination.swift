internal import Glibc

extension StateFile {
    /// What ``examine()`` has found.
    package enum Finding: Sendable, Equatable {
        /// There is none yet, and it can be made.
        case missing
        /// It can be used.
        case usable
    }

    /// Below so many free bytes a disk counts as full: nothing of use could be kept on it.
    private static let leastRoom: UInt64 = 1 << 20

    /// Looks at the file as a gateway that begins would, and through all of it for damage; changes nothing that is kept. Throws
    /// why it could not be used.
    package func examine() throws(StorageError) -> Finding {
        guard access(folder, F_OK) == 0 else {
            try checkRoom(in: nearestFolder)
            return .missing
        }
        try checkFolder()
        try checkRoom(in: folder)
        guard access(path, F_OK) == 0 else { return .missing }
        guard access(path, R_OK | W_OK) == 0 else { throw .system("opened", path, errno) }
        // Only asked about: a gateway that begins meanwhile is to get it.
        try StateLock.check(path)
        let connection = try Connection(path, for: .reading)
        if try check(connection) { return .usable }
        let verdicts = try connection.rows("PRAGMA quick_check(1)", as: Verdict.self)
        guard verdicts.map(\.text) == ["ok"] else { throw .damaged(path, verdicts.first?.text ?? "no verdict") }
        return .usable
    }

    private struct Verdict: Row {
        let text: String

        init(_ columns: borrowing Columns) throws(StorageError) { text = try columns.text(0) }
    }

    /// The folder that is there already, of those above.
    private var nearestFolder: String {
        var path = folder[...]
        while !path.isEmpty, access(String(path), F_OK) != 0 {
            path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        }
        return path.isEmpty ? "/" : String(path)
    }

    private func checkRoom(in folder: String) throws(StorageError) {
        guard access(folder, W_OK | X_OK) == 0 else { throw .system("written", folder, errno) }
        var room = statvfs()
        guard statvfs(folder, &room) == 0 else { return }
        if UInt64(room.f_bavail) * UInt64(room.f_frsize) < Self.leastRoom { throw .full(path) }
    }
}
