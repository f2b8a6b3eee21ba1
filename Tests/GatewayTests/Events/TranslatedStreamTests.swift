import TestKit
import Testing

@testable import opencode_twin

/// OpenCode 1's streams in front of an OpenCode 2: the hub tells what that says in OpenCode 1's words.
@Suite struct TranslatedStreamTests {
    /// The events up to one; heartbeats left out.
    static func read(_ client: StreamClient, until isLast: (StreamFrame) -> Bool = { $0.type == "session.idle" }) throws
        -> [StreamFrame]
    {
        var frames: [StreamFrame] = []
        while let frame = try client.nextEvent() {
            if frame.type == "server.heartbeat" { continue }
            frames.append(frame)
            if isLast(frame) { return frames }
        }
        throw TestFailure("the stream ended after \(frames.map { $0.type ?? "" })")
    }

    /// A started project, and a session of it.
    static func begin(flags: [String: String] = [:]) throws -> (app: PhoneApp2, session: String) {
        let app = try PhoneApp2(environment: flags)
        #expect(try app.startOpenCode().status == 200)
        return (app, try app.createSession())
    }

    static func open(_ app: PhoneApp2, _ path: String, behind id: String? = nil) throws -> StreamClient {
        let client = try StreamClient(
            app.gateway, "/projects/demo/api\(path)", headers: id.map { [("Last-Event-ID", $0)] } ?? [])
        try client.connected()
        return client
    }

