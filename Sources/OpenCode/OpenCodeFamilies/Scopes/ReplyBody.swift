// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The body of a reply to a permission request or a question. The gateway examines the body if the key's scope is below
/// `write`. Such a key may grant a permission once or reject the request, but may not grant a permission permanently.
package enum ReplyBody: Sendable, Equatable {
    /// The reply to a permission request, with the possible names of the member that contains the choice.
    case permission(ChoiceName)
    /// The reply to OpenCode 1's questions: `{"answers":[["Left"]]}`.
    case question
    /// The reply to an OpenCode 2 form: `{"answer":{"q0":"Left"}}`.
    case form
    /// The rejection of a question, which has no body.
    case rejection

    /// The name of the member that contains the choice, according to OpenCode's API documents.
    package enum ChoiceName: Sendable {
        /// `POST /session/{sessionID}/permissions/{permissionID}` of OpenCode 1.
        case response
        /// `POST /permission/{requestID}/reply` of OpenCode 1.1 and later.
        case reply
        /// `POST /api/session/{sessionID}/permission/{requestID}/reply`. The member is `reply` in 1.18 and `decision`
        /// in OpenCode 2.
        case replyOrDecision

        fileprivate var names: [String] {
            switch self {
            case .response: ["response"]
            case .reply: ["reply"]
            case .replyOrDecision: ["reply", "decision"]
            }
        }
    }

    /// The result of examining a body.
    package enum Judgement: Sendable, Equatable {
        case allowed
        /// The body grants a permission permanently. Such a grant changes the rules, and therefore needs the scope
        /// `write`.
        case needsWrite
        /// The body is not a valid reply, or different servers may find different replies in the body.
        case refused(Refusal)
    }

    /// The reason why a body is rejected.
    package enum Refusal: String, Sendable, CaseIterable {
        case isEncoded = "The body of a reply must not be compressed."
        case isNotJSON =
            "The body of a reply must be one JSON object in UTF-8, with the Content-Type application/json."
        case repeatsName = "The body of a reply must not contain a name twice."
        case hasNoChoice = "The body of a reply to a permission must contain one choice, \"once\" or \"reject\"."
        case hasUnknownMember =
            "The body of a reply must contain only the members that OpenCode's document describes."
        case isNotEmpty = "The rejection of a question must have no body."
    }

    /// The header fields of a request that determine how servers interpret the body.
    package struct Fields: Sendable {
        /// The value of Content-Type; nil if the field is absent. Multiple values are separated by commas.
        package var type: String?
        /// The value of Content-Encoding; nil if the field is absent.
        package var encoding: String?

        /// Creates the header fields of a request.
        package init(type: String?, encoding: String? = nil) {
            self.type = type
            self.encoding = encoding
        }
    }

    /// Returns the values of all members of a body that can contain the choice about a permission request. The result is
    /// empty if the body is not a JSON object in UTF-8.
    func permissionChoices(in body: [UInt8], _ name: ChoiceName) -> [String] {
        guard String(validating: body, as: UTF8.self) != nil, let object = JSONParser.parse(body)?.object else {
            return []
        }
        return object.members.filter { name.names.contains($0.name) }.map { $0.value.text ?? "" }
    }

    /// Returns the judgement of a request's complete body.
    package func judgement(of body: [UInt8], _ fields: Fields) -> Judgement {
        guard fields.encoding.map({ $0.lowercased() == "identity" }) ?? true else { return .refused(.isEncoded) }
        if self == .rejection, body.isEmpty { return .allowed }
        // A server that parses the same bytes as a form could find a different choice inside a JSON string. Accept only
        // JSON.
        guard Self.isJSON(fields.type), String(validating: body, as: UTF8.self) != nil,
            let json = JSONParser.parse(body), let object = json.object
        else { return .refused(.isNotJSON) }
        guard !json.repeatsName else { return .refused(.repeatsName) }
        switch self {
        case .permission(let choice): return Self.permission(object, choice.names)
        case .question: return Self.question(object)
        case .form: return Self.form(object)
        // Some SDKs send an empty object although OpenCode's API document describes no body.
        case .rejection: return object.isEmpty ? .allowed : .refused(.isNotEmpty)
        }
    }

    private static func permission(_ object: JSONObject, _ names: [String]) -> Judgement {
        let choices = object.members.filter { names.contains($0.name) }
        guard choices.count == 1, let choice = choices.first?.value.text else { return .refused(.hasNoChoice) }
        switch choice {
        case "once", "reject": break
        case "always": return .needsWrite
        default: return .refused(.hasNoChoice)
        }
        // A rejection may contain a message for the model. A message of `null` counts as no message (2.0.15).
        let others = object.members.filter { !names.contains($0.name) }
        let areKnown = others.allSatisfy { $0.name == "message" && ($0.value.text != nil || $0.value == .null) }
        return areKnown ? .allowed : .refused(.hasUnknownMember)
    }

    private static func question(_ object: JSONObject) -> Judgement {
        guard object.members.map(\.name) == ["answers"], let answers = object["answers"]?.array,
            answers.allSatisfy({ $0.array?.allSatisfy { $0.text != nil } ?? false })
        else { return .refused(.hasUnknownMember) }
        return .allowed
    }

    private static func form(_ object: JSONObject) -> Judgement {
        guard object.members.map(\.name) == ["answer"], let answer = object["answer"]?.object,
            answer.members.allSatisfy({ isFormValue($0.value) })
        else { return .refused(.hasUnknownMember) }
        return .allowed
    }

    /// Returns whether a form's field can have this value: a string, a number, a Boolean or a list of strings (2.0.15).
    private static func isFormValue(_ value: JSON) -> Bool {
        switch value {
        case .string, .brokenString, .number, .bool: true
        case .array(let elements): elements.allSatisfy { $0.text != nil }
        case .null, .object: false
        }
    }

    /// Returns whether a Content-Type is JSON in UTF-8. A missing type counts as JSON, because servers parse a body
    /// without a type as JSON.
    private static func isJSON(_ type: String?) -> Bool {
        guard let type else { return true }
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst().allSatisfy { ["charset=utf-8", "charset=\"utf-8\""].contains($0) }
    }
}

extension JSON {
    /// Whether an object in this value contains a name twice. Parsers disagree about the value of such a name.
    var repeatsName: Bool {
        switch self {
        case .object(let object):
            var names: Set<String> = []
            return object.members.contains { !names.insert($0.name).inserted || $0.value.repeatsName }
        case .array(let elements): return elements.contains(where: \.repeatsName)
        default: return false
        }
    }
}
