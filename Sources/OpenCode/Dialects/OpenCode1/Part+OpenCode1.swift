// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Part {
    /// Parses a part; nil if it lacks a member that all parts have.
    package init?(openCode1 json: JSON) {
        guard var remaining = json.object, let id = remaining.text("id"), let sessionID = remaining.text("sessionID"),
            let messageID = remaining.text("messageID"), let type = remaining.text("type")
        else { return nil }
        let known = remaining
        if let kind = Kind(type, &remaining) {
            self.init(id: id, sessionID: sessionID, messageID: messageID, kind, others: remaining)
        } else {
            self.init(id: id, sessionID: sessionID, messageID: messageID, .other(type), others: known)
        }
    }

    /// The part as JSON in OpenCode 1.18.33's format.
    package var json: JSON {
        var object = JSONObject()
        object.add("id", id)
        object.add("sessionID", sessionID)
        object.add("messageID", messageID)
        object.add("type", kind.type)
        kind.add(to: &object)
        object.add(others)
        return .object(object)
    }
}

extension Part.Kind {
    /// The name of the part's type.
    package var type: String {
        switch self {
        case .text: "text"
        case .reasoning: "reasoning"
        case .file: "file"
        case .tool: "tool"
        case .stepStart: "step-start"
        case .stepFinish: "step-finish"
        case .snapshot: "snapshot"
        case .patch: "patch"
        case .agent: "agent"
        case .retry: "retry"
        case .compaction: "compaction"
        case .subtask: "subtask"
        case .other(let type): type
        }
    }

    /// Creates the kind for a type, and removes the known members from `remaining`. Returns nil if the type is unknown
    /// or if a required member is missing.
    fileprivate init?(_ type: String, _ remaining: inout JSONObject) {
        switch type {
        case "text":
            guard let text = remaining.text("text") else { return nil }
            let time = remaining.extract("time") { Part.Time($0) }
            self = .text(Part.Text(text: text, isSynthetic: remaining.bool("synthetic"), time: time))
        case "reasoning":
            guard let text = remaining.text("text"), let time = remaining.extract("time", { Part.Time($0) }) else {
                return nil
            }
            self = .reasoning(Part.Reasoning(text: text, time: time))
        case "file":
            guard let mime = remaining.text("mime"), let url = remaining.text("url") else { return nil }
            let name = remaining.text("filename")
            self = .file(Part.File(mime: mime, filename: name, url: url, source: remaining.value("source")))
        case "tool":
            guard let callID = remaining.text("callID"), let tool = remaining.text("tool"),
                let state = remaining.extract("state", { ToolCall.State(openCode1: $0) })
            else { return nil }
            self = .tool(ToolCall(callID: callID, tool: tool, state: state))
        case "step-start": self = .stepStart(snapshot: remaining.text("snapshot"))
        case "step-finish":
            guard let reason = remaining.text("reason"), let cost = remaining.number("cost"),
                let tokens = remaining.extract("tokens", { Tokens($0) })
            else { return nil }
            let snapshot = remaining.text("snapshot")
            self = .stepFinish(Part.StepFinish(reason: reason, snapshot: snapshot, cost: cost, tokens: tokens))
        default: self.init(rare: type, &remaining)
        }
    }

    private init?(rare type: String, _ remaining: inout JSONObject) {
        switch type {
        case "snapshot":
            guard let snapshot = remaining.text("snapshot") else { return nil }
            self = .snapshot(snapshot)
        case "patch":
            guard let hash = remaining.text("hash"), let files = remaining.texts("files") else { return nil }
            self = .patch(hash: hash, files: files)
        case "agent":
            guard let name = remaining.text("name") else { return nil }
            self = .agent(name: name, source: remaining.value("source"))
        case "retry":
            guard let attempt = remaining.number("attempt"),
                let failure = remaining.extract("error", { Failure(openCode1: $0) }),
                let time = remaining.object("time"), let created = time["created"]?.number, time.members.count == 1
            else { return nil }
            self = .retry(attempt: attempt, failure: failure, created: created)
        case "compaction":
            guard let isAutomatic = remaining.bool("auto") else { return nil }
            self = .compaction(isAutomatic: isAutomatic)
        case "subtask":
            guard let prompt = remaining.text("prompt"), let description = remaining.text("description"),
                let agent = remaining.text("agent")
            else { return nil }
            self = .subtask(prompt: prompt, description: description, agent: agent)
        default: return nil
        }
    }

    fileprivate func add(to object: inout JSONObject) {
        switch self {
        case .text(let text):
            object.add("text", text.text)
            object.add("synthetic", text.isSynthetic)
            object.add("time", text.time?.json)
        case .reasoning(let reasoning):
            object.add("text", reasoning.text)
            object.add("time", reasoning.time.json)
        case .file(let file):
            object.add("mime", file.mime)
            object.add("filename", file.filename)
            object.add("url", file.url)
            object.add("source", file.source)
        case .tool(let call):
            object.add("tool", call.tool)
            object.add("callID", call.callID)
            object.add("state", call.state.json)
        case .stepStart(let snapshot): object.add("snapshot", snapshot)
        case .stepFinish(let finish):
            object.add("reason", finish.reason)
            object.add("snapshot", finish.snapshot)
            object.add("cost", finish.cost)
            object.add("tokens", finish.tokens.json)
        case .snapshot(let snapshot): object.add("snapshot", snapshot)
        case .patch(let hash, let files):
            object.add("hash", hash)
            object.add("files", files)
        case .agent(let name, let source):
            object.add("name", name)
            object.add("source", source)
        case .retry(let attempt, let failure, let created):
            object.add("attempt", attempt)
            object.add("error", failure.json)
            object.add("time", ["created": .number(created)])
        case .compaction(let isAutomatic): object.add("auto", isAutomatic)
        case .subtask(let prompt, let description, let agent):
            object.add("prompt", prompt)
            object.add("description", description)
            object.add("agent", agent)
        case .other: break
        }
    }
}

extension Part.Time {
    init?(_ json: JSON) {
        guard var remaining = json.object, let start = remaining.number("start") else { return nil }
        self.init(start: start, end: remaining.number("end"))
        others = remaining
    }

    var json: JSON {
        var object = JSONObject()
        object.add("start", start)
        object.add("end", end)
        object.add(others)
        return .object(object)
    }
}

extension ToolCall.State {
    init?(openCode1 json: JSON) {
        guard var remaining = json.object,
            let status = remaining.text("status").flatMap(ToolCall.Status.init(rawValue:)),
            let input = remaining.object("input")
        else { return nil }
        self.init(status, input: input)
        raw = remaining.text("raw")
        output = remaining.text("output")
        title = remaining.text("title")
        metadata = remaining.object("metadata")
        error = remaining.text("error")
        time = remaining.extract("time") { Part.Time($0) }
        others = remaining
    }

    var json: JSON {
        var object = JSONObject()
        object.add("status", status.rawValue)
        object.add("input", .object(input))
        object.add("raw", raw)
        object.add("output", output)
        object.add("title", title)
        object.add("metadata", metadata.map(JSON.object))
        object.add("error", error)
        object.add("time", time?.json)
        object.add(others)
        return .object(object)
    }
}
