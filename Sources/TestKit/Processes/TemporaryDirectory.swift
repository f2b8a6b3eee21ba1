import Glibc

/// A new empty directory below the system's temporary one, removed with all that is in it when it goes out of scope.
package final class TemporaryDirectory: Sendable {
    /// Its absolute path, without symbolic links and without a slash at the end.
    package let path: String

    /// Makes the directory, readable only for this user.
    package init(prefix: String = "viberemote-test") throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/\(prefix)-\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestKitError.system(operation: "mkdtemp in \(base)", code: errno) }
        let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let resolved = realpath(made, nil) else { throw TestKitError.system(operation: "realpath", code: errno) }
        defer { free(resolved) }
        path = String(cString: resolved)
    }

    deinit { FileTree.remove(path) }

    /// Writes a file (with missing directories on the way) and returns its absolute path.
    @discardableResult
    package func write(_ content: String, to name: String, mode: UInt32 = 0o644) throws -> String {
        if let slash = name.lastIndex(of: "/") { try makeDirectory(String(name[..<slash])) }
        let file = "\(path)/\(name)"
        let descriptor = try SystemCall.check("open \(file)") {
            open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        }
        defer { _ = close(descriptor) }
        var rest = Array(content.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 { throw TestKitError.system(operation: "write \(file)", code: errno) }
            rest = rest.dropFirst(written)
        }
        _ = fchmod(descriptor, mode)
        return file
    }

    /// Makes a directory (with missing ones on the way) and returns its absolute path.
    @discardableResult
    package func makeDirectory(_ name: String) throws -> String {
        var made = path
        for part in name.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o755) != 0, errno != EEXIST {
                throw TestKitError.system(operation: "mkdir \(made)", code: errno)
            }
        }
        return made
    }
}

/// Files of the tests: small ones, read whole.
package enum FileTree {
    /// The bytes of a file; works for /proc too.
    package static func read(_ path: String) throws -> [UInt8] {
        let descriptor = try SystemCall.check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 { throw TestKitError.system(operation: "read \(path)", code: errno) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// The names in a directory, without `.` and `..`, in no order.
    package static func names(in path: String) throws -> [String] {
        guard let directory = opendir(path) else {
            throw TestKitError.system(operation: "opendir \(path)", code: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file or a directory with all that is in it; does not follow symbolic links.
    package static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in (try? names(in: path)) ?? [] { remove("\(path)/\(name)") }
            _ = rmdir(path)
        } else {
            _ = unlink(path)
        }
    }
}
