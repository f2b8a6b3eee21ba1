import TestKit

/// What git does and tells, by running it. Where there is none, no folder has anything to do with it.
enum Git2 {
    /// A run of git that failed, in its own words.
    struct Failure: Error {
        let message: String
    }

    /// What git prints, line by line; empty where it fails.
    static func lines(_ arguments: [String], in directory: String) -> [String] {
        (try? run(arguments, in: directory)) ?? []
    }

    /// The same, with what it says when it fails.
    @discardableResult
    static func run(_ arguments: [String], in directory: String) throws(Failure) -> [String] {
        // Folders of other users are trusted, names come as they are, and nobody is asked anything.
        let settings = ["-C", directory, "-c", "safe.directory=*", "-c", "core.quotePath=false"]
        guard
            let process = try? TestProcess(
                "/usr/bin/git", settings + arguments, environment: ["GIT_TERMINAL_PROMPT": "0"]),
            let status = try? process.waitForExit(within: .seconds(60))
        else { throw Failure(message: "git cannot be run") }
        guard status == .exited(0) else {
            throw Failure(message: process.lines(of: .error).last ?? "git ended: \(status)")
        }
        return process.lines(of: .output)
    }

    /// What is not committed below a directory, as `/api/vcs/status` tells it.
    static func changes(in directory: String) -> [JSON] {
        let counts = Dictionary(
            lines(["diff", "--numstat", "--relative", "HEAD"], in: directory).compactMap { line in
                let parts = line.split(separator: "\t", maxSplits: 2)
                return parts.count == 3 ? (String(parts[2]), (Int(parts[0]) ?? 0, Int(parts[1]) ?? 0)) : nil
            }, uniquingKeysWith: { $1 })
        let prefix = lines(["rev-parse", "--show-prefix"], in: directory).first ?? ""
        return lines(["status", "--porcelain", "--untracked-files=all", "--no-renames", "--", "."], in: directory)
            .map { line in
                let file = String(line.dropFirst(3 + prefix.count))
                let (state, isNew) = (line.prefix(2), line.hasPrefix("??"))
                let (added, removed) = isNew ? (lineCount("\(directory)/\(file)"), 0) : counts[file] ?? (0, 0)
                let status = isNew || state.contains("A") ? "added" : state.contains("D") ? "deleted" : "modified"
                return [
                    "file": .string(file), "additions": .integer(added), "deletions": .integer(removed),
                    "status": .string(status),
                ]
            }
    }

    private static func lineCount(_ path: String) -> Int {
        (try? FileTree.read(path))?.count { $0 == UInt8(ascii: "\n") } ?? 0
    }
}
