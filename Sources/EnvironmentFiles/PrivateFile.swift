internal import Glibc

/// Files whose content decides what programs do or may do: they are read only where nobody else could have written them,
/// and secret ones only where nobody else can read them.
package enum PrivateFile {
    /// Who may read a file.
    package enum Audience: Sendable {
        /// Its owner alone: it holds secrets.
        case owner
        /// Everybody; only its owner may write it.
        case everybody
    }

    /// The most bytes that are read unless told otherwise.
    package static let sizeLimit = 1 << 20

    /// The content of the file `path`, an absolute path; links are followed.
    ///
    /// It must be a regular file that belongs to this process's user or to root, of at most `limit` bytes. Of a secret file
    /// group and others have no right at all, of another one none to write. Checked on the open descriptor, so that
    /// nothing can change between check and reading.
    ///
    /// `credentials` is the folder in which systemd hands over credentials (systemd.exec(5), `$CREDENTIALS_DIRECTORY`). Root's
    /// own files directly below it may be open to root's group: those bits stand for an access list with the service's user.
    package static func read(
        _ path: String, for audience: Audience = .owner, credentials: String? = nil, limit: Int = sizeLimit
    ) throws(PrivateFileError) -> [UInt8] {
        // Without O_NONBLOCK a named pipe would hold the program up until somebody writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw PrivateFileError(opening: path, errno) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PrivateFileError(opening: path, errno) }
        let isCredential = credentials.map { isFile(path, directlyBelow: $0) } ?? false
        try check(status, path, audience, isCredential: isCredential)
        guard status.st_size <= limit else { throw .tooLarge(path, limit) }
        return try content(of: descriptor, path, limit)
    }

    private static func check(
        _ status: stat, _ path: String, _ audience: Audience, isCredential: Bool
    ) throws(PrivateFileError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PrivateFileError(.unusable, "\(path) is no regular file: name a text file.")
        }
        let user = geteuid()
        guard status.st_uid == user || status.st_uid == 0 else {
            throw PrivateFileError(
                .unusable,
                "\(path) belongs to another user (\(status.st_uid)): `sudo chown \(user) \(ShellWord.quoted(path))`.")
        }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        let othersRights: mode_t = isCredential && status.st_uid == 0 && status.st_gid == 0 ? 0o037 : 0o077
        switch audience {
        case .owner where status.st_mode & othersRights != 0:
            throw PrivateFileError(
                .open,
                "\(path) holds secrets and is open to others (mode \(mode)): `chmod 600 \(ShellWord.quoted(path))`.")
        case .everybody where status.st_mode & 0o022 != 0:
            throw PrivateFileError(
                .open, "\(path) can be changed by others (mode \(mode)): `chmod go-w \(ShellWord.quoted(path))`.")
        case .owner, .everybody: break
        }
    }

    private static func isFile(_ path: String, directlyBelow folder: String) -> Bool {
        let parts = path.split(separator: "/")
        guard folder.hasPrefix("/"), path.hasPrefix("/"), parts.last != ".." else { return false }
        return parts.dropLast() == folder.split(separator: "/")[...]
    }

    private static func content(of descriptor: Int32, _ path: String, _ limit: Int) throws(PrivateFileError) -> [UInt8]
    {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw PrivateFileError(opening: path, errno) }
            if count == 0 { return content }
            content += buffer[..<count]
            // It may have grown since it was looked at.
            guard content.count <= limit else { throw .tooLarge(path, limit) }
        }
    }
}
