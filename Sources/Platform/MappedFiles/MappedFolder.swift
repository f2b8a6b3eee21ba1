// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An open directory of mapped files. File names are relative to the directory. The methods follow no symbolic links in
/// the directory.
package final class MappedFolder: Sendable {
    /// The path at which the directory was opened.
    package let path: String
    private let descriptor: Int32

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens the existing directory at `path`.
    package convenience init(_ path: String) throws(MappedFileError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MappedFileError("opened", path) }
        self.init(descriptor, path)
    }

    deinit { close(descriptor) }

    /// Returns the subdirectory with this name, and denies other users access to it (mode 0700). If the subdirectory is
    /// missing, creates it if `isMade` is true, and returns nil if `isMade` is false.
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
        if status.st_mode & 0o077 != 0, fchmod(opened, 0o700) != 0 {
            throw MappedFileError("protected from other users", path)
        }
        return folder
    }

    /// Returns the names of all entries, sorted by their bytes.
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

    /// Creates a file of `count` bytes with access for its owner only (mode 0600), allocates all of it on the disk, and
    /// maps it.
    ///
    /// The file gets its name only after `prepare` has written to it, so a file with that name is always complete. If
    /// the disk reports an error, throws that error and leaves no file.
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
            try Self.allocate(file, count: count, path: path)
            let region = try Self.map(file, count: count, path: path, isWritable: true)
            prepare(region)
            // Only this process creates files with these names, so the file cannot appear after this check.
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

    /// The suffix of the name of a file that is still being created.
    package static let unfinished = ".new"

    /// Maps an existing file at its current length.
    ///
    /// A file that will be written is first allocated again, so that all its pages exist on the disk. If the allocation
    /// fails, the mapping is read-only. Throws if the file is empty or not a regular file.
    package func open(_ name: String, isWritten: Bool) throws(MappedFileError) -> MappedRegion {
        let path = self.path(name)
        // With these flags, openat(2) follows no symbolic link and does not block on a pipe without a writer.
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
            throw MappedFileError("used", path, reason: "it is not a regular file")
        }
        if status.st_mode & 0o077 != 0 { fchmod(file, 0o600) }
        guard let count = Int(exactly: status.st_size), count > 0 else {
            throw MappedFileError("used", path, reason: "it is empty")
        }
        var isAllocated = isWritten
        if isWritten {
            do throws(MappedFileError) { try Self.allocate(file, count: count, path: path) } catch {
                isAllocated = false
            }
        }
        return try Self.map(file, count: count, path: path, isWritable: isAllocated)
    }

    /// Removes the file with this name. Returns whether the file no longer exists.
    @discardableResult package func remove(_ name: String) -> Bool {
        unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
    }

    /// Removes the subdirectory with this name if it is empty.
    package func removeFolder(_ name: String) {
        unlinkat(descriptor, name, AT_REMOVEDIR)
    }

    /// The number of bytes that this user may still allocate on the file system, or nil if the file system does not
    /// report this number.
    package var availableBytes: Int? {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooLarge ? Int.max : Int(clamping: bytes)
    }

    private func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Allocates every page of the file with posix_fallocate(3), so that the pages can be written even after the disk
    /// is full.
    private static func allocate(_ file: Int32, count: Int, path: String) throws(MappedFileError) {
        var code = EINTR
        while code == EINTR { code = posix_fallocate(file, 0, off_t(count)) }
        guard code == 0 else { throw MappedFileError("allocated", path, code: code) }
    }

    private static func map(
        _ file: Int32, count: Int, path: String, isWritable: Bool
    ) throws(MappedFileError) -> MappedRegion {
        let base = mmap(nil, count, isWritable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0)
        guard let base, base != MAP_FAILED else { throw MappedFileError("mapped", path) }
        return MappedRegion(mapping: base, count: count, isFile: true, isWritable: isWritable)
    }
}