    @Test func aTurnIsToldInOpenCode1sWords() throws {
        let (app, session) = try Self.begin()
        let client = try Self.open(app, "/event")
        #expect(try app.send("Hello", to: session) == 200)
        let frames = try Self.read(client)
        let types = Set(frames.compactMap(\.type))
        #expect(
            types == [
                "message.updated", "message.part.updated", "message.part.delta", "session.status", "session.updated",
                "session.diff", "session.idle",
            ])
        #expect(frames.allSatisfy { $0.content["properties"]?["sessionID"]?.text == session && $0.id != nil })
        let text = try #require(
            try app.messages(of: session).first { $0["type"] == "assistant" }?["content"]?.elements?
                .first { $0["type"] == "text" }?["text"]?.text)
        let drawn = frames.filter { $0.type == "message.part.delta" }
            .compactMap { $0.content["properties"]?["delta"]?.text }.joined()
        #expect(drawn == text)
    }

    @Test func aFrameOfEverythingNamesItsDirectory() throws {
        let (app, session) = try Self.begin()
        let (here, everything) = try (Self.open(app, "/event"), Self.open(app, "/global/event"))
        #expect(try app.send("Hello", to: session) == 200)
        let (plain, wrapped) = try (Self.read(here), Self.read(everything))
        #expect(plain.map(\.id) == wrapped.map(\.id))
        #expect(
            wrapped.map(\.data)
                == plain.map { "{\"directory\":\"\(app.gateway.home.path)/demo\",\"payload\":\($0.data ?? "")}" })
    }

    @Test(arguments: ["/event", "/global/event", "/event?form=full", "/event?form=delta"])
    func aPhoneThatSleptGetsWhatItMissedAndNothingTwice(path: String) throws {
        let (app, session) = try Self.begin()
        let (witness, phone) = try (Self.open(app, path), Self.open(app, path))
        #expect(try app.send("Hello [pieces=20 interval=20ms]", to: session) == 200)
        var seen = try Self.read(phone) {
            $0.type?.hasPrefix("message.part.") == true && $0.data?.contains("twin") == true
        }
        phone.close()
        let all = try Self.read(witness)
        let again = try Self.open(app, path, behind: phone.lastID)
        seen += try Self.read(again)
        #expect(seen.map(\.id) == all.map(\.id))
        #expect(seen.map(\.data) == all.map(\.data))
        #expect(all.allSatisfy { $0.id?.contains(".") == true && $0.gap == nil })
    }

    @Test func whoResumesAtEachFrameGetsExactlyTheRest() throws {
        let (app, session) = try Self.begin()
        let witness = try Self.open(app, "/event")
        #expect(try app.send("Hello", to: session) == 200)
        let all = try Self.read(witness)
        for (index, frame) in all.enumerated().dropLast() {
            let again = try Self.open(app, "/event", behind: frame.id)
            #expect(try Self.read(again).map(\.data) == all[(index + 1)...].map(\.data))
            again.close()
        }
    }

    @Test func whoBeginsNowIsNotToldWhatWasSaidBefore() throws {
        let (app, session) = try Self.begin()
        let first = try Self.open(app, "/event")
        #expect(try app.send("Hello", to: session) == 200)
        let last = try Self.read(first)
        let second = try Self.open(app, "/event")
        #expect(try app.send("Again", to: session) == 200)
        let (after, again) = try (Self.read(second), Self.read(first))
        #expect(after.map(\.id) == again.suffix(after.count).map(\.id))
        #expect(Set(after.compactMap(\.id)).isDisjoint(with: last.compactMap(\.id)))
    }

    @Test func theSessionFromBeforeTheGatewayIsAskedFor() throws {
        let (app, session) = try Self.begin()
        let client = try Self.open(app, "/event")
        #expect(try app.send("Hello", to: session) == 200)
        _ = try Self.read(client)
        // The run's stream begins anew behind a gap: what was known counts no more.
        try app.api("POST", "/twin/misbehave", "cut-streams")
        while try client.next() != nil {}
        let next = try Self.open(app, "/event")
        #expect(try app.send("And now?", to: session) == 200)
        let frames = try Self.read(next)
        let prompt = try #require(frames.first { $0.type == "message.updated" }?.content["properties"]?["info"])
        #expect(prompt["role"] == "user" && prompt["sessionID"]?.text == session)
        let answer = frames.compactMap { $0.content["properties"]?["info"] }.first { $0["role"] == "assistant" }
        #expect(answer?["parentID"] == prompt["id"] && answer?["path"]?["cwd"]?.text == "\(app.gateway.home.path)/demo")
        #expect(frames.contains { $0.type == "message.part.delta" })
    }

    @Test func aReloadEndsTheDirectorysStreamInOrder() throws {
        let (app, _) = try Self.begin()
        let (here, everything) = try (Self.open(app, "/event"), Self.open(app, "/global/event"))
        let folder = "\(app.gateway.home.path)/demo"
        #expect(try app.api("POST", "/api/location/reload", "{}").status == 204)
        let last = try #require(try Self.read(here) { $0.type == "server.instance.disposed" }.last)
        #expect(last.content["properties"]?["directory"]?.text == folder)
        #expect(try here.readToEnd() == .complete)
        _ = try Self.read(everything) { $0.type == "server.instance.disposed" }
        let session = try app.createSession()
        #expect(try app.send("Hello", to: session) == 200)
        _ = try Self.read(everything)
    }

    @Test func anotherDirectorysEventsAreNotOnItsStream() throws {
        let (app, session) = try Self.begin()
        let sub = try app.gateway.home.makeDirectory("demo/sub")
        let (own, other) = try (Self.open(app, "/event"), Self.open(app, "/event?directory=\(sub)"))
        let body = #"{"model":{"providerID":"twin","id":"talk"},"location":{"directory":"\#(sub)"}}"#
        let second = try #require(try app.api("POST", "/api/session", body).json["data"]?["id"]?.text)
        #expect(try app.send("Hello", to: second) == 200)
        #expect(try app.send("Hello", to: session) == 200)
        for (client, id) in [(own, session), (other, second)] {
            let frames = try Self.read(client)
            #expect(frames.allSatisfy { $0.content["properties"]?["sessionID"]?.text ?? id == id })
        }
        let outside = try app.gateway.home.makeDirectory("else")
        #expect(try app.gateway.request("GET", "/projects/demo/api/event?directory=\(outside)").status == 403)
    }

    @Test func theProjectsOwnStreamIsToldSoOnRequest() throws {
        let (app, session) = try Self.begin()
        let (own, here) = try (StreamClient(app.gateway, "/projects/demo/events?speak=1"), Self.open(app, "/event"))
        _ = try own.next()
        #expect(try app.send("Hello", to: session) == 200)
        let (told, expected) = try (Self.read(own), Self.read(here))
        #expect(told.map(\.id) == expected.map(\.id) && told.map(\.content) == expected.map(\.content))
        let refused = try app.gateway.request("GET", "/projects/demo/events?speak=3")
        #expect(refused.status == 400 && refused.text.contains("speak=3 is unknown: say speak=1"))
        #expect(try app.gateway.request("GET", "/events?speak=1").status == 400)
    }

    @Test func openCode2sOwnStreamStaysAsItIs() throws {
        let (app, session) = try Self.begin()
        let client = try Self.open(app, "/api/event")
        #expect(try app.send("Hello", to: session) == 200)
        let frames = try Self.read(client) { $0.type == "session.execution.succeeded" }
        #expect(frames.allSatisfy { $0.content["properties"] == nil && $0.id?.contains(".") == false })
    }

    @Test func theInstancesOwnStreamCanNotBeHad() throws {
        let (app, _) = try Self.begin()
        let answer = try app.gateway.request("GET", "/projects/demo/api/event?hub=0")
        #expect(answer.status == 400 && answer.text.contains("hub=0 can't be had here"))
        let page = try app.gateway.request("GET", "/projects/demo/api/event", headers: [("Accept", "text/html")])
        #expect(page.value(of: "Content-Type") != "text/event-stream")
    }

    @Test func withoutTheHubThereIsNoneAndTheAnswerSaysSo() throws {
        let (app, _) = try Self.begin(flags: ["VIBE_EVENT_HUB": "off"])
        for path in ["/event", "/global/event"] {
            let answer = try app.api("GET", path)
            #expect(answer.status == 501)
            #expect(answer.json["data"]?["message"]?.text?.contains("--event-hub off") == true)
        }
    }

    @Test func unlessTheGatewaySpeaksNoOpenCode1() throws {
        let (app, _) = try Self.begin(flags: ["VIBE_SPEAK_1": "off"])
        #expect(try app.api("GET", "/event").value(of: "Content-Type") != "text/event-stream")
    }
}

