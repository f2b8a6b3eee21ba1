// SPDX-License-Identifier: Apache-2.0

import Dialects
import Foundation
import JSONText

/// Recorded turns and responses of real servers, from `Tests/Fixtures/opencode`.
enum Fixtures {
    static let firstVersions = ["1.1.11", "1.2.27", "1.18.33"]

    static func data(_ version: String, _ name: String) throws -> Data {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appending(path: "Fixtures/opencode/\(version)/\(name)"))
    }

    static func lines(_ version: String, _ name: String) throws -> [[UInt8]] {
        try data(version, name).split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    /// Returns the events of a turn, unchanged.
    static func turn(_ version: String, _ name: String) throws -> [[UInt8]] {
        try lines(version, "turns/\(name).jsonl")
    }

    static func turnNames(_ version: String) throws -> [String] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appending(path: "Fixtures/opencode/\(version)/turns")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .map { $0.replacing(".jsonl", with: "") }.sorted()
    }

    /// Returns the JSON of the recorded response with that name; nil if it is not JSON.
    static func answer(_ version: String, _ name: String) throws -> JSON? {
        for line in try lines(version, "exchanges.jsonl") {
            let exchange = JSONParser.parse(line)
            guard exchange?["name"]?.text == name, let body = exchange?["response"]?["body"]?.text else { continue }
            return JSONParser.parse(Array(body.utf8))
        }
        return nil
    }
}

extension JSON {
    /// The same value with the members of objects sorted, because OpenCode orders them differently from event to event.
    var sorted: JSON {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { JSONObject.Member($0.name, $0.value.sorted) }.sorted { $0.name < $1.name }))
        case .array(let array): .array(array.map(\.sorted))
        default: self
        }
    }

    /// The JSON text, for messages of tests.
    var shown: String { String(decoding: bytes, as: UTF8.self) }
}

/// Parses JSON. An invalid text fails the test.
func json(_ text: String) throws -> JSON {
    struct NoJSON: Error { let text: String }
    guard let json = JSONParser.parse(Array(text.utf8)) else { throw NoJSON(text: text) }
    return json
}
