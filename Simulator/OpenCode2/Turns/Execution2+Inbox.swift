// SPDX-License-Identifier: Apache-2.0

/// Processes inbox items that are not prompts.
extension Execution2 {
    /// The headings that a summary must have.
    private static let headings = [
        "## Objective", "## Requirements", "## Decisions", "## Work State", "### Completed", "### Active",
        "### Blocked", "## Next Move", "## Relevant Files", "## Important Context",
    ]

    /// Moves the session to another directory. The event's location is still the old directory.
    func move(_ item: InboxItem2) throws(Ending) {
        guard let directory = item.payload["location"]?["directory"]?.text else { return }
        let session = try session()
        let project = conversation.locations.project(of: directory)
        let event = conversation.publish(
            "session.moved", in: session,
            [
                ("location", ["directory": .string(directory)]), ("projectID", .string(project.id)),
                ("subpath", .string(project.subpath(of: directory))),
            ])
        let message = "msg_\(event.dropFirst(4))"
        let json: JSON = [
            "id": .string(message), "time": ["created": .integer(Clock.milliseconds)], "type": "location-switched",
            "projectID": .string(project.id), "location": ["directory": .string(directory)],
            "previous": ["location": session.location, "projectID": .string(session.project.id)],
        ]
        store.update(id, isProgress: true) {
            $0.directory = directory
            $0.project = project
        }
        store.store(Session2.Message(id: message, type: "location-switched", json: json), in: id)
    }

    /// Summarizes the conversation. Only the model `compact` writes a summary with the required headings. With any
    /// other model, the summary fails after two attempts.
    func compact(_ item: InboxItem2) throws(Ending) {
        let model = try session().model ?? .standard
        let isGood = model.id == "compact"
        try conversation.publish(
            "session.compaction.started", in: session(),
            [("reason", "manual"), ("recent", ""), ("inputID", .string(item.id))])
        store(item, ["status": "running", "reason": "manual", "summary": "", "recent": ""])
        let script = TurnScript(model: model.id, prompt: "", pace: conversation.pace)
        let deltas =
            isGood
            ? TurnScript.words(of: Execution2.headings.map { "\($0)\n- a point" }.joined(separator: "\n\n"))
            : script.answer(to: "")
        var usage = Usage2()
        for _ in 0..<(isGood ? 1 : 2) {
            for delta in deltas {
                if !isGood { try pause(script.interval) }
                try conversation.publish(
                    "session.compaction.delta", in: session(), [("text", .string(delta))], version: nil)
            }
            usage += .call
        }
        conversation.bus.skip(id)
        use(usage)
        if isGood {
            try publishSummary(item, model: model, summary: deltas.joined(), usage: usage)
        } else {
            try publishFailure(item, usage)
        }
    }

    private func publishSummary(
        _ item: InboxItem2, model: Model2, summary: String, usage: Usage2
    ) throws(Ending) {
        let start: [(String, JSON)] = [("reason", "manual"), ("model", model.complete)]
        try conversation.publish(
            "session.compaction.ended", in: session(),
            start + [("text", .string(summary)), ("recent", ""), ("tokens", usage.tokens), ("cost", 0)])
        let status: JSON = ["status": "completed"]
        store(item, status.adding(start + [("summary", .string(summary)), ("recent", "")] + usage.members))
    }

    private func publishFailure(_ item: InboxItem2, _ usage: Usage2) throws(Ending) {
        let error: JSON = [
            "type": "compaction.failed", "message": "Compaction summary did not match the required template",
        ]
        try conversation.publish(
            "session.compaction.failed", in: session(),
            [("reason", "manual"), ("error", error), ("inputID", .string(item.id))] + usage.members)
        let status: JSON = ["status": "failed", "reason": "manual", "error": error]
        store(item, status.adding(usage.members))
    }

    private func store(_ item: InboxItem2, _ remainder: JSON) {
        guard case .object(let members) = remainder else { return }
        let start: JSON = [
            "type": "compaction", "id": .string(item.id), "time": ["created": .integer(Clock.milliseconds)],
        ]
        store.store(
            Session2.Message(
                id: item.id, type: "compaction", json: start.adding(members.map { ($0.name, $0.value) })), in: id)
    }
}
