// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file format of a session. Other servers of the same user and later starts of the server read this format.
extension Session2 {
    /// Returns the session with all its data.
    ///
    /// - Parameter sequence: The number of the session's next event.
    func record(sequence: Int) -> JSON {
        let names: (String?) -> JSON = { $0.map { .string($0) } ?? .null }
        let start: JSON = [
            "id": .string(id), "slug": .string(slug), "created": .integer(created), "parentID": names(parentID),
            "fork": fork ?? .null, "directory": .string(directory), "project": project.record,
            "agent": names(agent), "model": model?.json ?? .null, "title": names(title),
            "metadata": metadata ?? .null, "permissions": permissions ?? .null,
        ]
        let messages = messages.map { ["id": .string($0.id), "type": .string($0.type), "json": $0.json] as JSON }
        let inbox = inbox.map { $0.json(in: id) }
        return start.adding([
            ("input", .integer(usage.input)), ("output", .integer(usage.output)), ("updated", .integer(updated)),
            ("idle", idle.map { .integer($0) } ?? .null), ("outcome", names(outcome?.rawValue)),
            ("revert", revert ?? .null), ("messages", .array(messages)), ("inbox", .array(inbox)),
            ("changes", .array(changes.map(\.record))), ("isInstructed", .bool(isInstructed)),
            ("spoken", .string(spoken)), ("runner", .integer(execution == nil ? 0 : Int(getpid()))),
            ("revision", .integer(revision)), ("sequence", .integer(sequence)),
        ])
    }

    /// Creates a session from a record; nil if the record is invalid. If the server that ran a turn no longer runs, the
    /// turn counts as interrupted.
    init?(record: JSON) {
        guard let id = record["id"]?.text, let slug = record["slug"]?.text, let created = record["created"]?.number,
            let directory = record["directory"]?.text, let project = Project2(record: record["project"] ?? .null)
        else { return nil }
        self.init(
            id: id, slug: slug, created: created, directory: directory, project: project,
            parentID: record["parentID"]?.text, fork: record["fork"]?.unlessNull, agent: record["agent"]?.text,
            model: Model2(record["model"]), title: record["title"]?.text)
        metadata = record["metadata"]?.unlessNull
        permissions = record["permissions"]?.unlessNull
        usage = Usage2(input: record["input"]?.number ?? 0, output: record["output"]?.number ?? 0)
        updated = record["updated"]?.number ?? created
        idle = record["idle"]?.number
        outcome = record["outcome"]?.text.flatMap { TurnOutcome(rawValue: $0) }
        revert = record["revert"]?.unlessNull
        messages = (record["messages"]?.elements ?? []).compactMap { message in
            guard let id = message["id"]?.text, let type = message["type"]?.text else { return nil }
            return Message(id: id, type: type, json: message["json"] ?? .null)
        }
        inbox = (record["inbox"]?.elements ?? []).compactMap { InboxItem2(record: $0) }
        changes = (record["changes"]?.elements ?? []).compactMap { FileChange2(record: $0) }
        isInstructed = record["isInstructed"] == true
        spoken = record["spoken"]?.text ?? ""
        revision = record["revision"]?.number ?? 0
        let runner = record["runner"]?.number ?? 0
        if runner != 0, kill(pid_t(runner), 0) != 0 { endOpenStep() }
    }

    /// Ends the step that a server left open. The step keeps the text that was published up to that point.
    private mutating func endOpenStep() {
        guard let last = messages.last, last.type == "assistant", last.json["finish"] == nil,
            case .object(let members) = last.json
        else { return }
        let now = JSON.integer(Clock.milliseconds)
        let changed = members.map { member -> (String, JSON) in
            switch member.name {
            case "content": (member.name, spoken.isEmpty ? member.value : [["type": "text", "text": .string(spoken)]])
            case "time": (member.name, member.value.adding([("streamed", now), ("completed", now)]))
            case "snapshot":
                (member.name, member.value.adding([("end", member.value["start"] ?? .null), ("files", [])]))
            default: (member.name, member.value)
            }
        }
        let json = JSON.object([]).adding(changed + [("finish", "error"), ("error", Execution2.interruption)])
        messages[messages.count - 1] = Message(id: last.id, type: last.type, json: json)
        spoken = ""
    }
}

extension InboxItem2 {
    fileprivate init?(record: JSON) {
        guard let id = record["id"]?.text, let kind = record["type"]?.text.flatMap({ Kind(rawValue: $0) }),
            let delivery = record["delivery"]?.text.flatMap({ Delivery(rawValue: $0) })
        else { return nil }
        self.init(id: id, kind: kind, payload: record["payload"] ?? [:], delivery: delivery)
    }
}

extension FileChange2 {
    fileprivate var record: JSON {
        [
            "messageID": .string(messageID), "file": .string(file),
            "before": before.map { .string($0) } ?? .null, "after": after.map { .string($0) } ?? .null,
        ]
    }

    fileprivate init?(record: JSON) {
        guard let message = record["messageID"]?.text, let file = record["file"]?.text else { return nil }
        self.init(messageID: message, file: file, before: record["before"]?.text, after: record["after"]?.text)
    }
}

extension Project2 {
    fileprivate var record: JSON {
        json.adding([
            ("isRepository", .bool(isRepository)), ("branch", branch.map { .string($0) } ?? .null),
        ])
    }

    fileprivate init?(record: JSON) {
        guard let id = record["id"]?.text, let directory = record["directory"]?.text,
            let canonical = record["canonical"]?.text
        else { return nil }
        self.init(
            id: id, directory: directory, canonical: canonical, isRepository: record["isRepository"] == true,
            branch: record["branch"]?.text)
    }
}

extension JSON {
    /// The integer; nil if this value is not an integer.
    var number: Int? {
        if case .integer(let number) = self { number } else { nil }
    }

    fileprivate var unlessNull: JSON? { self == .null ? nil : self }
}
