internal import JSONText
internal import TextCoding

/// OpenCode 2's names and identifiers, and what OpenCode 1 calls the same things.
package enum Names {
    private static let tools = ["shell": "bash", "subagent": "task", "patch": "apply_patch"]

    /// OpenCode 1's name of a tool or of a permission's action.
    package static func openCode1(tool: String) -> String { tools[tool] ?? tool }

    /// OpenCode 2's.
    package static func openCode2(tool: String) -> String { tools.first { $0.value == tool }?.key ?? tool }

    /// A call's input with the members' names that OpenCode 1's clients draw. `tool` is OpenCode 2's name.
    static func input(_ input: JSONObject, of tool: String) -> JSONObject {
        switch tool {
        case "read", "write", "edit": renamed(input, "path", "filePath")
        case "subagent": renamed(input, "agent", "subagent_type")
        default: input
        }
    }

    private static func renamed(_ object: JSONObject, _ old: String, _ new: String) -> JSONObject {
        guard object[new] == nil else { return object }
        return JSONObject(object.members.map { JSONObject.Member($0.name == old ? new : $0.name, $0.value) })
    }
}

/// Message identifiers. OpenCode 1's clients sort messages by them as texts.
package enum MessageIDs {
    /// Digits of a place in a fork: enough for as many messages as an event's number can count in practice.
    private static let places = 10
    /// Stands behind the id of the second of two messages that are one in OpenCode 2: `-` sorts before all that an id
    /// is made of, so nothing comes between the two.
    private static let answer = "-answer"

    /// The id for OpenCode 1's clients. A fork's `msg_…_12` does not sort behind `msg_…_7`: its number gets zeros in
    /// front. All others stay.
    package static func openCode1(_ id: String) -> String {
        guard let (stem, number) = parts(id), number.utf8.count < places else { return id }
        return stem + "_" + String(repeating: "0", count: places - number.utf8.count) + number
    }

    /// The id that OpenCode 2 knows, of what ``openCode1(_:)`` and ``answer(to:)`` have made.
    package static func openCode2(_ id: String) -> String {
        let id = id.hasSuffix(answer) ? String(id.dropLast(answer.count)) : id
        guard let (stem, number) = parts(id), number.utf8.count == places else { return id }
        let short = number.drop { $0 == "0" }
        return stem + "_" + (short.isEmpty ? "0" : short)
    }

    /// The id of the answer where OpenCode 2 has one message for a question and its answer.
    package static func answer(to id: String) -> String { id + answer }

    /// The message that an event makes.
    static func made(by event: String) -> String {
        openCode1(event.hasPrefix("evt_") ? "msg_" + event.dropFirst(4) : event)
    }

    /// What stands before and behind the last `_`, where that is a number and not the id's own `msg_`.
    private static func parts(_ id: String) -> (stem: Substring, number: Substring)? {
        guard let dash = id.lastIndex(of: "_"), id[..<dash].contains("_") else { return nil }
        let number = id[id.index(after: dash)...]
        guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return (id[..<dash], number)
    }
}

/// Part identifiers, made from the message's id and the part's place in it, so that they are the same at every read and
/// sort in order.
package enum PartIDs {
    /// Where a part stands in its message.
    package enum Place: Sendable, Hashable {
        case stepStart
        /// Of OpenCode 2's contents, from 0 on.
        case content(Int)
        case stepFinish
        case patch

        fileprivate var number: Int {
            switch self {
            case .stepStart: 0
            case .content(let index): index + 1
            case .stepFinish: 0xFFFFFE
            case .patch: 0xFFFFFF
            }
        }
    }

    /// The id; `message` is OpenCode 1's.
    package static func make(_ message: String, _ place: Place) -> String {
        let stem = message.hasPrefix("msg_") ? message.dropFirst(4) : message[...]
        var id = Array("prt_\(stem)_".utf8)
        id.append(hexadecimal: UInt64(place.number), digits: 6)
        return String(decoding: id, as: UTF8.self)
    }
}

/// Question identifiers: OpenCode 2's questions are forms.
package enum QuestionIDs {
    /// A form's id as a question's.
    package static func openCode1(_ form: String) -> String {
        form.hasPrefix("frm_") ? "que_" + form.dropFirst(4) : form
    }

    /// A question's id as its form's.
    package static func openCode2(_ question: String) -> String {
        question.hasPrefix("que_") ? "frm_" + question.dropFirst(4) : question
    }
}
