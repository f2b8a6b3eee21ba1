// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// The recordings of one version of the real server, from `Tests/Fixtures/opencode`.
struct Recording: Sendable, CustomTestStringConvertible {
    let version: String

    /// All versions that the simulator can simulate.
    static let all = Profile.all.map { Recording(version: $0.version) }

    var testDescription: String { version }

    var profile: Profile { Profile.chosen(version) ?? .newest }

    /// Returns the records of a file with one JSON object per line.
    func records(_ name: String) throws -> [JSON] {
        try Fixtures.lines("opencode/\(version)/\(name)").map { try JSONParser.parse(Array($0.utf8)) }
    }

    /// Returns the head of a recorded stream.
    func streamHead(_ name: String) throws -> [String] {
        try records("events/\(name).jsonl").first?["head"]?.text?.split(separator: "\r\n").map(String.init) ?? []
    }

    /// Returns the events of a recorded stream.
    func events(_ name: String) throws -> [JSON] {
        Array(try records("events/\(name).jsonl").dropFirst())
    }
}

/// A recorded request with its response.
struct RecordedExchange: CustomTestStringConvertible, Sendable {
    let version: String
    let name: String
    let method: String
    let target: String
    let requestFields: [(String, String)]
    let requestBody: String?
    let status: Int
    let reason: String
    let fields: [(name: String, value: String)]
    /// The body; nil if it was too long to keep.
    let body: String?
    /// Whether the body is only the beginning of the recorded body.
    let isTruncated: Bool
    /// The number of chunks in the body.
    let chunks: Int

    var testDescription: String { "\(version) \(name)" }

    init(_ record: JSON, version: String) {
        let (request, response) = (record["request"] ?? .null, record["response"] ?? .null)
        self.version = version
        name = record["name"]?.text ?? ""
        method = request["method"]?.text ?? ""
        target = request["target"]?.text ?? ""
        if case .object(let members)? = request["headers"] {
            requestFields = members.map { ($0.name, $0.value.text ?? "") }
        } else {
            requestFields = []
        }
        requestBody = request["body"]?.text
        if case .integer(let code)? = response["status"] { status = code } else { status = 0 }
        reason = response["reason"]?.text ?? ""
        fields = (response["headers"]?.elements ?? []).map {
            ($0.elements?.first?.text ?? "", $0.elements?.last?.text ?? "")
        }
        body = response["body"]?.text
        isTruncated = response["cut"] == true
        chunks = response["chunks"]?.elements?.count ?? 0
    }
}
