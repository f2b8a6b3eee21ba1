// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText

/// Translates recorded turns of OpenCode 2.
enum Turns {
    static let instanceDefaults = InstanceDefaults(
        version: "2.0.15", agent: "build", model: Model(providerID: "mock", modelID: "talk"))

    /// Returns the events of OpenCode 1 for a recorded turn of 2.0.15, without the events of sessions that began before
    /// the recording.
    static func translated(_ name: String) throws -> [JSON] {
        var translator = StreamTranslator(instanceDefaults)
        return try Fixtures.turn("2.0.15", name).flatMap { translate($0, &translator) }
    }

    static func translate(_ line: [UInt8], _ translator: inout StreamTranslator) -> [JSON] {
        switch translator.translate(line) {
        case .frames(let frames): return frames.compactMap { $0.bytes().flatMap(JSONParser.parse) }
        case .needs(let id):
            translator.ignore(session: id)
            return []
        }
    }

    static func recorded(_ name: String) throws -> [JSON] {
        try Fixtures.turn("1.18.33", name).compactMap(JSONParser.parse)
    }
}

/// The properties of events that a comparison of two recordings uses.
struct Outline {
    /// The kinds of events of each session, in the order of their appearance, with repeated kinds merged.
    private(set) var kinds: [[String]] = []
    /// The members of each kind of event, with their paths written as `a.b.c`.
    private(set) var members: [String: Set<String>] = [:]
    private var sessions: [String] = []

    /// Kinds that may occur at any position.
    private static let free = ["session.updated", "session.diff", "message.updated user"]

    init(_ events: [JSON]) {
        for event in events {
            let type = event["type"]?.text ?? ""
            guard let id = event["properties"]?["sessionID"]?.text else { continue }
            let detail = Self.detail(event)
            Self.collect(event["properties"] ?? .null, "", &members[detail, default: []])
            if !sessions.contains(id) {
                sessions.append(id)
                kinds.append([])
            }
            guard let index = sessions.firstIndex(of: id), !Self.free.contains(detail) else { continue }
            if kinds[index].last != type { kinds[index].append(type) }
        }
    }

    /// Returns the kind of an event: its type, and its object.
    static func detail(_ event: JSON) -> String {
        let type = event["type"]?.text ?? ""
        let properties = event["properties"]
        let part = properties?["part"]
        let more = [
            properties?["info"]?["role"], properties?["status"]?["type"], part?["type"], part?["tool"],
            part?["state"]?["status"], properties?["error"]?["name"], properties?["info"]?["error"]?["name"],
        ]
        return ([type] + more.compactMap { $0?.text }).joined(separator: " ")
    }

    private static func collect(_ json: JSON, _ index: String, _ members: inout Set<String>) {
        switch json {
        case .object(let object):
            for member in object.members {
                let inner = index.isEmpty ? member.name : index + "." + member.name
                members.insert(inner)
                collect(member.value, inner, &members)
            }
        case .array(let array): for element in array { collect(element, index + "[]", &members) }
        default: break
        }
    }
}
