// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Permission {
    /// Parses a permission request in the format of OpenCode 1.0 or of later OpenCode 1 versions; nil if it is invalid.
    package init?(openCode1 json: JSON) {
        guard var remaining = json.object, let id = remaining.text("id"), let sessionID = remaining.text("sessionID")
        else {
            return nil
        }
        if let permission = remaining.text("permission") {
            guard let patterns = remaining.texts("patterns"), let metadata = remaining.object("metadata"),
                let always = remaining.texts("always")
            else { return nil }
            self.init(
                id: id, sessionID: sessionID, permission: permission, patterns: patterns, metadata: metadata,
                always: always, tool: remaining.extract("tool") { ToolReference(openCode1: $0) }, others: remaining)
        } else {
            guard let type = remaining.text("type"), let messageID = remaining.text("messageID"),
                let title = remaining.text("title"),
                let metadata = remaining.object("metadata"), let time = remaining.object("time"),
                let created = time["created"]?.number, time.members.count == 1
            else { return nil }
            let patterns = remaining.texts("pattern") ?? remaining.text("pattern").map { [$0] } ?? []
            let tool = ToolReference(messageID: messageID, callID: remaining.text("callID") ?? "")
            self.init(
                id: id, sessionID: sessionID, permission: type, patterns: patterns, metadata: metadata, always: [],
                tool: tool, created: created, title: title, others: remaining)
        }
    }

    /// The request as JSON in OpenCode 1.18.33's format.
    package var json: JSON {
        var object = JSONObject()
        object.add("id", id)
        object.add("sessionID", sessionID)
        object.add("permission", permission)
        object.add("patterns", patterns)
        object.add("metadata", .object(metadata))
        object.add("always", always)
        object.add("tool", tool?.json)
        object.add(others)
        return .object(object)
    }

    /// Returns the request in OpenCode 1.0.223's format. This format requires the tool call, so the result is nil if
    /// the call is unknown.
    ///
    /// - Parameter requestedAt: The time of the request, in milliseconds since 1970.
    package func firstJSON(requestedAt: Number) -> JSON? {
        guard let tool else { return nil }
        var object = JSONObject()
        object.add("id", id)
        object.add("type", permission)
        object.add("pattern", patterns)
        object.add("sessionID", sessionID)
        object.add("messageID", tool.messageID)
        object.add("callID", tool.callID)
        object.add("title", title ?? patterns.first ?? permission)
        object.add("metadata", .object(metadata))
        object.add("time", ["created": .number(created ?? requestedAt)])
        object.add(others)
        return .object(object)
    }
}

extension ToolReference {
    init?(openCode1 json: JSON) {
        guard var remaining = json.object, let messageID = remaining.text("messageID"),
            let callID = remaining.text("callID")
        else {
            return nil
        }
        self.init(messageID: messageID, callID: callID)
        others = remaining
    }

    var json: JSON {
        var object = JSONObject()
        object.add("messageID", messageID)
        object.add("callID", callID)
        object.add(others)
        return .object(object)
    }
}

extension Question {
    /// Parses a request with questions; nil if it is invalid.
    package init?(openCode1 json: JSON) {
        guard var remaining = json.object, let id = remaining.text("id"), let sessionID = remaining.text("sessionID"),
            let items = remaining.extract(
                "questions", { value in value.array.flatMap { $0.all(Item.init(openCode1:)) } })
        else { return nil }
        let tool = remaining.extract("tool") { ToolReference(openCode1: $0) }
        self.init(id: id, sessionID: sessionID, items: items, tool: tool, others: remaining)
    }

    /// The request as JSON in OpenCode 1.18.33's format.
    package var json: JSON {
        var object = JSONObject()
        object.add("id", id)
        object.add("sessionID", sessionID)
        object.add("questions", .array(items.map(\.json)))
        object.add("tool", tool?.json)
        object.add(others)
        return .object(object)
    }
}

extension Question.Item {
    init?(openCode1 json: JSON) {
        guard var remaining = json.object, let question = remaining.text("question"),
            let header = remaining.text("header"),
            let options = remaining.extract(
                "options", { value in value.array.flatMap { $0.all(Question.Option.init(openCode1:)) } })
        else { return nil }
        self.init(
            question: question, header: header, options: options, isMultiple: remaining.bool("multiple"),
            isCustom: remaining.bool("custom"), others: remaining)
    }

    var json: JSON {
        var object = JSONObject()
        object.add("question", question)
        object.add("header", header)
        object.add("options", .array(options.map(\.json)))
        object.add("multiple", isMultiple)
        object.add("custom", isCustom)
        object.add(others)
        return .object(object)
    }
}

extension Question.Option {
    init?(openCode1 json: JSON) {
        guard var remaining = json.object, let label = remaining.text("label"),
            let description = remaining.text("description")
        else {
            return nil
        }
        self.init(label: label, description: description, others: remaining)
    }

    var json: JSON {
        var object = JSONObject()
        object.add("label", label)
        object.add("description", description)
        object.add(others)
        return .object(object)
    }
}

extension Array {
    /// Returns the results of `transform` for all elements; nil if any result is nil.
    func all<Value>(_ transform: (Element) -> Value?) -> [Value]? {
        var values: [Value] = []
        for element in self {
            guard let value = transform(element) else { return nil }
            values.append(value)
        }
        return values
    }
}
