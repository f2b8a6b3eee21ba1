import Foundation

/// Recorded traffic of real servers, `Tests/Fixtures/opencode`.
enum Fixtures {
    static let versions = ["1.1.11", "1.2.27", "1.18.33"]

    static func data(_ version: String, _ name: String) throws -> Data {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appending(path: "Fixtures/opencode/\(version)/\(name)"))
    }

    /// One recorded server's life.
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
