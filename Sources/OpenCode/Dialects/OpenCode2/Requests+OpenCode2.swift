// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Permission {
    /// Parses a permission request in OpenCode 2's format; nil if it is invalid.
    ///
    /// - Parameter input: The input of the tool call; nil if it is unknown.
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

/// An OpenCode 2 form that asks a user questions.
package struct QuestionForm: Sendable, Equatable {
    /// OpenCode 2's id of the form.
    package let id: String
    /// The id of the form's session.
    package let sessionID: String
    private let fields: [Field]
    private let tool: ToolReference?

    private struct Field: Sendable, Equatable {
        let key: String
        let isMultiple: Bool
        let item: Question.Item
        /// The values that represent the labels in an answer.
        let values: [(label: String, value: String)]

        static func == (one: Field, other: Field) -> Bool { one.key == other.key && one.item == other.item }
    }

    /// Parses a form; nil if it is invalid or has a field that OpenCode 1's questions do not support.
    package init?(_ json: JSON) {
        guard let id = json["id"]?.text, let sessionID = json["sessionID"]?.text,
            let fields = json["fields"]?.array?.all(Self.field), !fields.isEmpty
        else { return nil }
        self.id = id
        self.sessionID = sessionID
        self.fields = fields
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
        // A field without options accepts a free-text answer, even if the field does not contain `custom`.
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

    /// The form as a question of OpenCode 1.
    package var question: Question {
        Question(id: QuestionIDs.openCode1(id), sessionID: sessionID, items: fields.map(\.item), tool: tool)
    }

    /// Translates an OpenCode 1 client's answer to OpenCode 2's format. An OpenCode 1 answer contains one row of labels
    /// for each question. A text that is not a label is a free-text answer. An empty row omits the field.
    package func answer(_ rows: [[String]]) -> JSON {
        var object = JSONObject()
        for (field, row) in zip(fields, rows) where !row.isEmpty {
            let values = row.map { label in field.values.first { $0.label == label }?.value ?? label }
            object.add(field.key, field.isMultiple ? .array(values.map(JSON.string)) : .string(values[0]))
        }
        return .object(object)
    }

    /// Returns the rows of labels for an answer in OpenCode 2's format.
    package func rows(_ answer: JSON) -> [[String]] {
        fields.map { field in
            let value = answer[field.key]
            let values = value?.array?.compactMap(\.text) ?? value?.text.map { [$0] } ?? []
            return values.map { value in field.values.first { $0.value == value }?.label ?? value }
        }
    }

    /// Returns the rows for an answer to an unknown form. The rows are the answer's values in their order.
    static func rows(ofUnknown answer: JSON) -> [[String]] {
        (answer.object?.members ?? []).map { member in
            member.value.array?.compactMap(\.text) ?? member.value.text.map { [$0] } ?? []
        }
    }
}
