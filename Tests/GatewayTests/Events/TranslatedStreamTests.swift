// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests OpenCode 1's streams of an OpenCode 2 instance, whose events the hub translates to OpenCode 1's API.
@Suite(.onTestThreads) struct TranslatedStreamTests {
    /// Returns the events up to the first one that meets the condition, without heartbeats.
    static func receive(_ client: StreamClient, until isLast: (StreamFrame) -> Bool = { $0.type == "session.idle" })
        throws
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

    /// Starts a project and creates a session. The hub has received both events, so a stream that opens later does not
    /// contain them.
    static func startApp() throws -> (app: PhoneApp2, session: String) {
        let app = try start()
        let early = try open(app, "/event")
        let session = try app.createSession()
        var beginnings: Set = ["session.created", "project.updated"]
        _ = try receive(early) {
            beginnings.remove($0.type ?? "")
            return beginnings.isEmpty
        }
        early.close()
        return (app, session)
    }

    private static func start(flags: [String: String] = [:]) throws -> PhoneApp2 {
        let app = try PhoneApp2(environment: flags)
        #expect(try app.startOpenCode().status == 200)
        return app
    }

    static func open(_ app: PhoneApp2, _ path: String, after id: String? = nil) throws -> StreamClient {
        let client = try StreamClient(
            app.gateway, "/projects/demo/api\(path)", headers: id.map { [("Last-Event-ID", $0)] } ?? [])
        try client.connected()
        return client
    }

