// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The schema of a request's body in OpenCode 1's OpenAPI document. The checks support only the part of JSON Schema
/// that this document uses.
///
/// The checks accept members that the schema does not name, because OpenCode ignores such members.
struct BodySchema {
    /// A violation of the schema in a request's body.
    struct Mismatch: Equatable {
        /// The message with the path, in OpenCode's wording.
        let message: String
        fileprivate let depth: Int

        fileprivate init(_ sentence: String, at path: [String]) {
            message = path.isEmpty ? sentence : sentence + "\n  at " + path.map { "[\($0)]" }.joined()
            depth = path.count
        }
    }

    private let schema: JSON
    private let schemas: JSONObject

    /// Returns the schema of a route's body; nil if the route has no body.
    static func of(_ route: OpenCode1Route) -> BodySchema? { all[route] }

    private static let all: [OpenCode1Route: BodySchema] = {
        guard let document = JSONParser.parse(OpenCode1Document.bytes),
            let schemas = document["components"]?["schemas"]?.object, let paths = document["paths"]?.object
        else { return [:] }
        var all: [OpenCode1Route: BodySchema] = [:]
        for path in paths.members {
            for operation in path.value.object?.members ?? [] {
                let content = operation.value["requestBody"]?["content"]?["application/json"]
                let route = OpenCode1Route(method: operation.name.uppercased(), template: path.name)
                guard let route, let schema = content?["schema"] else { continue }
                all[route] = BodySchema(schema: schema, schemas: schemas)
            }
        }
        return all
    }()

    /// Returns the first violation of the schema in `body`; nil if there is none.
    func mismatch(_ body: JSON) -> Mismatch? { mismatch(body, with: schema, at: []) }

    private func mismatch(_ value: JSON, with schema: JSON, at path: [String]) -> Mismatch? {
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            guard let named = schemas[String(name)] else { return nil }
            return mismatch(value, with: named, at: path)
        }
        if let choices = schema["anyOf"]?.array ?? schema["oneOf"]?.array { return mismatch(value, of: choices, path) }
        for part in schema["allOf"]?.array ?? [] {
            if let mismatch = mismatch(value, with: part, at: path) { return mismatch }
        }
        if let type = schema["type"]?.text, !Self.has(value, type) { return Mismatch("Expected \(type)", at: path) }
        if let words = schema["enum"]?.array ?? schema["const"].map({ [$0] }), !words.contains(value) {
            return Mismatch("Expected " + Self.listed(words), at: path)
        }
        return switch value {
        case .string: text(value.text ?? "", with: schema, at: path)
        case .number(let number): self.number(number, with: schema, at: path)
        case .array(let elements): array(elements, with: schema, at: path)
        case .object(let object): members(object, with: schema, at: path)
        default: nil
        }
    }

    private static func has(_ value: JSON, _ type: String) -> Bool {
        switch (type, value) {
        case ("string", .string), ("number", .number), ("object", .object), ("array", .array): true
        case ("integer", .number(let number)): number.double.map { $0.rounded() == $0 } ?? false
        case ("boolean", _): value.bool != nil
        case ("null", _): value == .null
        default: false
        }
    }

    /// Returns the mismatch with the intended alternative; nil if any alternative matches.
    ///
    /// If each alternative names its `type`, the intended alternative is the one with the value's type. In all other
    /// cases, the intended alternative is the one whose mismatch has the greatest depth.
    private func mismatch(_ value: JSON, of choices: [JSON], _ path: [String]) -> Mismatch? {
        let resolved = choices.map(resolved)
        let kinds = resolved.map { $0["properties"]?["type"]?["enum"]?.array ?? [] }
        if value.object != nil, kinds.allSatisfy({ !$0.isEmpty }) {
            guard let type = value["type"] else { return Mismatch("Missing key", at: path + [Self.quoted("type")]) }
            guard let choice = kinds.firstIndex(where: { $0.contains(type) }) else {
                let words = Self.listed(kinds.flatMap { $0 })
                return Mismatch("Expected \(words)", at: path + [Self.quoted("type")])
            }
            return mismatch(value, with: resolved[choice], at: path)
        }
        var best: Mismatch?
        for choice in resolved {
            guard let mismatch = mismatch(value, with: choice, at: path) else { return nil }
            if best.map({ $0.depth < mismatch.depth }) ?? true { best = mismatch }
        }
        return best
    }

    private func resolved(_ schema: JSON) -> JSON {
        guard let name = schema["$ref"]?.text?.split(separator: "/").last else { return schema }
        return schemas[String(name)].map(resolved) ?? schema
    }

    /// Validates a string. All patterns for bodies in the document are prefixes, such as `^msg`.
    private func text(_ text: String, with schema: JSON, at path: [String]) -> Mismatch? {
        guard let pattern = schema["pattern"]?.text, pattern.first == "^" else { return nil }
        let beginning = String(pattern.dropFirst())
        guard beginning.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), !text.hasPrefix(beginning) else {
            return nil
        }
        return Mismatch("Expected a string starting with \(Self.quoted(beginning))", at: path)
    }

    private func number(_ number: Number, with schema: JSON, at path: [String]) -> Mismatch? {
        guard let value = number.double else { return nil }
        if let least = schema["minimum"]?.number, let bound = least.double, value < bound {
            return Mismatch("Expected a value greater than or equal to \(least.text)", at: path)
        }
        if let least = schema["exclusiveMinimum"]?.number, let bound = least.double, value <= bound {
            return Mismatch("Expected a value greater than \(least.text)", at: path)
        }
        if let most = schema["maximum"]?.number, let bound = most.double, value > bound {
            return Mismatch("Expected a value less than or equal to \(most.text)", at: path)
        }
        return nil
    }

    private func array(_ elements: [JSON], with schema: JSON, at path: [String]) -> Mismatch? {
        guard let items = schema["items"] else { return nil }
        for (index, element) in elements.enumerated() {
            if let mismatch = mismatch(element, with: items, at: path + [String(index)]) { return mismatch }
        }
        return nil
    }

    private func members(_ object: JSONObject, with schema: JSON, at path: [String]) -> Mismatch? {
        for name in schema["required"]?.array?.compactMap(\.text) ?? [] where object[name] == nil {
            return Mismatch("Missing key", at: path + [Self.quoted(name)])
        }
        let known = schema["properties"]?.object
        let others = schema["additionalProperties"]
        for member in object.members {
            guard let memberSchema = known?[member.name] ?? (others?.object == nil ? nil : others) else { continue }
            // If a name occurs more than once, only the last member with this name counts. Validate that member.
            let value = object[member.name] ?? member.value
            if let mismatch = mismatch(value, with: memberSchema, at: path + [Self.quoted(member.name)]) {
                return mismatch
            }
        }
        return nil
    }

    private static func quoted(_ name: String) -> String { JSONText.quoted(name) }

    private static func listed(_ words: [JSON]) -> String {
        words.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " | ")
    }
}
