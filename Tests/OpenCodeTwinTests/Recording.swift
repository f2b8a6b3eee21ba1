import TestKit
import Testing

@testable import opencode_twin

/// What was recorded of the real server, from `Tests/Fixtures/opencode/1.18.33`.
enum Recording {
    private static let folder = "opencode/1.18.33"

    /// The records of a file with one JSON object a line.
    static func records(_ name: String) throws -> [JSON] {
        try Fixtures.lines("\(folder)/\(name)").map { try JSONParser.parse(Array($0.utf8)) }
    }

    /// The head that began a recorded stream.
    static func streamHead(_ name: String) throws -> [String] {
        try records(name).first?["head"]?.text?.split(separator: "\r\n").map(String.init) ?? []
    }

    /// The events of a recorded stream.
    static func events(_ name: String) throws -> [JSON] {
        try records(name).compactMap { $0["text"]?.text }.map { text in
            try JSONParser.parse(Array(text.dropFirst("data: ".count).utf8))
        }
    }
}

/// One recorded exchange.
struct RecordedExchange: CustomTestStringConvertible, Sendable {
    let name: String
    let method: String
    let target: String
    let requestFields: [(String, String)]
    let requestBody: String?
    let status: Int
    let reason: String
    let fields: [(name: String, value: String)]
    /// nil when it was too long to keep.
    let body: String?

    var testDescription: String { name }

    init(_ record: JSON) {
        let (request, response) = (record["request"] ?? .null, record["response"] ?? .null)
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
    }
}

extension JSON {
    /// What remains when values are taken away: names in their order and kinds of values.
    var shape: String {
        switch self {
        case .null: return "null"
        case .bool: return "bool"
        case .integer, .number: return "number"
        case .string: return "string"
        case .array(let elements): return "[" + elements.map(\.shape).joined(separator: ",") + "]"
        case .object(let members):
            let members = members.map { member in
                "\(member.name.hasPrefix("ses_") ? "{session}" : member.name):\(member.value.shape)"
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }
}

extension [JSON] {
    /// The type and shape of each event, a run of deltas as one.
    var outline: [String] {
        var outline: [String] = []
        for event in self {
            let payload = event["payload"] ?? event
            let line = "\(payload["type"]?.text ?? "?") \(event.shape)"
            if payload["type"]?.text == "message.part.delta", outline.last == line { continue }
            outline.append(line)
        }
        return outline
    }
}
