// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// Stores each session in a file. Several servers can share these files, as OpenCode's servers share a database.
struct SessionFiles2: Sendable {
    let folder: String

    /// The ids of the existing sessions.
    var ids: [String] {
        ((try? FileTree.names(in: folder)) ?? []).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    func load(_ id: String) -> JSON? {
        (try? FileTree.contents(path(id))).flatMap { try? JSONParser.parse($0) }
    }

    /// Replaces a file atomically. Readers see either the old version or the new version.
    func write(_ record: JSON, _ id: String) {
        let new = "\(path(id)).\(getpid())"
        guard (try? FileTree.write(record.encoded, to: new)) != nil else { return }
        rename(new, path(id))
    }

    func remove(_ id: String) { FileTree.remove(path(id)) }

    private func path(_ id: String) -> String { "\(folder)/\(id).json" }
}
