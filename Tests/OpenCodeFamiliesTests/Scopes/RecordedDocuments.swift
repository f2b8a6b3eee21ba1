// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies

/// The operations of all recorded OpenAPI documents, and the documents themselves where they are available.
enum RecordedDocuments {
    /// The recorded versions, with the number of operations in the document of each.
    static let counts = [
        "1.0.223": 84, "1.1.11": 92, "1.2.27": 104, "1.18.3": 188, "1.18.33": 188, "2.0.15": 136,
    ]

    /// An operation of a document.
    struct Operation: Hashable {
        let version: String
        let method: String
        let path: String

        var family: APIFamily? { APIFamily(version: version) }

        /// The path with a value for each identifier.
        var target: String { path.replacing(#/\{\w+\}/#, with: "ses_e03ff19f9ffe").replacing("*", with: "a/b") }
    }

    /// Returns the operations from the list of routes (`scripts/list-routes.py`).
    static func operations() throws -> [Operation] {
        let text = try String(contentsOf: Fixtures.folder("routes.tsv"), encoding: .utf8)
        return text.split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Operation(version: columns[0], method: columns[1], path: columns[2])
        }
    }

    // MARK: Documents

    /// The folder with the complete documents: the parent of `OPENCODE_RECORDINGS`, or `../shared/opencode`.
    private static var folder: URL {
        if let recordings = ProcessInfo.processInfo.environment["OPENCODE_RECORDINGS"] {
            return URL(filePath: recordings).deletingLastPathComponent()
        }
        return Fixtures.folder("").appending(path: "../../../../shared/opencode").standardizedFileURL
    }

    /// Whether the complete documents are available. Without them, only the list of routes is tested.
    static var areAvailable: Bool { FileManager.default.fileExists(atPath: url("1.18.33").path) }

    /// Returns the folder with the recording of a version.
    static func recording(_ version: String) -> URL { folder.appending(path: "recordings/\(version)") }

    private static func url(_ version: String) -> URL {
        let recorded = recording(version).appending(path: "openapi.json")
        if FileManager.default.fileExists(atPath: recorded.path) { return recorded }
        return folder.appending(path: "openapi-\(version).json")
    }

    /// Returns the document of a version.
    static func document(_ version: String) throws -> OpenAPIDocument {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url(version)))
        return OpenAPIDocument(version: version, root: json as? [String: Any] ?? [:])
    }
}

/// One of OpenCode's OpenAPI documents.
struct OpenAPIDocument {
    let version: String
    let root: [String: Any]

    private static let methods: Set = ["get", "put", "post", "delete", "patch", "options", "head"]

    /// The operations in the document.
    var operations: Set<RecordedDocuments.Operation> {
        let paths = root["paths"] as? [String: [String: Any]] ?? [:]
        var operations: Set<RecordedDocuments.Operation> = []
        for (path, item) in paths {
            for method in item.keys where Self.methods.contains(method) {
                operations.insert(
                    RecordedDocuments.Operation(version: version, method: method.uppercased(), path: path))
            }
        }
        return operations
    }

    private func operation(_ method: String, _ path: String) -> [String: Any]? {
        let paths = root["paths"] as? [String: [String: Any]]
        return paths?[path]?[method.lowercased()] as? [String: Any]
    }

    private func schema(in holder: Any?) -> Any? {
        let content = (holder as? [String: Any])?["content"] as? [String: Any]
        return (content?["application/json"] as? [String: Any])?["schema"]
    }

    /// Returns the schema of an operation's JSON response with the status 200.
    func responseSchema(_ method: String, _ path: String) -> Any? {
        let responses = operation(method, path)?["responses"] as? [String: Any]
        return schema(in: responses?["200"])
    }

    /// Returns the schema of an operation's JSON request.
    func requestSchema(_ method: String, _ path: String) -> Any? {
        schema(in: operation(method, path)?["requestBody"])
    }

    /// Returns a value that a schema permits, with all members. A text, and each member of a free-form object, has the
    /// value of `text`.
    ///
    /// - Parameter choice: The number of the alternative that is used where a schema has several.
    func sample(_ schema: Any?, choice: Int, text: String, depth: Int = 0) -> Any {
        guard let schema = schema as? [String: Any], depth < 24 else { return text }
        if let reference = schema["$ref"] as? String {
            let components = root["components"] as? [String: Any]
            let schemas = components?["schemas"] as? [String: Any]
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            return sample(schemas?[name], choice: choice, text: text, depth: depth + 1)
        }
        for keyword in ["anyOf", "oneOf"] {
            if let alternatives = schema[keyword] as? [Any], !alternatives.isEmpty {
                let chosen = alternatives[choice % alternatives.count]
                return sample(chosen, choice: choice, text: text, depth: depth + 1)
            }
        }
        if let parts = schema["allOf"] as? [Any], let first = parts.first {
            return sample(first, choice: choice, text: text, depth: depth + 1)
        }
        if let constant = schema["const"] { return constant }
        if let values = schema["enum"] as? [Any], let first = values.first { return first }
        switch schema["type"] as? String {
        case "string": return text
        case "number", "integer": return 5
        case "boolean": return true
        case "null": return NSNull()
        case "array":
            return (0..<3).map { sample(schema["items"], choice: choice + $0, text: text, depth: depth + 1) }
        default: return object(schema, choice: choice, text: text, depth: depth)
        }
    }

    private func object(_ schema: [String: Any], choice: Int, text: String, depth: Int) -> Any {
        var object: [String: Any] = [:]
        for (name, member) in schema["properties"] as? [String: Any] ?? [:] {
            object[name] = sample(member, choice: choice, text: text, depth: depth + 1)
        }
        // Objects without members are free-form.
        if let others = schema["additionalProperties"] as? [String: Any] {
            for number in 0..<3 {
                object["any\(number)"] = sample(others, choice: choice + number, text: text, depth: depth + 1)
            }
        } else if object.isEmpty {
            object = ["any": text, "apiKey": text, "nested": ["any": [text]]]
        }
        return object
    }
}

/// A generator of reproducible random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
