// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// The files that `/api/fs` returns for one directory.
struct Files2 {
    /// The directory to which paths are relative.
    let directory: String

    /// The reason why a path is rejected.
    enum Failure: Error {
        case missing
        /// The path is outside the directory.
        case outside
    }

    /// Returns the children of a directory, which may be anywhere. Subdirectories precede files, and both groups are
    /// sorted by path.
    func list(_ path: String) throws(Failure) -> [JSON] {
        let folder = absolute(path)
        guard let names = try? FileTree.names(in: folder) else { throw .missing }
        return entries(names.map { folder == "/" ? "/\($0)" : "\(folder)/\($0)" })
    }

    /// Returns the content of a file below the directory.
    func contents(_ path: String) throws(Failure) -> [UInt8] {
        let file = absolute(path)
        guard file.hasPrefix("\(directory)/") else { throw .outside }
        guard !Files2.isFolder(file), let bytes = try? FileTree.contents(file) else { throw .missing }
        return bytes
    }

    /// Returns the files and directories below the directory whose relative paths contain a text. The comparison
    /// ignores the case of letters.
    func find(_ text: String, kind: String?, limit: Int) -> [JSON] {
        let found = all(below: directory).filter { path in
            path.dropFirst(directory.count).lowercased().contains(text.lowercased())
                && (kind == nil || (kind == "directory") == Files2.isFolder(path))
        }
        return Array(entries(found).prefix(limit))
    }

    /// Returns the media type of a file, which is derived from the file's name.
    static func type(of path: String) -> String {
        switch path.split(separator: ".").last.map(String.init) {
        case "md": "text/markdown"
        case "txt": "text/plain"
        case "html": "text/html"
        case "json": "application/json"
        default: "application/octet-stream"
        }
    }

    private func entries(_ paths: [String]) -> [JSON] {
        let items = paths.map { (path: $0, isFolder: Files2.isFolder($0)) }
            .sorted { ($0.isFolder ? 0 : 1, $0.path.lowercased()) < ($1.isFolder ? 0 : 1, $1.path.lowercased()) }
        return items.map { item in
            [
                "path": .string(relative(item.path) + (item.isFolder ? "/" : "")),
                "type": item.isFolder ? "directory" : "file",
            ]
        }
    }

    private func all(below folder: String) -> [String] {
        let names = ((try? FileTree.names(in: folder)) ?? []).filter { $0 != ".git" }
        return names.flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            return [path] + (Files2.isFolder(path) ? all(below: path) : [])
        }
    }

    private func absolute(_ path: String) -> String {
        var parts: [Substring] = []
        for part in (path.hasPrefix("/") ? path : "\(directory)/\(path)").split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the path relative to the directory. `..` represents a parent directory.
    private func relative(_ path: String) -> String {
        let own = directory.split(separator: "/")
        let other = path.split(separator: "/")
        let common = zip(own, other).prefix { $0 == $1 }.count
        let path = (own.dropFirst(common).map { _ in ".." } + other.dropFirst(common)).joined(separator: "/")
        return path.isEmpty ? "." : path
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        // Do not follow symbolic links, because a search could then continue without end.
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
