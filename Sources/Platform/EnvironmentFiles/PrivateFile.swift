// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads files whose content controls programs or permissions. Other users must not be able to write such a file, and
/// must not be able to read it if it contains secrets.
package enum PrivateFile {
    /// The users that may read a file.
    package enum Audience: Sendable {
        /// Only the owner, because the file contains secrets.
        case owner
        /// Every user; only the owner may write the file.
        case everybody
    }

    /// The default maximum size of a file in bytes.
    package static let sizeLimit = 1 << 20

    /// Returns the content of a file. Follows symbolic links.
    ///
    /// The file must be regular, belong to this process's user or to root, and have at most `limit` bytes. A file with
    /// secrets must grant no rights to its group or to others. Any other file must not grant them write access. The
    /// checks use the open descriptor, so that no other file can take the path between the check and the read.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - audience: The users that may read the file.
    ///   - credentials: The directory of the credentials that systemd passes (systemd.exec(5),
    ///     `$CREDENTIALS_DIRECTORY`). A file directly in this directory may grant its group read access if both its
    ///     user and its group are root. The group bits of its mode then represent an access control list, which
    ///     contains the service's user.
    ///   - limit: The maximum size in bytes.
    package static func read(
        _ path: String, for audience: Audience = .owner, credentials: String? = nil, limit: Int = sizeLimit
    ) throws(PrivateFileError) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe would block until another process writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw PrivateFileError(opening: path, errno) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PrivateFileError(opening: path, errno) }
        let isCredential = credentials.map { isFile(path, directlyBelow: $0) } ?? false
        try check(status, of: path, for: audience, isCredential: isCredential)
        guard status.st_size <= limit else { throw .tooLarge(path, limit) }
        return try content(of: descriptor, path, limit)
    }

    private static func check(
        _ status: stat, of path: String, for audience: Audience, isCredential: Bool
    ) throws(PrivateFileError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PrivateFileError(.unusable, "\(path) is not a regular file: use a text file.")
        }
        let user = geteuid()
        guard status.st_uid == user || status.st_uid == 0 else {
            throw PrivateFileError(
                .unusable,
                "\(path) belongs to another user (\(status.st_uid)). Run `sudo chown \(user) \(ShellWord.quoted(path))`."
            )
        }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        let othersRights: mode_t = isCredential && status.st_uid == 0 && status.st_gid == 0 ? 0o037 : 0o077
        switch audience {
        case .owner where status.st_mode & othersRights != 0:
            throw PrivateFileError(
                .open,
                "Other users can access \(path), which contains secrets (mode \(mode)). Run `chmod 600 \(ShellWord.quoted(path))`."
            )
        case .everybody where status.st_mode & 0o022 != 0:
            throw PrivateFileError(
                .open, "Other users can change \(path) (mode \(mode)). Run `chmod go-w \(ShellWord.quoted(path))`.")
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
            // Check the size again, because the file may have grown since fstat.
            guard content.count <= limit else { throw .tooLarge(path, limit) }
        }
    }
}
