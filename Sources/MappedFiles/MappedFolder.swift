internal import Glibc

/// A folder of files that are mapped, held open: its files are named relative to it, and no symbolic link below it is followed.
package final class MappedFolder: Sendable {
    /// Where it was when it was opened.
    package let path: String
    private let descriptor: Int32

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a folder that is there.
    package convenience init(_ path: String) throws(MappedFileError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MappedFileError("opened", path) }
        self.init(descriptor, path)
    }

    deinit { close(descriptor) }

    /// The folder of this name in it, closed to others (0700); made where it is missing, else nil unless `isMade`.
    package func folder(_ name: String, isMade: Bool = true) throws(MappedFileError) -> MappedFolder? {
        let path = self.path(name)
        if isMade, mkdirat(descriptor, name, 0o700) != 0, errno != EEXIST { throw MappedFileError("made", path) }
        let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            if !isMade, errno == ENOENT { return nil }
            throw MappedFileError("opened", path)
        }
        let folder = MappedFolder(opened, path)
        var status = stat()
        guard fstat(opened, &status) == 0 else { throw MappedFileError("examined", path) }
        guard status.st_uid == geteuid() else {
            throw MappedFileError("used", path, reason: "it belongs to another user")
        }
        if status.st_mode & 0o077 != 0, fchmod(opened, 0o700) != 0 { throw MappedFileError("closed to others", path) }
        return folder
    }

    /// The names of everything in it, in the order of their bytes.
    package func names() throws(MappedFileError) -> [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw MappedFileError("read", path) }
        guard let stream = fdopendir(copy) else {
            defer { close(copy) }
            throw MappedFileError("read", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }

    // MARK: Files

    /// Makes a file of this length, open to nobody else (0600), all of it allocated on the disk, and maps it. It gets its name
    /// when `prepare` has written to it: what has the name is never half made. Throws what the disk says; nothing is left then.
    package func make(
        _ name: String, count: Int, prepare: (MappedRegion) -> Void
    ) throws(MappedFileError) -> MappedRegion {
        let path = self.path(name)
        let unfinished = name + Self.unfinished
        unlinkat(descriptor, unfinished, 0)
        let file = openat(descriptor, unfinished, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw MappedFileError("made", path) }
        defer { close(file) }
        do throws(MappedFileError) {
            try Self.allocate(file, count, path)
            let region = try Self.map(file, count, path, isWritable: true)
            prepare(region)
            // The names are the process's own: nobody else makes one meanwhile.
            var status = stat()
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
                throw MappedFileError("made", path, code: EEXIST)
            }
            guard renameat(descriptor, unfinished, descriptor, name) == 0 else { throw MappedFileError("made", path) }
            return region
        } catch {
            unlinkat(descriptor, unfinished, 0)
            throw error
        }
    }

    /// What a file that is being made has behind its name.
    package static let unfinished = ".new"

    /// Maps a file that is there, as long as it is now. To be written it is allocated once more first, so that no page of it
    /// is missing on the disk; where that fails it is only for reading. Throws for what is no plain file.
    package func open(_ name: String, isWritten: Bool) throws(MappedFileError) -> MappedRegion {
        let path = self.path(name)
        // Neither a link nor a pipe that nobody writes to may hold it up.
        let way = (isWritten ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = openat(descriptor, name, way)
        guard file >= 0 else {
            throw errno == ELOOP
                ? MappedFileError("used", path, reason: "it is a symbolic link") : MappedFileError("opened", path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw MappedFileError("examined", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw MappedFileError("used", path, reason: "it is no plain file")
        }
        if status.st_mode & 0o077 != 0 { fchmod(file, 0o600) }
        guard let count = Int(exactly: status.st_size), count > 0 else {
            throw MappedFileError("used", path, reason: "it is empty")
        }
        var isAllocated = isWritten
        if isWritten {
            do throws(MappedFileError) { try Self.allocate(file, count, path) } catch { isAllocated = false }
        }
        return try Self.map(file, count, path, isWritable: isAllocated)
    }

    /// Removes a file; true: it is gone, or was.
    @discardableResult package func remove(_ name: String) -> Bool {
        unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
    }

    /// Removes the folder of this name, if nothing is in it.
    package func removeFolder(_ name: String) {
        unlinkat(descriptor, name, AT_REMOVEDIR)
    }

    /// How many bytes this user may still allocate on its file system; nil: the file system does not say.
    package var availableBytes: Int? {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooLarge ? Int.max : Int(clamping: bytes)
    }

    private func path(_ name: String) -> String { "\(path)/\(name)" }

    /// posix_fallocate(3): every page of the file can be written afterwards, whatever else fills the disk.
    private static func allocate(_ file: Int32, _ count: Int, _ path: String) throws(MappedFileError) {
        var code = EINTR
        while code == EINTR { code = posix_fallocate(file, 0, off_t(count)) }
        guard code == 0 else { throw MappedFileError("allocated", path, code: code) }
    }

    private static func map(
        _ file: Int32, _ count: Int, _ path: String, isWritable: Bool
    ) throws(MappedFileError) -> MappedRegion {
        let base = mmap(nil, count, isWritable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0)
        guard let base, base != MAP_FAILED else { throw MappedFileError("mapped", path) }
        return MappedRegion(mapping: base, count: count, isFile: true, isWritable: isWritable)
    }
}
