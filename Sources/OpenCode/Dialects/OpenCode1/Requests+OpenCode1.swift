// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Permission {
    /// Parses a permission request in the form of OpenCode 1.0 or of later versions; nil if the JSON has neither form.
    package init?(openCode1 json: JSON) {
        guard var rest = json.object, let id = rest.text("id"), let sessionID = rest.text("sessionID") else {
            return nil
        }
        if let permission = rest.text("permission") {
            guard let patterns = rest.texts("patterns"), let metadata = rest.object("metadata"),
                let always = rest.texts("always")
            else { return nil }
            self.init(
                id: id, sessionID: sessionID, permission: permission, patterns: patterns, metadata: metadata,
                always: always, tool: rest.extract("tool") { ToolReference(openCode1: $0) }, others: rest)
        } else {
            guard let type = rest.text("type"), let messageID = rest.text("messageID"), let title = rest.text("title"),
                let metadata = rest.object("metadata"), let time = rest.object("time"),
                let created = time["created"]?.number, time.members.count == 1
            else { return nil }
            let patterns = rest.texts("pattern") ?? rest.text("pattern").map { [$0] } ?? []
            let tool = ToolReference(messageID: messageID, callID: rest.text("callID") ?? "")
            self.init(
                id: id, sessionID: sessionID, permission: type, patterns: patterns, metadata: metadata, always: [],
                tool: tool, created: created, title: title, others: rest)
        }
    }

    /// The request as JSON in the form of 1.18.33.
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

    /// Returns the request in the form of 1.0.223; nil if its call, which this version requires, is unknown.
    ///
    /// - Parameter asked: The time of the request, in milliseconds since 1970.
    package func firstJSON(asked: Number) -> JSON? {
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
        object.add("time", ["created": .number(created ?? asked)])
        object.add(others)
        return .object(object)
    }
}

extension ToolReference {
    init?(openCode1 json: JSON) {
        guard var rest = json.object, let messageID = rest.text("messageID"), let callID = rest.text("callID") else {
            return nil
        }
        self.init(messageID: messageID, callID: callID)
        others = rest
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
        guard var rest = json.object, let id = rest.text("id"), let sessionID = rest.text("sessionID"),
            let items = rest.extract("questions", { value in value.array.flatMap { $0.all(Item.init(openCode1:)) } })
        else { return nil }
        let tool = rest.extract("tool") { ToolReference(openCode1: $0) }
        self.init(id: id, sessionID: sessionID, items: items, tool: tool, others: rest)
    }

    /// The request as JSON in the form of 1.18.33.
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
        guard var rest = json.object, let question = rest.text("question"), let header = rest.text("header"),
            let options = rest.extract(
                "options", { value in value.array.flatMap { $0.all(Question.Option.init(openCode1:)) } })
        else { return nil }
        self.init(
            question: question, header: header, options: options, isMultiple: rest.bool("multiple"),
            isCustom: rest.bool("custom"), others: rest)
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
        guard var rest = json.object, let label = rest.text("label"), let description = rest.text("description") else {
            return nil
        }
        self.init(label: label, description: description, others: rest)
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
    /// Returns the results of `form` for all elements; nil if any result is nil.
    func all<Value>(_ form: (Element) -> Value?) -> [Value]? {
        var values: [Value] = []
        for element in self {
            guard let value = form(element) else { return nil }
            values.append(value)
        }
        return values
    }
}
