// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// The parts of an event stream that are compared with another stream: the kinds of events with their members, in the
/// order of each group of related events.
///
/// The real server works on several things at the same time, and the order of their events differs between recordings.
/// The turn of each session has a fixed order, and so do its requests and file changes. The events about titles,
/// summaries of changes and the ends of texts can occur at any point between them.
struct Outline: Equatable {
    /// The events of the turns themselves, grouped by session.
    private(set) var turns: [[String]] = []
    /// The events of permissions, questions, todo lists and files, and the events that belong to no session.
    private(set) var requests: [String] = []
    /// The kinds of events that can occur at any point, each listed once.
    private(set) var others: Set<String> = []

    private var sessions: [String] = []

    init(_ events: [JSON]) {
        for event in events { add(event) }
    }

    private mutating func add(_ event: JSON) {
        let payload = event["payload"] ?? event
        let type = payload["type"]?.text ?? "?"
        let properties = payload["properties"] ?? .null
        if type == "server.heartbeat" { return }
        let line = Outline.line(type, properties) + " " + event.shape
        let session = Outline.session(of: type, properties)
        if type == "session.created", let session { sessions.append(session) }
        if let session, !sessions.contains(session) {
            // The event belongs to an earlier recording.
            return
        }
        if Outline.isWheneverReady(type, properties) {
            others.insert(line)
        } else if let session, Outline.isOfTurn(type), let index = sessions.firstIndex(of: session) {
            while turns.count <= index { turns.append([]) }
            append(line, to: index, isPiece: Outline.isPiece(type, properties))
        } else {
            requests.append(line)
        }
    }

    /// Appends a line to a turn. Consecutive deltas count as one line, and so do the rounds of repeated requests to a
    /// provider.
    private mutating func append(_ line: String, to index: Int, isPiece: Bool) {
        let last = turns[index].suffix(3)
        if isPiece, last.last == line { return }
        if line.hasPrefix("session.status retry"), last.count == 3, last.dropFirst().first == line,
            last.first == last.last
        {
            turns[index].removeLast()
        } else {
            turns[index].append(line)
        }
    }

    /// Returns the differences from the expected outline, one line for each turn and for the other events.
    func differences(from expected: Outline) -> [String] {
        var lines: [String] = []
        for index in 0..<max(turns.count, expected.turns.count) {
            let pair = [turns, expected.turns].map { index < $0.count ? $0[index] : [] }
            lines += Outline.difference(pair[0], pair[1], "turn \(index + 1)")
        }
        lines += Outline.difference(requests, expected.requests, "request")
        lines += others.subtracting(expected.others).map { "one more: \($0)" }
        return lines + expected.others.subtracting(others).map { "one less: \($0)" }
    }

    private static func difference(_ lines: [String], _ expected: [String], _ name: String) -> [String] {
        for index in 0..<max(lines.count, expected.count) {
            let pair = [lines, expected].map { index < $0.count ? $0[index] : "nothing" }
            if pair[0] != pair[1] { return ["\(name), event \(index + 1): \(pair[0]) instead of \(pair[1])"] }
        }
        return []
    }

    /// Returns the kind of an event, as far as the event's values determine it.
    private static func line(_ type: String, _ properties: JSON) -> String {
        let part = properties["part"] ?? .null
        let words = [
            properties["info"]?["role"], properties["status"]?["type"], part["type"], part["tool"],
            part["state"]?["status"], part["reason"], properties["error"]?["name"], properties["reply"],
            properties["field"], properties["permission"],
        ]
        return ([type] + words.compactMap { $0?.text }).joined(separator: " ")
    }

    private static func session(of type: String, _ properties: JSON) -> String? {
        let id =
            properties["sessionID"] ?? properties["part"]?["sessionID"] ?? properties["info"]?["sessionID"]
            ?? (type.hasPrefix("session.") ? properties["info"]?["id"] : nil)
        return id?.text
    }

    private static func isOfTurn(_ type: String) -> Bool {
        type.hasPrefix("message.") || type.hasPrefix("session.")
    }

    private static func isPiece(_ type: String, _ properties: JSON) -> Bool {
        type == "message.part.delta" || properties["delta"] != nil
    }

    private static func isWheneverReady(_ type: String, _ properties: JSON) -> Bool {
        let text = ["text", "reasoning"].contains(properties["part"]?["type"]?.text ?? "")
        let time = properties["part"]?["time"]
        // A user's text has no time.
        let isTextEnd = text && (time == nil || time?["end"] != nil)
        return ["session.updated", "session.diff"].contains(type) || properties["info"]?["role"] == "user" || isTextEnd
            || ["plugin.added", "catalog.updated", "reference.updated", "integration.updated", "sync"].contains(type)
    }
}

extension JSON {
    /// The structure without the values: the names in their order, and the kinds of values. A list is represented by
    /// the kinds of its elements.
    var shape: String {
        switch self {
        case .null: return "null"
        case .bool: return "bool"
        case .integer, .number: return "number"
        case .string: return "string"
        case .array(let elements): return "[" + Set(elements.map(\.shape)).sorted().joined(separator: "|") + "]"
        case .object(let members):
            return "{" + members.map { "\($0.name):\($0.value.shape)" }.joined(separator: ",") + "}"
        }
    }
}

extension TestResponse {
    /// The body as JSON; null if it is not JSON.
    var json: JSON { (try? JSONParser.parse(body)) ?? .null }
}
