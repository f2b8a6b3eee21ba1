// SPDX-License-Identifier: Apache-2.0

@testable import opencode_simulator

/// The schema of a response in the document of 2.0.15, from the fixture `document.jsonl`.
struct DocumentedSchema {
    let schema: JSON

    /// Returns the violations of the schema: missing members, members that the document does not contain, and members
    /// of another type.
    func faults(_ value: JSON, at path: String = "") -> [String] {
        if let choices = schema["any"]?.elements {
            let all = choices.map { DocumentedSchema(schema: $0).faults(value, at: path) }
            return all.contains([]) ? [] : ["\(path): none of the \(choices.count) forms"]
        }
        if let values = schema["enum"]?.elements { return values.contains(value) ? [] : ["\(path): \(value.encoded)"] }
        if let element = schema["array"] {
            guard let elements = value.elements else { return ["\(path): no list"] }
            return elements.enumerated().flatMap { DocumentedSchema(schema: element).faults($1, at: "\(path)[\($0)]") }
        }
        if case .object(let members)? = schema["object"] { return faults(value, members, path) }
        return isOfType(value) ? [] : ["\(path): \(value.encoded.prefix(40)) instead of \(schema.text ?? "?")"]
    }

    private func faults(_ value: JSON, _ expected: [JSON.Member], _ path: String) -> [String] {
        guard case .object(let members) = value else { return ["\(path): no object"] }
        let names = expected.map { $0.name.hasSuffix("?") ? String($0.name.dropLast()) : $0.name }
        let isOpen = schema["open"] == true
        let unknown = members.filter { !isOpen && !names.contains($0.name) }.map { "\(path).\($0.name) is unknown" }
        return unknown
            + zip(expected, names).flatMap { member, name -> [String] in
                guard let inner = value[name] else { return name == member.name ? ["\(path).\(name) is missing"] : [] }
                return DocumentedSchema(schema: member.value).faults(inner, at: "\(path).\(name)")
            }
    }

    private func isOfType(_ value: JSON) -> Bool {
        switch (schema.text, value) {
        case ("any", _), ("string", .string), ("boolean", .bool), ("integer", .integer), ("number", .integer),
            ("number", .number), ("object", .object), ("null", .null):
            true
        default: false
        }
    }
}

/// An operation of the document.
struct DocumentedOperation: Sendable {
    let method: String
    let path: String
    /// All possible status codes. The first code means success.
    let statuses: [Int]
    /// The status codes that were recorded.
    let recorded: [Int]
    let schema: DocumentedSchema?

    var name: String { "\(method) \(path)" }

    static let all: [DocumentedOperation] =
        ((try? Recording(version: "2.0.15").records("document.jsonl")) ?? []).map { record in
            let numbers = { (name: String) in
                (record[name]?.elements ?? []).compactMap { if case .integer(let number) = $0 { number } else { nil } }
            }
            return DocumentedOperation(
                method: record["method"]?.text ?? "", path: record["path"]?.text ?? "",
                statuses: numbers("statuses").sorted(), recorded: numbers("recorded"),
                schema: record["form"].map { DocumentedSchema(schema: $0) })
        }
}
