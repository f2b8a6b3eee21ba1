// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// A summary of an event stream of OpenCode 2, for comparison with another stream.
///
/// The turns of each session have a fixed order, and so do the events of loading a directory. Input from clients
/// arrives at any time. The events about the title of a session and the use of a project can occur at any point.
struct Outline2 {
    /// The events of each session's turns, in the order of the first appearance of the sessions.
    private(set) var turns: [[String]] = []
    /// The input that was sent to each session.
    private(set) var sent: [[String]] = []
    /// The sequence numbers of each session's durable events.
    private(set) var numbers: [[Int]] = []
    /// The events that belong to a directory, grouped by directory.
    private(set) var directories: [String: [String]] = [:]
    /// All other kinds of events, each listed once.
    private(set) var others: Set<String> = []

    private var sessions: [String] = []
    /// The sessions of the running shells.
    private var shells: [String: String] = [:]
    private var labels: [String: String] = [:]

    init(_ events: [JSON]) {
        for event in events { add(event) }
    }

    private mutating func add(_ event: JSON) {
        let type = event["type"]?.text ?? "?"
        let data = event["data"] ?? .null
        let location = label(event["location"]?["directory"]?.text)
        // The event of a moved session has a second directory.
        let target = data["location"].map { " to \(label($0["directory"]?.text))" } ?? ""
        let line = Outline2.line(type, data, event) + " @\(location)\(target) \(event.shape)"
        guard let session = session(of: data) else {
            if Outline2.isOfDirectory(type) {
                directories[location, default: []].append(line)
            } else {
                others.insert(line)
            }
            return
        }
        let index = index(of: session)
        if case .integer(let number)? = event["durable"]?["seq"] { numbers[index].append(number) }
        if ["session.inbox.enqueued", "session.viewed"].contains(type) {
            sent[index].append(line)
        } else if type == "session.renamed", turns[index].last?.hasPrefix("session.usage.updated") == true {
            others.insert(turns[index].removeLast())
            others.insert(line)
        } else if !type.hasSuffix(".delta") || turns[index].last != line {
            turns[index].append(line)
        }
    }

    private mutating func label(_ directory: String?) -> String {
        guard let directory else { return "-" }
        if labels[directory] == nil { labels[directory] = "d\(labels.count + 1)" }
        return labels[directory] ?? ""
    }

    private mutating func index(of session: String) -> Int {
        if let index = sessions.firstIndex(of: session) { return index }
        sessions.append(session)
        turns.append([])
        sent.append([])
        numbers.append([])
        return sessions.count - 1
    }

    private mutating func session(of data: JSON) -> String? {
        let info = data["info"]
        if let shell = info?["id"]?.text, let session = info?["metadata"]?["sessionID"]?.text {
            shells[shell] = session
            return session
        }
        return data["sessionID"]?.text ?? data["form"]?["sessionID"]?.text ?? data["id"]?.text.flatMap { shells[$0] }
    }

    /// Returns the differences from the expected outline. With `isCut`, the recording contains only the beginning of
    /// the expected events.
    func differences(from expected: Outline2, isTruncated: Bool = false) -> [String] {
        var lines: [String] = []
        for index in 0..<max(turns.count, expected.turns.count) {
            let own = index < turns.count ? turns[index] : []
            let other = index < expected.turns.count ? expected.turns[index] : []
            lines += Outline2.difference(own, other, "session \(index + 1)", isTruncated: isTruncated)
        }
        for (index, pair) in zip(sent, expected.sent).enumerated() {
            lines += Outline2.difference(pair.0, pair.1, "sent to session \(index + 1)", isTruncated: isTruncated)
        }
        for (index, pair) in zip(numbers, expected.numbers).enumerated() where !isTruncated {
            let summaries = [pair.0, pair.1].map { numbers in
                [numbers.first ?? -1, numbers.last ?? -1, numbers.count, Set(numbers).count]
            }
            if summaries[0] != summaries[1] { lines.append("numbers of session \(index + 1): \(pair.0), \(pair.1)") }
            if pair.0 != pair.0.sorted() { lines.append("numbers of session \(index + 1) are not in order: \(pair.0)") }
        }
        for directory in Set(directories.keys).union(expected.directories.keys).sorted() {
            lines += Outline2.difference(
                directories[directory] ?? [], expected.directories[directory] ?? [], "directory \(directory)")
        }
        lines += others.subtracting(expected.others).map { "one more: \($0)" }
        return lines + expected.others.subtracting(others).map { "one less: \($0)" }
    }

    private static func difference(
        _ lines: [String], _ expected: [String], _ name: String, isTruncated: Bool = false
    ) -> [String] {
        let count = isTruncated ? expected.count : max(lines.count, expected.count)
        for index in 0..<count {
            let pair = [lines, expected].map { index < $0.count ? $0[index] : "nothing" }
            if pair[0] != pair[1] { return ["\(name), event \(index + 1): \(pair[0]) instead of \(pair[1])"] }
        }
        return []
    }

    /// Returns the kind of an event, as far as the event's values determine it.
    private static func line(_ type: String, _ data: JSON, _ event: JSON) -> String {
        let words = [
            data["agent"], data["previous"], data["finish"], data["rawFinish"], data["reason"], data["reply"],
            data["item"]?["type"], data["item"]?["delivery"], data["error"]?["type"], data["name"], data["action"],
            data["status"], data["metadata"]?["status"], data["info"]?["status"],
        ]
        let counts = [data["attempt"], data["ordinal"], event["durable"]?["version"]].compactMap { count in
            if case .integer(let number)? = count { "\(number)" } else { nil }
        }
        return ([type] + words.compactMap { $0?.text } + counts).joined(separator: " ")
    }

    private static func isOfDirectory(_ type: String) -> Bool {
        let kinds = [
            "integration", "provider", "model", "agent", "command", "skill", "websearch", "reference", "plugin",
        ]
        return kinds.contains { type == "\($0).updated" } || ["vcs.branch.updated", "location.shutdown"].contains(type)
    }
}
