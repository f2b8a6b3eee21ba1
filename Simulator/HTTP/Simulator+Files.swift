// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Handles the requests for the project's files.
extension Simulator {
    /// Responds to requests for `/file`, `/find` and the paths below them.
    func files(_ request: Request, _ directory: String) -> SimulatedAnswer? {
        guard request.method == "GET" else { return nil }
        switch request.path {
        case "file": return .json(.array(list(directory).map { entry($0, in: directory) }))
        case "file/content":
            let path = request.query["path"] ?? ""
            if path.split(separator: "/").contains("..") { return profile.refusals.escapingPath }
            guard let bytes = try? FileTree.contents("\(directory)/\(path)") else {
                return .json(["type": "text", "content": ""])
            }
            // A single line feed at the end is not part of the content.
            let text = String(decoding: bytes.last == 10 ? bytes.dropLast() : bytes, as: UTF8.self)
            return .json(["type": "text", "content": .string(text)])
        case "find": return profile.refusals.search
        case "find/file":
            // Older versions search only their index. The index was empty in the recording, so these versions find
            // nothing.
            let query = request.query["query"] ?? ""
            let found = profile.refusals.generation == .third ? list(directory).filter { $0.contains(query) } : []
            return .json(.array(found.map { .string($0) }))
        default:
            return Documents(profile: profile, home: home, directory: directory).json(request.path).map { .json($0) }
        }
    }

    private func list(_ directory: String) -> [String] {
        ((try? FileTree.names(in: directory)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private func entry(_ name: String, in directory: String) -> JSON {
        let isDirectory = (try? FileTree.names(in: "\(directory)/\(name)")) != nil
        return [
            "name": .string(name), "path": .string(isDirectory ? "\(name)/" : name),
            "absolute": .string("\(directory)/\(name)"), "type": isDirectory ? "directory" : "file", "ignored": false,
        ]
    }
}
