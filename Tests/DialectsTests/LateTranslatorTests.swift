// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests that a translator emits the same events if it learns about a session late, from lists that are newer than the
/// event that requires them.
@Suite struct LateTranslatorTests {
    static let turns = ["talk", "think", "medium", "edit", "tools-allowed-once", "tools-rejected", "question", "steer"]

    @Test(arguments: turns) func `a translator that starts in the middle of a turn emits the same remaining events`(
        name: String
    ) throws {
        let events = try Fixtures.turn("2.0.15", name)
        let lists = try LateLists(events)
        var whole = StreamTranslator(Turns.instanceDefaults)
        let about = events.map(lists.isAbout)
        let expected = zip(events, about).map { $1 ? Self.frames($0, &whole) : [] }
        // Start after the beginning of the session itself.
        let first = try #require(about.firstIndex(of: true)) + 1
        // The end of a text is emitted with the next event. A translator that begins in between emits only the next
        // event.
        let end = events.firstIndex { Self.ends.contains(JSONParser.parse($0)?["type"]?.text ?? "") } ?? events.count

        for begin in first..<end where about[begin] {
            var late = StreamTranslator(Turns.instanceDefaults)
            for index in begin..<events.count where about[index] {
                // Some events do not require the session's state.
                var asked = late
                if case .needs = asked.translate(events[index]) {
                    #expect(late.count == 0)
                    late.restore(
                        session: lists.session, messages: lists.messages, inbox: [], isRunning: false,
                        before: events[index])
                }
                let reported = Self.frames(events[index], &late)
                #expect(reported == expected[index], "begun at \(begin), event \(index) of \(name)")
                guard reported == expected[index] else { return }
            }
        }
    }

    private static let ends = ["session.text.ended", "session.reasoning.ended", "session.step.failed"]

    /// Returns the translation of an event without the session itself, whose state is newer if the translator learns it
    /// later. A list does not show when a text began, or whether it had a first delta at that time. Therefore it also
    /// does not show whether a reasoning text ends with the answer text.
    private static func frames(_ event: [UInt8], _ translator: inout StreamTranslator) -> [String] {
        guard case .frames(let frames) = translator.translate(event) else { return ["needs"] }
        let isPiece = JSONParser.parse(event)?["type"] == "session.text.delta"
        return frames.compactMap { $0.bytes() }.map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.contains(#""type":"session.updated""#) && !$0.contains(#""text":"","time""#) }
            .filter { !isPiece || !$0.contains(#""type":"reasoning""#) }.map(Self.withoutNumber)
    }

    /// Removes the number of an event that shares its id with others, and the start time of a text.
    private static func withoutNumber(_ frame: String) -> String {
        frame.replacing(/"time":\{"start":\d+,/, with: "\"time\":{").replacing(/"id":"(evt_[A-Za-z0-9]+)(-\d+)?"/) {
            "\"id\":\"\($0.1)\""
        }
    }
}

/// OpenCode 2's lists for a recorded session, after the end of the recording.
private struct LateLists {
    private(set) var session = JSON.null
    private(set) var messages: [JSON] = []
    private var id = ""

    init(_ events: [[UInt8]]) throws {
        var prompts: [String: JSON] = [:]
        for event in events.compactMap(JSONParser.parse) {
            guard let data = event["data"]?.object else { continue }
            if event["type"]?.text == "session.created", id.isEmpty { startMessage(event, data) }
            guard data["sessionID"]?.text == id, let created = event["created"] else { continue }
            switch event["type"]?.text {
            case "session.inbox.enqueued": prompts[data["inboxID"]?.text ?? ""] = data["item"]?["payload"]
            case "session.inbox.delivered":
                guard let prompt = data["inboxID"]?.text, let payload = prompts[prompt]?.object else { continue }
                var message = JSONObject()
                message["id"] = .string(prompt)
                message["type"] = "user"
                message["time"] = ["created": created]
                message.add(payload)
                messages.append(.object(message))
            case "session.agent.selected": set("agent", data["agent"])
            case "session.model.selected": set("model", data["model"])
            default: apply(event["type"]?.text ?? "", data, created)
            }
        }
    }

    func isAbout(_ event: [UInt8]) -> Bool {
        let data = JSONParser.parse(event)?["data"]
        return (data?["sessionID"]?.text ?? data?["form"]?["sessionID"]?.text) == id
    }

    private mutating func startMessage(_ event: JSON, _ data: JSONObject) {
        id = data["sessionID"]?.text ?? ""
        var object = data
        object["sessionID"] = nil
        object["id"] = .string(id)
        object["time"] = ["created": event["created"] ?? .null, "updated": event["created"] ?? .null]
        session = .object(object)
    }

    private mutating func set(_ name: String, _ value: JSON?) {
        guard var object = session.object else { return }
        object[name] = value
        session = .object(object)
    }

    private mutating func apply(_ type: String, _ data: JSONObject, _ created: JSON) {
        if type == "session.step.started" {
            set("agent", data["agent"])
            set("model", data["model"])
            var message = JSONObject()
            message["id"] = data["assistantMessageID"]
            message["type"] = "assistant"
            message["agent"] = data["agent"]
            message["model"] = data["model"]
            message["time"] = ["created": data["started"] ?? created]
            message["content"] = []
            if let snapshot = data["snapshot"] { message["snapshot"] = ["start": snapshot] }
            return messages.append(.object(message))
        }
        guard let id = data["assistantMessageID"], let index = messages.firstIndex(where: { $0["id"] == id }),
            var message = messages[index].object
        else { return }
        var content = message["content"]?.array ?? []
        switch type {
        case "session.text.started", "session.reasoning.started":
            content.append(["type": type == "session.text.started" ? "text" : "reasoning", "text": "some"])
        case "session.tool.input.started":
            content.append([
                "type": "tool", "id": data["id"] ?? .null, "name": data["name"] ?? .null, "time": ["created": created],
                "state": [:],
            ])
        case "session.tool.called", "session.tool.success", "session.tool.failed":
            guard let toolIndex = content.firstIndex(where: { $0["id"] == data["id"] }),
                var tool = content[toolIndex].object,
                var time = tool["time"]?.object, var state = tool["state"]?.object
            else { return }
            time[type == "session.tool.called" ? "ran" : "completed"] = created
            if let input = data["input"] { state["input"] = input }
            if let error = data["error"] { state["error"] = error }
            tool["time"] = .object(time)
            tool["state"] = .object(state)
            content[toolIndex] = .object(tool)
        case "session.step.ended", "session.step.failed":
            message["time"] = ["created": message["time"]?["created"] ?? .null, "completed": created]
            message["error"] = data["error"]
        default: break
        }
        message["content"] = .array(content)
        messages[index] = .object(message)
    }
}
