// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Message {
    /// Parses a message `{"info","parts"}`; nil if it is invalid.
    package init?(openCode1 json: JSON) {
        guard let object = json.object, let info = object["info"]?.object, let parts = object["parts"]?.array else {
            return nil
        }
        self.init(MessageInfo(openCode1: info), parts.map { Part(openCode1: $0) }.compactMap(\.self))
        guard self.parts.count == parts.count else { return nil }
    }

    /// The message as JSON in OpenCode 1.18.33's format.
    package var json: JSON { ["info": info.json, "parts": .array(parts.map(\.json))] }
}

extension MessageInfo {
    /// Parses the properties of a message. Keeps a message with an unknown role unchanged.
    package init(openCode1 object: JSONObject) {
        if let user = UserMessage(openCode1: object) {
            self = .user(user)
        } else if let assistant = AssistantMessage(openCode1: object) {
            self = .assistant(assistant)
        } else {
            self = .other(object)
        }
    }

    /// The properties as JSON in OpenCode 1.18.33's format.
    package var json: JSON {
        switch self {
        case .user(let user): user.json
        case .assistant(let assistant): assistant.json
        case .other(let object): .object(object)
        }
    }
}

extension UserMessage {
    init?(openCode1 object: JSONObject) {
        var remaining = object
        guard remaining.text("role") == "user", let id = remaining.text("id"),
            let sessionID = remaining.text("sessionID"),
            let time = remaining.object("time"), let created = time["created"]?.number, time.members.count == 1,
            let agent = remaining.text("agent"), let model = remaining.extract("model", { Model(openCode1Message: $0) })
        else { return nil }
        self.init(id: id, sessionID: sessionID, created: created, agent: agent, model: model, others: remaining)
    }

    var json: JSON {
        var object = JSONObject()
        object.add("id", id)
        object.add("sessionID", sessionID)
        object.add("role", "user")
        object.add("time", ["created": .number(created)])
        object.add("agent", agent)
        object.add("model", model.messageJSON)
        object.add(others)
        return .object(object)
    }
}

extension AssistantMessage {
    init?(openCode1 object: JSONObject) {
        var remaining = object
        guard remaining.text("role") == "assistant", let id = remaining.text("id"),
            let sessionID = remaining.text("sessionID"),
            let parentID = remaining.text("parentID"), var time = remaining.object("time"),
            let created = time.number("created"),
            let mode = remaining.text("mode"), let providerID = remaining.text("providerID"),
            let modelID = remaining.text("modelID"),
            let path = remaining.object("path"), let directory = path["cwd"]?.text, let root = path["root"]?.text,
            path.members.count == 2, let cost = remaining.number("cost"),
            let tokens = remaining.extract("tokens", { Tokens($0) })
        else { return nil }
        let completed = time.number("completed")
        guard time.isEmpty else { return nil }
        self.init(
            id: id, sessionID: sessionID, parentID: parentID, created: created, completed: completed,
            agent: remaining.text("agent"), mode: mode,
            model: Model(providerID: providerID, modelID: modelID, variant: remaining.text("variant")),
            directory: directory,
            root: root, cost: cost, tokens: tokens, finish: remaining.text("finish"),
            failure: remaining.extract("error") { Failure(openCode1: $0) }, isSummary: remaining.bool("summary"),
            others: remaining)
    }

    var json: JSON {
        var object = JSONObject()
        object.add("id", id)
        object.add("sessionID", sessionID)
        object.add("role", "assistant")
        var time = JSONObject()
        time.add("created", created)
        time.add("completed", completed)
        object.add("time", .object(time))
        object.add("error", failure?.json)
        object.add("parentID", parentID)
        object.add("modelID", model.modelID)
        object.add("providerID", model.providerID)
        object.add("mode", mode)
        object.add("agent", agent)
        object.add("path", ["cwd": .string(directory), "root": .string(root)])
        object.add("summary", isSummary)
        object.add("cost", cost)
        object.add("tokens", tokens.json)
        object.add("variant", model.variant)
        object.add("finish", finish)
        object.add(others)
        return .object(object)
    }
}

extension Failure {
    /// Parses a failure `{"name","data"}`; nil if it is invalid.
    package init?(openCode1 json: JSON) {
        guard var remaining = json.object, let name = remaining.text("name"), let data = remaining.object("data") else {
            return nil
        }
        self.init(name, data)
        others = remaining
    }

    /// The failure as JSON in OpenCode 1.18.33's format.
    package var json: JSON {
        var object = JSONObject()
        object.add("name", name)
        object.add("data", .object(data))
        object.add(others)
        return .object(object)
    }
}
