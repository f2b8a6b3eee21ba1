// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A database file of the gateway's state, and the state directory. The gateway creates the file if it is missing,
/// and denies other users access to it. The gateway never uses another program's file.
package struct StateFile: Sendable {
    /// The absolute path of the state directory.
    package let folder: String
    /// The name of the database file in the directory.
    private let name: String
    let migrations: [Migration]

    /// The path of the database file.
    package var path: String { "\(folder)/\(name)" }

    /// The beginning of the names of the threads that use the file.
    var threadName: String { String(name.prefix { $0 != "." }) }

    /// Creates a reference to the file in this directory. The file and the directory need not exist yet.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the directory.
    ///   - name: The name of the file.
    ///   - migrations: The steps of the schema.
    package init(folder: String, name: String = "state.db", migrations: [Migration]) {
        self.folder = folder
        self.name = name
        self.migrations = migrations
    }

    /// The suffixes of the files that SQLite keeps next to the database while the database is open.
    private static let companions = ["-wal", "-shm"]
    /// The number by which file(1) and the gateway recognise the gateway's databases (`PRAGMA application_id`): the
    /// ASCII letters `VRGW`.
    private static let application: Int64 = 0x5652_4757

    // MARK: Opening

    /// Opens the file for the only connection that writes, and migrates it to the newest schema. The file is locked
    /// against other processes as long as the connection or its lock exists.
    func openForWriting() throws(StorageError) -> Connection {
        try makeFolder()
        let lock = try StateLock(path)
        try makeFile()
        let connection = try Connection(path, for: .writing, holding: lock)
        let isNew = try check(connection)
        // In WAL mode with `synchronous = NORMAL`, readers and the writer never wait for each other. Committed data
        // survives the end of the process.
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
        // Limit the size of the log, so that a large burst does not leave a large file. Keep temporary data in memory,
        // so that nothing is written to a temporary file.
        try connection.execute(
            """
            PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 1048576; PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -512; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
            """)
        if isNew { try connection.execute("PRAGMA application_id = \(Self.application)") }
        try Migration.migrate(connection, migrations)
        return connection
    }

    /// Opens the file for reading. The file must already be open for writing.
    func openForReading() throws(StorageError) -> Connection {
        let connection = try Connection(path, for: .reading)
        try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -512; PRAGMA trusted_schema = OFF;")
        return connection
    }

    /// Returns whether the file is still empty. Throws if the file belongs to another program or to a newer gateway.
    func check(_ connection: Connection) throws(StorageError) -> Bool {
        let application = try connection.number("PRAGMA application_id")
        let version = try connection.number("PRAGMA user_version")
        if application == 0, version == 0, try connection.number("SELECT count(*) FROM sqlite_schema") == 0 {
            return true
        }
        guard application == Self.application else { throw .foreign(path) }
        let known = migrations.last?.number ?? 0
        guard version <= known else { throw .newer(path, version: version, known: known) }
        return false
    }

    // MARK: Folder and file

    /// Creates the directory and its missing parents with mode 0700.
    private func makeFolder() throws(StorageError) {
        var made = ""
        for part in folder.split(separator: "/") {
            made += "/\(part)"
            guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            let code = errno
            // A read-only file system can return EROFS even if the directory exists, so check its existence before
            // throwing.
            if access(made, F_OK) != 0 { throw .system("made", path: made, code: code) }
        }
        try checkFolder()
    }

    /// Throws if the directory belongs to another user, if other users can change its content, or if the file system is
    /// not writable.
    func checkFolder() throws(StorageError) {
        var status = stat()
        guard stat(folder, &status) == 0 else { throw .system("examined", path: folder, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StorageError(.unusable, "\(folder) is not a directory. Set --state-dir to a directory.")
        }
        guard status.st_uid == geteuid() else {
            throw StorageError(
                .unusable,
                "\(folder) belongs to another user (\(status.st_uid)). Set --state-dir to a directory of this user.")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw StorageError(.unusable, "Other users can change \(folder). Run `chmod 700 \(folder)`.")
        }
        guard access(folder, W_OK | X_OK) == 0 else { throw .system("written", path: folder, code: errno) }
    }

    /// Creates the file if it is missing, and denies other users access to it. SQLite's companion files inherit the
    /// file's mode when they are created.
    private func makeFile() throws(StorageError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("opened", path: path, code: errno) }
        // Close the descriptor before SQLite opens the file, because closing any descriptor of a file releases all
        // locks of this process on that file.
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("examined", path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw StorageError(.unusable, "\(path) is not a regular file of this user. Move it away.")
        }
        if status.st_mode & 0o077 != 0, fchmod(descriptor, 0o600) != 0 {
            throw .system("protected from other users", path: path, code: errno)
        }
        for companion in Self.companions { chmod(path + companion, 0o600) }
    }
}
