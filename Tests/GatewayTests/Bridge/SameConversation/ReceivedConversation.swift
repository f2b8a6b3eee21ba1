// SPDX-License-Identifier: Apache-2.0

@testable import opencode_simulator

/// A conversation assembled from events of OpenCode 1.
struct ReceivedConversation {
    /// The messages and parts by their ids, in their order.
    private var infos: [String: JSON] = [:]
    private var parts: [String: [String: JSON]] = [:]

    /// Applies one event to the conversation.
    mutating func apply(_ event: JSON, _ session: String) {
        guard let properties = event["properties"] else { return }
        switch event["type"]?.text {
        case "message.updated":
            guard let info = properties["info"], info["sessionID"]?.text == session, let id = info["id"]?.text else {
                return
            }
            infos[id] = info
        case "message.removed":
            guard let id = properties["messageID"]?.text else { return }
            infos[id] = nil
            parts[id] = nil
        case "message.part.updated":
            guard let part = properties["part"], part["sessionID"]?.text == session, let id = part["id"]?.text,
                let message = part["messageID"]?.text
            else { return }
            parts[message, default: [:]][id] = part
        case "message.part.removed":
            guard let message = properties["messageID"]?.text, let id = properties["partID"]?.text else { return }
            parts[message]?[id] = nil
        case "message.part.delta":
            guard let message = properties["messageID"]?.text, let id = properties["partID"]?.text,
                let field = properties["field"]?.text, let delta = properties["delta"]?.text,
                let part = parts[message]?[id]
            else { return }
            parts[message]?[id] = part.replacing(field, with: .string((part[field]?.text ?? "") + delta))
        default: break
        }
    }

    /// The messages with their parts, in the format of a list.
    var messages: [JSON] {
        infos.keys.sorted().map { id in
            let own = parts[id] ?? [:]
            return ["info": infos[id] ?? .null, "parts": .array(own.keys.sorted().compactMap { own[$0] })]
        }
    }
}

/// The content of a conversation that the tests compare.
enum ComparedConversation {
    /// Returns the content with ids, to compare two representations from one server.
    static func ofOne(_ messages: [JSON]) -> [String] {
        messages.flatMap { message in
            let info = message["info"] ?? .null
            let head = [info["id"], info["role"], info["parentID"], info["finish"], info["error"]?["name"]]
            return [line(head)]
                + (message["parts"]?.elements ?? []).map { part in
                    "  " + line([part["id"], part["messageID"]]) + " " + content(part)
                }
        }
    }

    /// Returns the content without ids, to compare two servers. The simulator of OpenCode 1 also reports a patch when a
    /// file is written again with the same content.
    static func ofTwo(_ messages: [JSON]) -> [String] {
        messages.flatMap { message in
            let parts = (message["parts"]?.elements ?? []).filter { $0["type"] != "patch" }
            let info = message["info"] ?? .null
            let isStopped = info["error"]?["name"] == "MessageAbortedError"
            let head = [info["role"], info["finish"], info["error"]?["name"]]
            return [line(head)]
                + parts.map { part in
                    var part = part
                    // The length of the text at the moment of the abort is not deterministic.
                    if isStopped, part["type"] == "text" { part = part.replacing("text", with: "stopped") }
                    if let state = part["state"] { part = part.replacing("state", with: folded(state, part["tool"])) }
                    return "  " + content(part)
                }
        }
    }

    /// Returns the state of a tool without the members that only one of the two versions has.
    private static func folded(_ state: JSON, _ tool: JSON?) -> JSON {
        var state = state
        // Each version words the output of a tool for the model differently, except the output of a command.
        if tool != "bash" { state = state.replacing("output", with: "told") }
        if state["error"] != nil { state = state.replacing("error", with: "told") }
        // The scripted model sends a description to the older version only (``RecordedTurnTests/without``).
        if let input = state["input"] {
            state = state.replacing("input", with: input.replacing("description", with: ""))
        }
        return state
    }

    private static func content(_ part: JSON) -> String {
        let state = part["state"]
        return line([
            part["type"], part["text"], part["tool"], state?["status"], state?["input"], state?["output"],
            state?["error"], part["reason"],
        ])
    }

    private static func line(_ values: [JSON?]) -> String {
        values.map { $0.map { $0.text ?? $0.encoded } ?? "-" }.joined(separator: " | ")
    }
}

extension JSON {
    /// Returns the object with another value for a member. A missing member is added.
    fileprivate func replacing(_ name: String, with value: JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        var remainder = members.filter { $0.name != name }.map { ($0.name, $0.value) }
        remainder.append((name, value))
        return JSON.object([]).adding(remainder)
    }
}
