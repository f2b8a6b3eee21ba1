// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Client flow in OpenCode 2's API, section 10: scenarios", .onTestThreads)
struct Scenario2Tests {
    @Test func `an answer's text streams while it is generated (scenario 1)`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady()

        // Forty parts take at least four seconds, so that even a reader that is late on a busy machine sees them arrive
        // over time.
        #expect(try app.send("Hello [pieces=40 interval=100ms]", to: session) == 200)

        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
        let fragments = zip(events.events, events.times).filter { $0.0["type"] == "session.text.delta" }.map(\.1)
        let (first, last) = try (#require(fragments.first), #require(fragments.last))

        #expect(fragments.count > 10)
        #expect(last - first > .milliseconds(800), "the events must arrive one after the other")
    }

    @Test func `a session completes a turn after a provider's error (scenario 2)`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady(model: "unauthorized")

        #expect(try app.send("Hello", to: session) == 200)

        try events.next("session.execution.failed") { $0["sessionID"]?.text == session }
        let model = #"{"model":{"providerID":"simulator","id":"talk"}}"#

        #expect(try app.api("POST", "/api/session/\(session)/model", model).status == 204)
        #expect(try app.send("Hello again", to: session) == 200)

        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
    }

    @Test func `an aborted stream has no clean end, and the next stream works (scenario 3)`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady()
        try app.api("POST", "/simulator/misbehave", "cut-streams")
        while try events.stream.next() != nil {}
        let ending = events.stream.response.endingInNode20

        #expect(ending == .truncated || ending == .reset, "the app must see that it has to reconnect")

        let second = try app.openEvents()
        try second.next("server.connected")

        #expect(try app.send("Hello", to: session) == 200)

        try second.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
    }

    @Test func `a client that was offline during a turn finds its messages (scenario 3)`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady()
        events.connection.close()

        #expect(try app.send("Hello", to: session) == 200)
        #expect(try app.api("POST", "/api/experimental/session/\(session)/wait").status == 204)

        let second = try app.openEvents()
        try second.next("server.connected")

        #expect(try app.send("And now?", to: session) == 200)

        try second.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
        let types = try app.messages(of: session).compactMap { $0["type"]?.text }

        #expect(types.filter { $0 == "user" || $0 == "assistant" } == ["user", "assistant", "user", "assistant"])
    }

    @Test func `a wait request lasts as long as the turn`() throws {
        let app = try PhoneApp2()
        let (session, _) = try app.becomeReady()
        let start = ContinuousClock.now

        #expect(try app.send("Hello [silent=1500ms]", to: session) == 200)
        #expect(try app.api("POST", "/api/experimental/session/\(session)/wait").status == 204)
        #expect(.now - start >= .milliseconds(1_500))
    }
}

@Suite("Client flow in OpenCode 2's API: the contents of a turn besides text", .onTestThreads)
struct TurnFlow2Tests {
    @Test func `reasoning streams before the answer and separately from it`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady(model: "think")

        #expect(try app.send("Hello", to: session) == 200)

        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
        events.expectInOrder([
            FlowStep("thinking begins", "session.reasoning.started", of: session),
            FlowStep("the answer begins", "session.text.started", of: session),
            FlowStep("the turn ends", "session.execution.succeeded", of: session),
        ])

        #expect(events.drawnText(of: session, "session.reasoning.delta").hasPrefix("First I look"))
    }

    @Test func `a tool requests permission and runs after it is granted`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady(model: "tools")

        #expect(try app.send("Hello", to: session) == 200)

        let asked = try events.next("permission.asked") { $0["sessionID"]?.text == session }

        #expect(asked["action"]?.text == "shell")

        let id = try #require(asked["id"]?.text)
        // A phone that connects only now also finds the request for permission.
        let pending = try app.api("GET", "/api/permission/request").json["data"]?.elements

        #expect(pending?.map { $0["id"]?.text } == [id])

        let reply = "/api/session/\(session)/permission/\(id)/reply"

        #expect(try app.api("POST", reply, #"{"decision":"once"}"#).status == 204)
        // Two phones may answer. The second one is notified that it is too late.
        #expect(try app.api("POST", reply, #"{"decision":"once"}"#).status == 404)

        try events.next("permission.replied") { $0["requestID"]?.text == id }
        let done = try events.next("session.tool.success") { $0["sessionID"]?.text == session }

        #expect(done["content"]?.elements?.first?["text"]?.text == "one\ntwo\nthree\n")

        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }

        #expect(try app.api("GET", "/api/permission/request").json["data"] == [])
    }

    @Test func `a tool whose permission is rejected ends the turn`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady(model: "ask")

        #expect(try app.send("Hello", to: session) == 200)

        let id = try #require(try events.next("permission.asked")["id"]?.text)
        let reply = "/api/session/\(session)/permission/\(id)/reply"

        #expect(try app.api("POST", reply, #"{"decision":"reject"}"#).status == 204)

        try events.next("session.tool.failed") { $0["sessionID"]?.text == session }
        try events.next("session.execution.interrupted") { $0["sessionID"]?.text == session }
    }

    @Test func `a question is a form, and the turn continues after its reply`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady(model: "question")

        #expect(try app.send("Hello", to: session) == 200)

        let form = try #require(try events.next("form.created")["form"])

        #expect(form["sessionID"]?.text == session)

        let reply = "/api/session/\(session)/form/\(form["id"]?.text ?? "")/reply"

        #expect(try app.api("POST", reply, #"{"answer":{"q0":42}}"#).status == 400)
        #expect(try app.api("POST", reply, #"{"answer":{"q0":"Left"}}"#).status == 204)

        try events.next("form.replied") { $0["answer"]?["q0"]?.text == "Left" }
        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
    }

    @Test func `an interrupt stops the answer, and the session accepts the next message`() throws {
        let app = try PhoneApp2()
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello [pieces=3000 interval=20ms]", to: session) == 200)

        try events.next("session.text.delta") { $0["sessionID"]?.text == session }

        #expect(try app.api("POST", "/api/session/\(session)/interrupt").json["interrupted"] == true)

        try events.next("session.execution.interrupted") { $0["reason"]?.text == "user" }

        #expect(try app.send("Hello", to: session) == 200)

        try events.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
    }
}
