// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Runs git. If git is not installed, commands fail.
enum Git2 {
    /// A failed run of git, with git's message.
    struct Failure: Error {
        let message: String
    }

    /// Returns the lines that git prints; empty if git fails.
    static func lines(_ arguments: [String], in directory: String) -> [String] {
        (try? run(arguments, in: directory)) ?? []
    }

    /// Runs git and returns the lines that it prints. If git fails, throws git's message.
    @discardableResult
    static func run(_ arguments: [String], in directory: String) throws(Failure) -> [String] {
        // Trust other users' directories, print names without quotes, and disable prompts.
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

    /// Returns the uncommitted changes below a directory, as `/api/vcs/status` reports them.
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
                let state = line.prefix(2)
                let isNew = line.hasPrefix("??")
                let (added, removed) = isNew ? (lineCount("\(directory)/\(file)"), 0) : counts[file] ?? (0, 0)
                let status = isNew || state.contains("A") ? "added" : state.contains("D") ? "deleted" : "modified"
                return [
                    "file": .string(file), "additions": .integer(added), "deletions": .integer(removed),
                    "status": .string(status),
                ]
            }
    }

    private static func lineCount(_ path: String) -> Int {
        (try? FileTree.contents(path))?.count { $0 == UInt8(ascii: "\n") } ?? 0
    }
}
