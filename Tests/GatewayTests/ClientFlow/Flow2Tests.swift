// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Client flow in OpenCode 2's API, sections 2 to 5", .onTestThreads)
struct Flow2Tests {
    @Test func `the initialization steps 1 to 4 succeed in order (section 2)`() throws {
        let app = try PhoneApp2()
        let started = try app.startOpenCode()

        #expect(started.status == 200)
        #expect(started.json["status"]?.text == "started")
        #expect(try app.startOpenCode().json["status"]?.text == "already_running")

        #expect(try app.api("GET", "/api/session").json["data"] == [])

        let created = try app.api("POST", "/api/session", "{}")

        #expect(created.status == 200)

        let id = try #require(created.json["data"]?["id"]?.text)

        #expect(id.hasPrefix("ses_"))

        let listed = try #require(try app.api("GET", "/api/session").json["data"]?.elements)

        #expect(listed.map { $0["id"]?.text } == [id])

        guard case .integer(let milliseconds)? = listed[0]["time"]?["created"] else { throw TestFailure("no time") }

        #expect(milliseconds > 1_600_000_000_000)

        let models = try #require(try app.api("GET", "/api/model").json["data"]?.elements)

        #expect(models.contains { $0["id"]?.text == "think" && $0["providerID"]?.text == "simulator" })

        let events = try app.openEvents()
        let head = try events.stream.response.readHead()

        #expect(head.status == 200)
        #expect(head.value(of: "Content-Type") == "text/event-stream")
        #expect(head.value(of: "X-Accel-Buffering") == "no")
        #expect(head.values(of: "Connection") == [])

        try events.readEvent()

        #expect(events.events[0]["type"]?.text == "server.connected")
        #expect(events.events[0]["data"] == [:])
    }

    @Test func `a message is answered before its turn ends, and events report the turn (section 3)`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady()
        let start = ContinuousClock.now

        // The turn takes much longer than the response to the request.
        #expect(try app.send("Hello [silent=4s]", to: session) == 200)
        #expect(ContinuousClock.now - start < .seconds(4))

        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
        let messages = try app.messages(of: session)
        let types = messages.compactMap { $0["type"]?.text }.filter { $0 == "user" || $0 == "assistant" }

        #expect(types == ["user", "assistant"])
    }

    @Test func `the text deltas add up to the stored message (section 3)`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello", to: session) == 200)

        let ended = try events.next("session.text.ended") { $0["sessionID"]?.text == session }
        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
        let text = try #require(ended["text"]?.text)

        #expect(events.drawnText(of: session) == text)

        let stored = try app.messages(of: session).first { $0["type"] == "assistant" }?["content"]?.elements

        #expect(stored?.first { $0["type"] == "text" }?["text"]?.text == text)
        #expect(text.contains("naïve café, 日本語, 🚀"))
    }

    @Test func `a successful turn sends the events of section 4 in order`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello", to: session) == 200)

        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
        events.expectInOrder([
            FlowStep("1", "server.connected"),
            FlowStep("2 and 3", "session.inbox.enqueued", of: session) {
                $0["item"]?["type"] == "user" && $0["item"]?["payload"]?["text"] == "Hello"
            },
            // The session is busy. No location names the session's directory.
            FlowStep("5", "session.execution.started", of: session),
            FlowStep("its message is taken up", "session.inbox.delivered", of: session),
            FlowStep("6", "session.step.started", of: session) { $0["assistantMessageID"] != nil },
            FlowStep("its text begins", "session.text.started", of: session),
            FlowStep("7", "session.text.delta", of: session) { $0["delta"]?.text?.isEmpty == false },
            FlowStep("8", "session.text.delta", of: session),
            FlowStep("its text ends", "session.text.ended", of: session),
            FlowStep("9", "session.step.ended", of: session) { $0["finish"] == "stop" && $0["tokens"] != nil },
            // The session is idle.
            FlowStep("12 and 13", "session.execution.succeeded", of: session),
        ])

        #expect(!events.events.contains { $0["type"]?.text?.hasSuffix(".failed") == true })
    }

    @Test func `a provider's error sends the events of section 5 in order`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady(model: "unauthorized")

        #expect(try app.send("Hello", to: session) == 200)

        try events.next("session.execution.failed") { $0["sessionID"]?.text == session }
        let isError = { (content: JSON) in
            content["error"]?["type"] == "provider.auth" && content["error"]?["status"] == 401
                && content["error"]?["message"]?.text == "Method doesn't allow unregistered callers"
        }
        events.expectInOrder([
            FlowStep("1", "server.connected"), FlowStep("2", "session.inbox.enqueued", of: session),
            FlowStep("5", "session.execution.started", of: session),
            FlowStep("6", "session.step.started", of: session),
            FlowStep("7 of section 5", "session.step.failed", of: session, where: isError),
            FlowStep("9", "session.execution.failed", of: session, where: isError),
        ])
    }
}
