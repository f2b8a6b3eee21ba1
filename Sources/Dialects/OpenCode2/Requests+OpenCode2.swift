package import JSONText

extension Permission {
    /// Reads a request of OpenCode 2; nil where it is none. `input` is the call's, where it is known.
    package init?(openCode2 json: JSON, input: JSONObject? = nil) {
        guard let object = json.object, let id = object["id"]?.text, let sessionID = object["sessionID"]?.text,
            let action = object["action"]?.text
        else { return nil }
        var metadata = object["metadata"]?.object ?? JSONObject()
        if action == "shell", metadata["command"] == nil { metadata.add("command", input?["command"]) }
        var always: [String] = []
        for pattern in object["save"]?.array?.compactMap(\.text) ?? [] where !always.contains(pattern) {
            always.append(pattern)
        }
        self.init(
            id: id, sessionID: sessionID, permission: Names.openCode1(tool: action),
            patterns: object["resources"]?.array?.compactMap(\.text) ?? [], metadata: metadata, always: always,
            tool: object["source"].flatMap { ToolReference(openCode2: $0) })
    }
}

extension ToolReference {
    init?(openCode2 json: JSON) {
        guard let messageID = json["messageID"]?.text, let callID = json["id"]?.text else { return nil }
        self.init(messageID: MessageIDs.openCode1(messageID), callID: callID)
    }
}

/// A form of OpenCode 2 that asks a person questions.
package struct QuestionForm: Sendable, Equatable {
    /// OpenCode 2's id of it.
    package let id: String
    /// The session that asks.
    package let sessionID: String
    private let fields: [Field]
    private let tool: ToolReference?

    private struct Field: Sendable, Equatable {
        let key: String
        let isMultiple: Bool
        let item: Question.Item
        /// What stands for a label in an answer.
        let values: [(label: String, value: String)]

        static func == (one: Field, other: Field) -> Bool { one.key == other.key && one.item == other.item }
    }

    /// Nil where it is none, or asks for what OpenCode 1's questions cannot.
    package init?(_ json: JSON) {
        guard let id = json["id"]?.text, let sessionID = json["sessionID"]?.text,
            let fields = json["fields"]?.array?.all(Self.field), !fields.isEmpty
        else { return nil }
        (self.id, self.sessionID, self.fields) = (id, sessionID, fields)
        tool = json["metadata"]?["tool"].flatMap { ToolReference(openCode2: $0) }
    }

    private static func field(_ json: JSON) -> Field? {
        guard let key = json["key"]?.text, let type = json["type"]?.text, type == "string" || type == "multiselect"
        else { return nil }
        let options = json["options"]?.array ?? []
        let values = options.compactMap { option in
            option["label"]?.text.map { ($0, option["value"]?.text ?? $0) }
        }
        let title = json["title"]?.text ?? key
        // A field without options can only be answered in own words.
        let isCustom = json["custom"]?.bool ?? options.isEmpty
        return Field(
            key: key, isMultiple: type == "multiselect",
            item: Question.Item(
                question: json["description"]?.text ?? title, header: title,
                options: options.compactMap { option in
                    guard let label = option["label"]?.text else { return nil }
                    return Question.Option(label: label, description: option["description"]?.text ?? "")
                }, isMultiple: type == "multiselect" ? true : nil, isCustom: isCustom ? nil : false),
            values: values)
    }

    /// As OpenCode 1's.
    package var question: Question {
        Question(id: QuestionIDs.openCode1(id), sessionID: sessionID, items: fields.map(\.item), tool: tool)
    }

    /// The answer that OpenCode 2 wants of what OpenCode 1's clients answer: labels, a row a question. What is no label
    /// is an answer in own words. An empty row leaves the field out.
    package func answer(_ rows: [[String]]) -> JSON {
        var object = JSONObject()
        for (field, row) in zip(fields, rows) where !row.isEmpty {
            let values = row.map { label in field.values.first { $0.label == label }?.value ?? label }
            object.add(field.key, field.isMultiple ? .array(values.map(JSON.string)) : .string(values[0]))
        }
        return .object(object)
    }

    /// The rows of labels that an answer of OpenCode 2 stands for.
    package func rows(_ answer: JSON) -> [[String]] {
        fields.map { field in
            let value = answer[field.key]
            let values = value?.array?.compactMap(\.text) ?? value?.text.map { [$0] } ?? []
            return values.map { value in field.values.first { $0.value == value }?.label ?? value }
        }
    }

    /// The rows of an answer to a form that was not seen: its values in their order.
    static func rows(ofUnknown answer: JSON) -> [[String]] {
        (answer.object?.members ?? []).map { member in
            member.value.array?.compactMap(\.text) ?? member.value.text.map { [$0] } ?? []
        }
    }
}
