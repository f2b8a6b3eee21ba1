// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// Translates names and identifiers between OpenCode 2 and OpenCode 1.
package enum Names {
    private static let tools = ["shell": "bash", "subagent": "task", "patch": "apply_patch"]

    /// Returns OpenCode 1's name of a tool or of a permission's action.
    package static func openCode1(tool: String) -> String { tools[tool] ?? tool }

    /// Returns OpenCode 2's name of a tool or of a permission's action.
    package static func openCode2(tool: String) -> String { tools.first { $0.value == tool }?.key ?? tool }

    /// Returns a tool call's input with the member names that OpenCode 1's clients expect.
    ///
    /// - Parameter tool: OpenCode 2's name of the tool.
    static func input(_ input: JSONObject, of tool: String) -> JSONObject {
        switch tool {
        case "read", "write", "edit": renamed(input, from: "path", to: "filePath")
        case "subagent": renamed(input, from: "agent", to: "subagent_type")
        default: input
        }
    }

    private static func renamed(_ object: JSONObject, from old: String, to new: String) -> JSONObject {
        guard object[new] == nil else { return object }
        return JSONObject(object.members.map { JSONObject.Member($0.name == old ? new : $0.name, $0.value) })
    }
}

/// Translates message identifiers. OpenCode 1's clients sort messages by their ids as text.
package enum MessageIDs {
    /// The number of digits to which the number in a fork's message id is padded. Ten digits are sufficient for all
    /// event numbers that occur in practice.
    private static let digits = 10
    /// The suffix of the second id if one message of OpenCode 2 becomes two messages. In the order of ids, `-` precedes
    /// every character of an id. Therefore, no other id sorts between the ids of these two messages.
    private static let answer = "-answer"

    /// Returns the id for OpenCode 1's clients. In a fork, `msg_…_12` would not sort after `msg_…_7`, so the result
    /// contains the number padded with zeros. All other ids are unchanged.
    package static func openCode1(_ id: String) -> String {
        guard let (stem, number) = parts(id), number.utf8.count < digits else { return id }
        return stem + "_" + String(repeating: "0", count: digits - number.utf8.count) + number
    }

    /// Returns OpenCode 2's id for a result of ``openCode1(_:)`` or ``answer(to:)``.
    package static func openCode2(_ id: String) -> String {
        let id = id.hasSuffix(answer) ? String(id.dropLast(answer.count)) : id
        guard let (stem, number) = parts(id), number.utf8.count == digits else { return id }
        let short = number.drop { $0 == "0" }
        return stem + "_" + (short.isEmpty ? "0" : short)
    }

    /// Returns the id of the answer if one message of OpenCode 2 contains both a prompt and its answer.
    package static func answer(to id: String) -> String { id + answer }

    /// Returns the id of the message that an event creates.
    static func made(by event: String) -> String {
        openCode1(event.hasPrefix("evt_") ? "msg_" + event.dropFirst(4) : event)
    }

    /// Returns the parts before and after the last `_`, if the second part is a number and the `_` does not belong to
    /// `msg_`.
    private static func parts(_ id: String) -> (stem: Substring, number: Substring)? {
        guard let dash = id.lastIndex(of: "_"), id[..<dash].contains("_") else { return nil }
        let number = id[id.index(after: dash)...]
        guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return (id[..<dash], number)
    }
}

/// Creates part identifiers from a message's id and a part's position in the message. The identifiers are therefore
/// stable and sort in the order of the parts.
package enum PartIDs {
    /// The position of a part in its message.
    package enum Position: Sendable, Hashable {
        case stepStart
        /// The index among OpenCode 2's content items, counted from 0.
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

    /// Returns the id of a part.
    ///
    /// - Parameter message: OpenCode 1's id of the message.
    package static func make(_ message: String, _ position: Position) -> String {
        let stem = message.hasPrefix("msg_") ? message.dropFirst(4) : message[...]
        var id = Array("prt_\(stem)_".utf8)
        id.append(hexadecimal: UInt64(position.number), digits: 6)
        return String(decoding: id, as: UTF8.self)
    }
}

/// Translates question identifiers. OpenCode 2 represents questions as forms.
package enum QuestionIDs {
    /// Returns the question id of a form.
    package static func openCode1(_ form: String) -> String {
        form.hasPrefix("frm_") ? "que_" + form.dropFirst(4) : form
    }

    /// Returns the form id of a question.
    package static func openCode2(_ question: String) -> String {
        question.hasPrefix("que_") ? "frm_" + question.dropFirst(4) : question
    }
}
