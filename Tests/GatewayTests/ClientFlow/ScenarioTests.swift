// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Client flow, section 10: scenarios", .onTestThreads)
struct ScenarioTests {
    @Test(arguments: OpenCodeVersion.spoken)
    func `an answer's text streams while it is generated (scenario 1)`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        // Forty parts take at least four seconds, so that even a reader that is late on a busy machine sees them arrive
        // over time.
        #expect(try app.send("Hello [pieces=40 interval=100ms]", to: session) == 204)

        try events.readTurn(of: session, app.profile)
        let fragments = zip(events.events, events.times).filter { event, _ in
            event["type"] == "message.part.delta" || event["properties"]?["delta"] != nil
        }.map(\.1)

        // Whole texts arrive at most ten times a second.
        #expect(version.isTranslated ? fragments.count > 5 : fragments.count == 40)

        let (first, last) = try (#require(fragments.first), #require(fragments.last))

        #expect(last - first > .milliseconds(800), "the events must arrive one after the other")

        // The loading indicator starts with the message that has no end, and stops with the message that has an end.
        events.expectInOrder([
            FlowStep("loading", "message.updated") {
                $0["info"]?["role"] == "assistant" && $0["info"]?["time"]?["completed"] == nil
            },
            FlowStep("done", "message.updated") { $0["info"]?["time"]?["completed"] != nil },
        ])
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `a session completes a turn after a provider's error (scenario 2)`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello", to: session, model: "unauthorized") == 204)

        let error = try events.next("session.error")

        #expect(error["error"]?["data"]?["message"]?.text == "Method doesn't allow unregistered callers")

        try events.next("session.idle")
        if app.profile.turns.errorPrecedesMessage { try events.next("session.idle") }

        #expect(try app.api("GET", "/session/status").text == "{}")

        #expect(try app.send("Hello again", to: session) == 204)

        let message = try events.next("message.updated") {
            $0["info"]?["time"]?["completed"] != nil && $0["info"]?["finish"]?.text == "stop"
        }

        #expect(message["info"]?["error"] == nil)
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `an aborted stream has no clean end, and the next stream works (scenario 3)`(_ version: OpenCodeVersion) throws
    {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()
        try app.api("POST", "/simulator/misbehave", "cut-streams")
        while try events.stream.next() != nil {}
        let ending = events.stream.response.ending

        #expect(ending == .truncated || ending == .reset, "the app must see that it has to reconnect")

        let second = try app.openEvents()
        try second.next("server.connected")

        #expect(try app.send("Hello", to: session) == 204)

        try second.readTurn(of: session, app.profile)
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `a client that was offline during a turn finds its messages (scenario 3)`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()
        events.connection.close()
        let prompt = #"{"parts":[{"type":"text","text":"Hello"}]}"#

        #expect(try app.api("POST", "/session/\(session)/message", prompt).status == 200)

        let second = try app.openEvents()
        try second.next("server.connected")

        #expect(try app.send("And now?", to: session) == 204)

        // Events from the end of the previous turn may arrive late.
        try second.next("message.part.updated") { $0["part"]?["text"] == "And now?" }
        try second.next("message.updated") {
            $0["info"]?["role"] == "assistant" && $0["info"]?["time"]?["completed"] != nil
        }
        try second.next("session.idle")
        let messages = try app.api("GET", "/session/\(session)/message").json.elements ?? []

        #expect(messages.count == 4)
        #expect(messages.allSatisfy { $0["info"]?["role"] == "user" || $0["info"]?["finish"] == "stop" })
    }
}

@Suite("Client flow: the contents of a turn besides text", .onTestThreads)
struct TurnFlowTests {
    @Test(arguments: OpenCodeVersion.spoken)
    func `reasoning streams before the answer and separately from it`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello", to: session, model: "think") == 204)

        try events.readTurn(of: session, app.profile)
        events.expectInOrder([
            FlowStep("thinking begins", "message.part.updated") { $0["part"]?["type"] == "reasoning" },
            FlowStep("the answer begins", "message.part.updated") {
                $0["part"]?["type"] == "text" && $0["part"]?["time"] != nil && $0["part"]?["time"]?["end"] == nil
            },
            FlowStep("the turn ends", "session.idle"),
        ])
        let messages = try app.api("GET", "/session/\(session)/message").json.elements ?? []
        let types = messages.last?["parts"]?.elements?.compactMap { $0["type"]?.text }

        #expect(types == ["step-start", "reasoning", "text", "step-finish"])

        let id = messages.last?["info"]?["id"]?.text ?? ""

        #expect(events.shownText(of: id, type: "reasoning").hasPrefix("First I look"))
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `a tool requests permission and runs after it is granted`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        #expect(try app.send("tools", to: session) == 204)

        let asked = try events.next("permission.asked")

        #expect(asked["permission"]?.text == "bash")
        // A phone that connects only now also finds the request for permission.
        #expect(try app.api("GET", "/permission").json == .array([asked]))

        let path = "/session/\(session)/permissions/\(asked["id"]?.text ?? "")"

        #expect(try app.api("POST", path, #"{"response":"once"}"#).text == "true")

        let done = try events.next("message.part.updated") { $0["part"]?["state"]?["status"] == "completed" }

        #expect(done["part"]?["state"]?["output"]?.text == "one\ntwo\nthree\n")

        try events.readTurn(of: session, app.profile)

        #expect(try app.api("GET", "/permission").json == [])
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `a tool whose permission is rejected ends the turn`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        #expect(try app.send("tools", to: session) == 204)

        let asked = try events.next("permission.asked")
        let path = "/session/\(session)/permissions/\(asked["id"]?.text ?? "")"

        #expect(try app.api("POST", path, #"{"response":"reject"}"#).text == "true")

        try events.next("message.part.updated") { $0["part"]?["state"]?["status"] == "error" }
        try events.readTurn(of: session, app.profile)

        #expect(try app.api("GET", "/session/\(session)/message").json.elements?.count == 2)
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `an abort stops the answer, and the session accepts the next message`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello [pieces=3000 interval=20ms]", to: session) == 204)

        try events.next("message.part.updated") { $0["part"]?["type"] == "text" && $0["part"]?["time"] != nil }

        #expect(try app.api("POST", "/session/\(session)/abort").text == "true")

        let error = try events.next("session.error")

        #expect(error["error"]?["name"]?.text == "MessageAbortedError")

        try events.next("message.updated") { $0["info"]?["error"] != nil && $0["info"]?["time"]?["completed"] != nil }

        #expect(try app.api("GET", "/session/status").text == "{}")
        #expect(try app.send("Hello", to: session) == 204)

        try events.next("message.updated") { $0["info"]?["finish"]?.text == "stop" }
    }
}