    @Test func `a turn is translated into OpenCode 1's events`() throws {
        let (app, session) = try Self.startApp()
        let client = try Self.open(app, "/event")

        #expect(try app.send("Hello", to: session) == 200)

        let frames = try Self.receive(client)
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

    @Test func `a prompt has the same time in its last event and in the list`() throws {
        let (app, session) = try Self.startApp()
        let client = try Self.open(app, "/event")

        #expect(try app.send("Hello", to: session) == 200)

        let reported = try Self.receive(client).compactMap { $0.content["properties"]?["info"] }.last {
            $0["role"] == "user"
        }
        let list = try app.api("GET", "/session/\(session)/message").json.elements?.compactMap { $0["info"] }

        #expect(reported?["time"] != nil)
        #expect(reported?["time"] == list?.first?["time"])
    }

    /// OpenCode 1 sends a heartbeat every ten seconds on either stream (1.18.33). OpenCode 2 sends only comments.
    @Test func `a translated stream has OpenCode 1's heartbeats`() throws {
        let app = try Self.start()

        for (path, isWrapped) in [("/event", false), ("/global/event", true)] {
            let client = try Self.open(app, path)
            var beats: [String] = []
            while beats.count < 2, let frame = try client.next() {
                guard frame.type == "server.heartbeat" else { continue }
                #expect((frame.json["payload"] != nil) == isWrapped)
                #expect(frame.content["properties"] == .object([]))
                beats.append(try #require(frame.content["id"]?.text))
            }

            try #require(beats.count == 2)
            #expect(beats.allSatisfy { $0.hasPrefix("evt_") && $0.count == 30 })
            #expect(beats[0] < beats[1])
            // An id begins with the millisecond of its creation (and a counter of twelve bits), so even a late reader
            // can check the interval.
            let times = try beats.map { try #require(UInt64($0.dropFirst(4).prefix(12), radix: 16)) >> 12 }
            #expect(times[1] - times[0] > 9_000)
        }
    }

    @Test func `each event of /global/event names its directory`() throws {
        let (app, session) = try Self.startApp()
        let (here, everything) = try (Self.open(app, "/event"), Self.open(app, "/global/event"))

        #expect(try app.send("Hello", to: session) == 200)

        let (plain, wrapped) = try (Self.receive(here), Self.receive(everything))

        #expect(plain.map(\.id) == wrapped.map(\.id))
        #expect(
            wrapped.map(\.data)
                == plain.map { "{\"directory\":\"\(app.gateway.home.path)/demo\",\"payload\":\($0.data ?? "")}" })
    }

    @Test(arguments: ["/event", "/global/event", "/event?form=full", "/event?form=delta"])
    func `a client that reconnects receives each missed event once`(path: String) throws {
        let (app, session) = try Self.startApp()
        let (witness, phone) = try (Self.open(app, path), Self.open(app, path))

        #expect(try app.send("Hello [pieces=20 interval=20ms]", to: session) == 200)

        var seen = try Self.receive(phone) {
            $0.type?.hasPrefix("message.part.") == true && $0.data?.contains("simulator") == true
        }
        phone.close()
        let all = try Self.receive(witness)
        let again = try Self.open(app, path, after: phone.lastID)
        seen += try Self.receive(again)

        #expect(seen.map(\.id) == all.map(\.id))
        #expect(seen.map(\.data) == all.map(\.data))
        #expect(all.allSatisfy { $0.id?.contains(".") == true && $0.gap == nil })
    }

    @Test func `a client that resumes after any frame receives exactly the remainder`() throws {
        let (app, session) = try Self.startApp()
        let witness = try Self.open(app, "/event")

        #expect(try app.send("Hello", to: session) == 200)

        let all = try Self.receive(witness)
        for (index, frame) in all.enumerated().dropLast() {
            let again = try Self.open(app, "/event", after: frame.id)
            #expect(try Self.receive(again).map(\.data) == all[(index + 1)...].map(\.data))
            again.close()
        }
    }

    @Test func `a new client receives no earlier events`() throws {
        let (app, session) = try Self.startApp()
        let first = try Self.open(app, "/event")

        #expect(try app.send("Hello", to: session) == 200)

        let last = try Self.receive(first)
        let second = try Self.open(app, "/event")

        #expect(try app.send("Again", to: session) == 200)

        let (after, again) = try (Self.receive(second), Self.receive(first))

        #expect(after.map(\.id) == again.suffix(after.count).map(\.id))
        #expect(Set(after.compactMap(\.id)).isDisjoint(with: last.compactMap(\.id)))
    }

    @Test func `a turn of a session from before a lost stream is translated completely`() throws {
        let (app, session) = try Self.startApp()
        let client = try Self.open(app, "/event")

        #expect(try app.send("Hello", to: session) == 200)

        _ = try Self.receive(client)
        // The run's stream restarts after a gap, so earlier information no longer applies.
        try app.api("POST", "/simulator/misbehave", "cut-streams")
        while try client.next() != nil {}
        let next = try Self.open(app, "/event")

        #expect(try app.send("And now?", to: session) == 200)

        let frames = try Self.receive(next)
        let prompt = try #require(frames.first { $0.type == "message.updated" }?.content["properties"]?["info"])

        #expect(prompt["role"] == "user")
        #expect(prompt["sessionID"]?.text == session)

        let answer = frames.compactMap { $0.content["properties"]?["info"] }.first { $0["role"] == "assistant" }

        #expect(answer?["parentID"] == prompt["id"])
        #expect(answer?["path"]?["cwd"]?.text == "\(app.gateway.home.path)/demo")
        #expect(frames.contains { $0.type == "message.part.delta" })
    }

    @Test func `a reload ends the directory's stream cleanly`() throws {
        let (app, _) = try Self.startApp()
        let (here, everything) = try (Self.open(app, "/event"), Self.open(app, "/global/event"))
        let folder = "\(app.gateway.home.path)/demo"

        #expect(try app.api("POST", "/api/location/reload", "{}").status == 204)

        let last = try #require(try Self.receive(here) { $0.type == "server.instance.disposed" }.last)

        #expect(last.content["properties"]?["directory"]?.text == folder)
        #expect(try here.readToEnd() == .complete)

        _ = try Self.receive(everything) { $0.type == "server.instance.disposed" }
        let session = try app.createSession()

        #expect(try app.send("Hello", to: session) == 200)

        _ = try Self.receive(everything)
    }

    @Test func `a directory's stream contains no events of another directory`() throws {
        let (app, session) = try Self.startApp()
        let sub = try app.gateway.home.makeDirectory("demo/sub")
        let (own, other) = try (Self.open(app, "/event"), Self.open(app, "/event?directory=\(sub)"))
        let body = #"{"model":{"providerID":"simulator","id":"talk"},"location":{"directory":"\#(sub)"}}"#
        let second = try #require(try app.api("POST", "/api/session", body).json["data"]?["id"]?.text)

        #expect(try app.send("Hello", to: second) == 200)
        #expect(try app.send("Hello", to: session) == 200)

        for (client, id) in [(own, session), (other, second)] {
            let frames = try Self.receive(client)
            #expect(frames.allSatisfy { $0.content["properties"]?["sessionID"]?.text ?? id == id })
        }
        let outside = try app.gateway.home.makeDirectory("else")

        #expect(try app.gateway.request("GET", "/projects/demo/api/event?directory=\(outside)").status == 403)
    }

    @Test func `speak=1 translates the gateway's stream of a project`() throws {
        let (app, session) = try Self.startApp()
        let (own, here) = try (StreamClient(app.gateway, "/projects/demo/events?speak=1"), Self.open(app, "/event"))
        _ = try own.next()

        #expect(try app.send("Hello", to: session) == 200)

        let (reported, expected) = try (Self.receive(own), Self.receive(here))

        #expect(reported.map(\.id) == expected.map(\.id))
        #expect(reported.map(\.content) == expected.map(\.content))

        let refused = try app.gateway.request("GET", "/projects/demo/events?speak=3")

        #expect(refused.status == 400)
        #expect(refused.text.contains("speak=3 is unknown. Use speak=1"))
        #expect(try app.gateway.request("GET", "/events?speak=1").status == 400)
    }

    @Test func `OpenCode 2's own stream is not translated`() throws {
        let (app, session) = try Self.startApp()
        let client = try Self.open(app, "/api/event")

        #expect(try app.send("Hello", to: session) == 200)

        let frames = try Self.receive(client) { $0.type == "session.execution.succeeded" }

        #expect(frames.allSatisfy { $0.content["properties"] == nil && $0.id?.contains(".") == false })
    }

    @Test func `hub=0 is rejected with 400 for a translated stream`() throws {
        let (app, _) = try Self.startApp()
        let answer = try app.gateway.request("GET", "/projects/demo/api/event?hub=0")

        #expect(answer.status == 400)
        #expect(answer.text.contains("hub=0 is not supported here"))

        let page = try app.gateway.request("GET", "/projects/demo/api/event", headers: [("Accept", "text/html")])

        #expect(page.value(of: "Content-Type") != "text/event-stream")
    }

    @Test func `a translated stream is rejected with 501 without the event hub`() throws {
        let app = try Self.start(flags: ["VIBE_EVENT_HUB": "off"])

        for path in ["/event", "/global/event"] {
            let answer = try app.api("GET", path)
            #expect(answer.status == 501)
            #expect(answer.json["data"]?["message"]?.text?.contains("--event-hub off") == true)
        }
    }

    @Test func `/event is not translated when VIBE_OPENCODE1_COMPAT is off`() throws {
        let app = try Self.start(flags: ["VIBE_OPENCODE1_COMPAT": "off"])

        #expect(try app.api("GET", "/event").value(of: "Content-Type") != "text/event-stream")
    }
}
