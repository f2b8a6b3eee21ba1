// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Recorded traffic of real servers, `Tests/Fixtures/opencode`.
enum Fixtures {
    static let versions = ["1.1.11", "1.2.27", "1.18.33"]

    static func data(_ version: String, _ name: String) throws -> Data {
        try Data(contentsOf: folder("\(version)/\(name)"))
    }

    static func folder(_ path: String) -> URL {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.appending(path: "Fixtures/opencode/\(path)")
    }

    /// Returns a JSON value as text.
    static func bytes(json: Any) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: json, options: [.fragmentsAllowed, .sortedKeys]))
    }

    /// Returns every event of the original recordings, if the environment variable `OPENCODE_RECORDINGS` names their
    /// folder.
    static func recordedEvents(_ version: String) throws -> [(name: String, line: Data)] {
        guard let root = ProcessInfo.processInfo.environment["OPENCODE_RECORDINGS"] else { return [] }
        struct Read: Decodable { var text: String? }
        let folder = URL(filePath: root).appending(path: version)
        var events: [(String, Data)] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasPrefix("events-") {
            let reads = try Data(contentsOf: folder.appending(path: name)).split(separator: UInt8(ascii: "\n"))
                .dropFirst()
                .map { try JSONDecoder().decode(Read.self, from: Data($0)).text }
            // Only the part of the stream before an omitted read can be used.
            let stream = reads.prefix { $0 != nil }.compactMap { $0 }.joined()
            events += stream.components(separatedBy: "\n\n").filter { $0.hasPrefix("data: ") && $0.hasSuffix("}") }
                .map { (name, Data($0.dropFirst(6).utf8)) }
        }
        return events
    }

    /// The recording of one server from start to end.
    struct Life: Decodable {
        struct Line: Decodable {
            var stream: String
            var line: String
        }

        var name: String
        var output: [Line]
        var port: UInt16?
    }

    static func lives(_ version: String) throws -> [Life] {
        try data(version, "process-output.jsonl").split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Life.self, from: Data($0))
        }
    }
}
