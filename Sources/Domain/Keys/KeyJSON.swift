// SPDX-License-Identifier: Apache-2.0

internal import Access
internal import Encodings
package import JSONText
internal import OpenCodeFamilies

/// The JSON bodies of requests that manage keys.
///
/// A member with an unknown name is an error. If the gateway ignored a misspelt restriction, the key would permit more
/// than the administrator intended.
package enum KeyJSON {
    private enum Name: String, CaseIterable {
        case name, projects, allow, expires, rate, streams, identity, note
    }

    /// Returns the draft in the body of a request that creates a key.
    package static func draft(_ body: [UInt8]) throws(KeyRefusal) -> KeyDraft {
        let members = try members(of: body, Name.allCases.map(\.rawValue))
        let patch = try patch(of: members)
        guard let name = patch.name else { throw .missingName }
        return KeyDraft(patch, name: name)
    }

    /// Returns the changes in the body of a request that changes a key.
    package static func patch(_ body: [UInt8]) throws(KeyRefusal) -> KeyPatch {
        try patch(of: try members(of: body, Name.allCases.map(\.rawValue)))
    }

    /// Returns the time for which the previous secret remains valid after a rotation; nil if it ends at once. The body
    /// may be empty.
    package static func keepOld(_ body: [UInt8]) throws(KeyRefusal) -> Duration? {
        guard !body.isEmpty else { return nil }
        let members = try members(of: body, [KeyRefusal.Value.keepOld.rawValue])
        guard let value = members.members.first?.value, value != .null else { return nil }
        return try duration(value, .keepOld)
    }

    private static func members(of body: [UInt8], _ names: [String]) throws(KeyRefusal) -> JSONObject {
        guard let object = JSONObject(jsonText: body) else { throw .notAnObject }
        var found: Set<String> = []
        for member in object.members {
            guard names.contains(member.name) else { throw .unknownMember(member.name, known: names) }
            // A parser of the client or of a proxy may have used the other value.
            guard found.insert(member.name).inserted else { throw .repeatedMember(member.name) }
        }
        return object
    }

    private static func patch(of members: JSONObject) throws(KeyRefusal) -> KeyPatch {
        var patch = KeyPatch()
        for member in members.members {
            guard let name = Name(rawValue: member.name) else { continue }
            let value = member.value == .null ? nil : member.value
            switch name {
            case .name: patch.name = try text(member.value, .name)
            case .projects: patch.projects = .some(try value.map { value throws(KeyRefusal) in try names(value) })
            case .allow: patch.scope = try scope(member.value)
            case .expires:
                patch.lifetime = .some(try value.map { value throws(KeyRefusal) in try duration(value, .expires) })
            case .rate:
                if value == unlimited { patch.exempt.insert(.rate) }
                patch.rate = .some(
                    try (value == unlimited ? nil : value).map { value throws(KeyRefusal) in try rate(value) })
            case .streams:
                if value == unlimited { patch.exempt.insert(.streams) }
                patch.streams = .some(
                    try (value == unlimited ? nil : value).map { value throws(KeyRefusal) in try count(value) })
            case .identity:
                patch.identity = .some(try value.map { value throws(KeyRefusal) in try text(value, .identity) })
            case .note: patch.note = .some(try value.map { value throws(KeyRefusal) in try text(value, .note) })
            }
        }
        return patch
    }

    /// The value of a limit that does not exist.
    fileprivate static let unlimited: JSON = "none"

    private static func text(_ value: JSON, _ name: KeyRefusal.Value) throws(KeyRefusal) -> String {
        guard let text = try? String(json: value) else {
            // No key is without a scope, so null has no meaning.
            throw .invalid(name, name == .allow && value == .null ? "name a scope, or omit the member" : "use a string")
        }
        return text
    }

    private static func names(_ value: JSON) throws(KeyRefusal) -> [String] {
        guard let names = try? [String](json: value) else {
            throw .invalid(.projects, "use a list of names, or null for all projects")
        }
        return names
    }

    private static func scope(_ value: JSON) throws(KeyRefusal) -> Scope {
        guard let scope = try Scope(rawValue: text(value, .allow)) else {
            let names = Scope.allCases.map(\.rawValue)
            throw .invalid(.allow, "use \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")")
        }
        return scope
    }

    private static func duration(_ value: JSON, _ name: KeyRefusal.Value) throws(KeyRefusal) -> Duration {
        // A number without a unit would mean seconds, which an administrator who means days would not notice.
        let text = try text(value, name)
        guard text.last?.isNumber == false, let duration = QuantityUnit.duration(text) else {
            throw .invalid(name, "use a whole number with one of the units s, min, h and d, such as 12h or 90d")
        }
        return duration
    }

    private static func rate(_ value: JSON) throws(KeyRefusal) -> KeyRate {
        guard let rate = try KeyRate(text(value, .rate)) else {
            throw .invalid(
                .rate,
                "use a rate such as 20/s, 300/min or 1000/h, with a number from \(KeyRate.range.lowerBound) to "
                    + "\(KeyRate.range.upperBound), or none")
        }
        return rate
    }

    private static func count(_ value: JSON) throws(KeyRefusal) -> Int {
        // For JSON, 5.0 is the same number as 5 (RFC 8259 §6, JSON Schema).
        guard let count = (try? Int(json: value)) ?? value.number?.double.flatMap({ Int(exactly: $0) }) else {
            throw .invalid(.streams, KeyValues.streamsAdvice)
        }
        return count
    }
}

extension Key {
    /// The key as a JSON object, without its secrets.
    package var json: JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        func time(_ value: Int64?) -> JSON { text(value.map { Timestamp.utc(milliseconds: $0) }) }
        let projects = rights.projects.map { JSON.array($0.sorted().map { .string($0) }) } ?? .null
        return .object(
            JSONObject([
                .init("id", .string(id.description)), .init("name", .string(name)),
                .init("kind", .string(kind.rawValue)), .init("projects", projects),
                .init("allow", .string(rights.scope.rawValue)), .init("expires", time(expires)),
                .init("rate", limits.exempt.contains(.rate) ? KeyJSON.unlimited : text(limits.rate?.description)),
                .init(
                    "streams",
                    limits.exempt.contains(.streams)
                        ? KeyJSON.unlimited : limits.streams.map { .number(Number($0)) } ?? .null),
                .init("identity", text(identity)), .init("note", text(note)), .init("created", time(created)),
                .init("creator", .string(creator)), .init("last_used", time(use?.time)),
                .init("address", text(use?.address)), .init("client", text(use?.client)),
                // The end of the previous secret after a rotation.
                .init("old_until", time(secrets.dropFirst().first?.until)),
            ]))
    }
}