/// The whole flow of the app in front of an OpenCode 2. Prompts go in OpenCode 2's words (``PhoneApp2``).
@Suite("Client flow, OpenCode 1's events in front of an OpenCode 2") struct TranslatedFlowTests {
    /// A started project, a session, and a stream of whole texts that has said `server.connected`.
    private func becomeReady(model: String = "talk") throws -> (app: PhoneApp2, session: String, events: EventFeed) {
        let app = try PhoneApp2()
        #expect(try app.startOpenCode().status == 200)
        let session = try app.createSession(model: model)
        let connection = try app.gateway.connect()
        try connection.send(
            "GET", "/projects/\(PhoneApp.project)/api/event?form=full",
            headers: [GatewayUnderTest.authorization, ("Accept", "text/event-stream")])
        let events = EventFeed(connection)
        try events.next("server.connected")
        return (app, session, events)
    }

    /// Steps 2, 3, 5 and 6 of section 4; `session.updated` may stand anywhere.
    private func beginning(_ session: String) -> [FlowStep] {
        [
            FlowStep("1", "server.connected"),
            FlowStep("2", "message.updated") {
                $0["info"]?["role"] == "user" && $0["info"]?["sessionID"]?.text == session
            },
            FlowStep("3", "message.part.updated") {
                $0["part"]?["type"] == "text" && $0["part"]?["text"] == "Hello" && $0["part"]?["messageID"] != nil
            },
            FlowStep("5", "session.status") { $0["status"]?["type"] == "busy" && $0["sessionID"]?.text == session },
            FlowStep("6", "message.updated") {
                $0["info"]?["role"] == "assistant" && $0["info"]?["time"]?["completed"] == nil
            },
        ]
    }

    @Test("Section 4: the steps of success") func success() throws {
        let (app, session, events) = try becomeReady()
        #expect(try app.send("Hello", to: session) == 200)
        try events.next("session.idle") { $0["sessionID"]?.text == session }
        events.expectInOrder(
            beginning(session)
                + ["7", "8"].map { name in
                    FlowStep(name, "message.part.updated") {
                        $0["part"]?["type"] == "text" && $0["part"]?["messageID"] != nil && $0["delta"] != nil
                    }
                } + [
                    FlowStep("9", "message.updated") {
                        $0["info"]?["role"] == "assistant" && $0["info"]?["time"]?["completed"] != nil
                            && $0["info"]?["tokens"]?["output"] != nil
                    },
                    FlowStep("12", "session.status") { $0["status"]?["type"] == "idle" },
                    FlowStep("13", "session.idle") { $0["sessionID"]?.text == session },
                ])
        events.expectInOrder([FlowStep("4", "session.updated") { $0["info"]?["id"]?.text == session }])
        #expect(!events.events.contains { $0["type"] == "session.error" || $0["type"] == "message.part.delta" })
    }

    @Test("Section 5: a provider's error") func providerError() throws {
        let (app, session, events) = try becomeReady(model: "unauthorized")
        #expect(try app.send("Hello", to: session) == 200)
        try events.next("message.updated") { $0["info"]?["error"] != nil }
        try events.next("session.idle")
        let isError = { (error: JSON?) in
            error?["name"] == "APIError" && error?["data"]?["statusCode"] == 401
                && error?["data"]?["isRetryable"] == false && error?["data"]?["message"]?.text?.isEmpty == false
        }
        events.expectInOrder(
            beginning(session) + [
                FlowStep("6 of section 5", "session.error") {
                    $0["sessionID"]?.text == session && isError($0["error"])
                },
                FlowStep("7", "message.updated") {
                    $0["info"]?["time"]?["completed"] != nil && isError($0["info"]?["error"])
                },
                FlowStep("8", "session.status") { $0["status"]?["type"] == "idle" },
                FlowStep("9", "session.idle"),
            ])
    }

    @Test("Scenario 1: the answer's text streams while it is made") func streaming() throws {
        let (app, session, events) = try becomeReady()
        #expect(try app.send("Hello [pieces=40 interval=30ms]", to: session) == 200)
        try events.next("session.idle") { $0["sessionID"]?.text == session }
        let drawn = zip(events.events, events.times).filter {
            $0.0["type"] == "message.part.updated" && $0.0.content["delta"] != nil
        }
        let texts = drawn.compactMap { $0.0.content["part"]?["text"]?.text }
        #expect(texts.count > 5 && zip(texts, texts.dropFirst()).allSatisfy { $1.hasPrefix($0) })
        let (first, last) = try (#require(drawn.first).1, #require(drawn.last).1)
        #expect(last - first > .milliseconds(800), "they came one after the other, not all at once")
        let answer = try #require(
            events.events.last { $0["type"] == "message.updated" && $0.content["info"]?["role"] == "assistant" })
        let stored = try app.messages(of: session).first { $0["type"] == "assistant" }?["content"]?.elements
        #expect(
            events.shownText(of: answer.content["info"]?["id"]?.text ?? "")
                == stored?.first { $0["type"] == "text" }?["text"]?.text)
    }
}
