// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// A client of OpenCode 1 that learns about a conversation from events only.
final class ScriptedPhone {
    let fixture: BridgeFixture
    let session: String
    let encoding: String
    private(set) var story = ReceivedConversation()
    private var stream: StreamClient
    /// The last id that it received on any of its streams.
    private var lastID: String?
    /// The number of events until it reconnects; nil if it stays connected.
    private var patience: Int?

    init(_ fixture: BridgeFixture, encoding: String) throws {
        (self.fixture, self.encoding) = (fixture, encoding)
        session = try fixture.session(#"{"title":"A talk"}"#)
        stream = try Self.open(fixture, encoding, after: nil)
        try stream.connected()
        // A client that has received no event has no position from which to resume.
        try rename("The beginning")
    }

    private func rename(_ title: String) throws {
        try fixture.request("PATCH", "/session/\(session)", #"{"title":"\#(title)"}"#)
        try receiveEvents { $0.type == "session.updated" && $0.content["properties"]?["info"]?["title"]?.text == title }
    }

    private static func open(_ fixture: BridgeFixture, _ encoding: String, after id: String?) throws -> StreamClient {
        try StreamClient(
            fixture.gateway, "/projects/demo/api/event?form=\(encoding)",
            headers: id.map { [("Last-Event-ID", $0)] } ?? [])
    }

    /// Performs all steps of the script and reads their events.
    func play(_ script: ConversationScript) throws {
        for (number, step) in script.steps.enumerated() {
            do {
                try play(step, "Step \(number)")
            } catch {
                let list = try ComparedConversation.ofOne(fixture.messages(session))
                throw TestFailure("\(script), step \(number): \(error)\n\(list.joined(separator: "\n"))")
            }
        }
        // All earlier events have arrived by then.
        try rename("The end")
    }

    private func play(_ step: ConversationScript.Step, _ text: String) throws {
        switch step {
        case .turn(let course, let reading):
            try receive(reading) {
                let answer = try fixture.request(
                    "POST", "/session/\(session)/message", BridgeFixture.prompt(text, model: course))
                try #require(answer.status == 200, "\(answer.text)")
            }
        case .permission(let reply, let reading):
            try receive(reading) {
                try send(text, "tools")
                let id = try pending("permission")
                let answer = try fixture.request("POST", "/permission/\(id)/reply", #"{"reply":"\#(reply)"}"#)
                #expect(answer.text == "true")
                try settle()
            }
        case .question(let label, let reading):
            try receive(reading) {
                try send(text, "question")
                let id = try pending("question")
                let answer =
                    try label.map { try fixture.request("POST", "/question/\(id)/reply", #"{"answers":[["\#($0)"]]}"#) }
                    ?? fixture.request("POST", "/question/\(id)/reject")
                #expect(answer.text == "true")
                try settle()
            }
        case .abort(let reading):
            try receive(reading) {
                // OpenCode 1 does not list a text that is still growing.
                let witness = try Self.open(fixture, "raw", after: nil)
                defer { witness.close() }
                try witness.connected()
                let before = try Set(fixture.messages(session).compactMap { $0["info"]?["id"]?.text })
                try send("\(text) [pieces=3000 interval=20ms]", "talk")
                // Events of the previous turn may still arrive, because the gateway receives them later than OpenCode's
                // response.
                while let frame = try witness.next() {
                    let message = frame.content["properties"]?["messageID"]?.text
                    if frame.type == "message.part.delta", let message, !before.contains(message) { break }
                }
                #expect(try fixture.request("POST", "/session/\(session)/abort").text == "true")
                try settle()
            }
        case .abortInQuestion(let reading):
            try receive(reading) {
                try send(text, "tools")
                _ = try pending("permission")
                #expect(try fixture.request("POST", "/session/\(session)/abort").text == "true")
                try settle()
            }
        case .more(let reading):
            try receive(reading) {
                try send("\(text) [silent=300ms]", "talk")
                // The ids sort by creation time, so this answer must exist before the next prompt.
                _ = try fixture.wait("/session/\(session)/message") { list in
                    list.elements?.last?["info"]?["role"] == "assistant"
                }
                try send("\(text), and more", "talk")
                try settle()
            }
        }
    }

    private func send(_ text: String, _ model: String) throws {
        let answer = try fixture.request(
            "POST", "/session/\(session)/prompt_async", BridgeFixture.prompt(text, model: model))
        try #require(answer.status == 204, "\(answer.text)")
    }

    /// Returns the id of the request that the session waits for.
    private func pending(_ kind: String) throws -> String {
        let list = try fixture.wait("/\(kind)") { list in
            list.elements?.contains { $0["sessionID"]?.text == session } == true
        }
        return try #require(list.elements?.first { $0["sessionID"]?.text == session }?["id"]?.text)
    }

    /// Waits until the list shows the last prompt as answered and nothing is running.
    private func settle() throws {
        _ = try fixture.wait("/session/\(session)/message") { list in
            list.elements?.last?["info"]?["role"] == "assistant"
                && list.elements?.last?["info"]?["time"]?["completed"] != nil
        }
        _ = try fixture.wait("/session/status") { $0[session] == nil }
    }

    // MARK: Events

    /// Runs `body` and reads the events as the script requires.
    private func receive(_ reading: ConversationScript.Reading, _ body: () throws -> Void) throws {
        switch reading {
        case .steady: try body()
        case .reconnecting(let count):
            try body()
            patience = count
        case .asleep:
            stream.close()
            try body()
            try reconnect()
        }
    }

    private func reconnect() throws {
        stream.close()
        stream = try Self.open(fixture, encoding, after: lastID)
    }

    /// Reads events up to the first one that meets the condition.
    private func receiveEvents(until isLast: (StreamFrame) -> Bool) throws {
        while true {
            if let count = patience {
                patience = count > 0 ? count - 1 : nil
                if count == 0 { try reconnect() }
            }
            guard let frame = try stream.next() else { throw TestFailure("the stream ended") }
            lastID = frame.id ?? lastID
            guard frame.gap == nil else { throw TestFailure("a gap: \(frame)") }
            story.apply(frame.content, session)
            if isLast(frame) { return }
        }
    }
}
