// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the encoding of growing texts. The phone app of the client flow supports only `message.part.updated`.
@Suite(.onTestThreads) struct StreamEncodingTests {
    private static let late = OpenCodeVersion.all.filter { $0.profile.version != "1.1.11" }

    /// Returns the texts of the answer's part as the app displays them, event by event. Ends the turn after enough of
    /// them. The prompt and an empty text are among them.
    private static func drawn(_ client: StreamClient, _ app: PhoneApp, _ session: String) throws -> [String] {
        var texts: [String] = []
        var isEnded = false
        while let frame = try client.nextEvent() {
            let properties = frame.content["properties"] ?? .null
            #expect(frame.type != "message.part.delta")
            if frame.type == "message.part.updated", properties["part"]?["type"]?.text == "text",
                let text = properties["part"]?["text"]?.text
            {
                texts.append(text)
                if !isEnded, Set(texts).count > 5 {
                    isEnded = true
                    #expect(try app.api("POST", "/session/\(session)/abort").status == 200)
                }
            }
            if frame.type == "session.idle" { return texts }
        }
        throw TestFailure("the stream ended in the middle of the turn")
    }

    @Test(
        arguments: late,
        ["/projects/demo/api/event?form=full", "/projects/demo/events?form=full", "/events?form=full"])
    func `each event contains the whole text so far with form=full`(version: OpenCodeVersion, path: String) throws {
        let app = try PhoneApp(version)

        #expect(try app.startOpenCode().status == 200)

        try Self.expectGrowth(app, path)
    }

    @Test(arguments: late)
    func `each event contains the whole text so far with the project's VIBE_EVENT_FORM=full`(version: OpenCodeVersion)
        throws
    {
        let app = try PhoneApp(version)
        _ = try app.gateway.home.write(
            "VIBE_EVENT_FORM=full\n", to: ".config/opencode/env.d/demo.env", mode: 0o600)

        #expect(try app.startOpenCode().status == 200)

        try Self.expectGrowth(app, "/projects/demo/api/event")
        // The gateway's own streams use the encoding that their client requests.
        let raw = try StreamClient(app.gateway, "/projects/demo/events?since=2001-02-03T04:05:06Z")
        var types: Set<String> = []
        while let frame = try raw.nextEvent(), frame.type != "session.idle" { types.insert(frame.type ?? "") }

        #expect(types.contains("message.part.delta"))
    }

    @Test(arguments: late)
    func `each event contains the whole text so far with the gateway's VIBE_EVENT_FORM=full`(version: OpenCodeVersion)
        throws
    {
        let app = try PhoneApp(version, environment: ["VIBE_EVENT_FORM": "full"])

        #expect(try app.startOpenCode().status == 200)

        try Self.expectGrowth(app, "/projects/demo/api/event")
    }

    private static func expectGrowth(_ app: PhoneApp, _ target: String) throws {
        let session = try app.createSession()
        let client = try StreamClient(app.gateway, target)
        _ = try client.next()
        #expect(try app.send("[pieces=2000 interval=30ms] Hello", to: session) == 204)
        let texts = try drawn(client, app, session)
        let answer = try #require(texts.last)
        #expect(!answer.isEmpty)
        let growing = texts.filter { answer.hasPrefix($0) && !$0.isEmpty && $0 != answer }
        #expect(Set(growing).count >= 2, "\(texts.map(\.count))")
        #expect(zip(growing, growing.dropFirst()).allSatisfy { $1.hasPrefix($0) })
    }

    @Test(arguments: ["/projects/demo/events", "/events"])
    func `text from before a gap precedes it, and a later reader receives the gap`(path: String) throws {
        let fixture = try HubFixture()
        func delta(_ text: String) {
            fixture.sendEvent(
                payload: #"{"id":"evt_1","type":"message.part.delta","properties":{"sessionID":"ses_1","#
                    + #""messageID":"msg_1","partID":"prt_1","field":"text","delta":"\#(text)"}}"#)
        }
        let (raw, early) = try (fixture.openGatewayStream(), fixture.openGatewayStream("?form=full", path: path))
        _ = try raw.next()
        _ = try early.next()
        fixture.sendEvent(
            payload: #"{"id":"evt_0","type":"message.part.updated","properties":{"part":{"id":"prt_1","#
                + #""sessionID":"ses_1","messageID":"msg_1","type":"text","text":"","time":{"start":1}}}}"#)
        // The second delta waits for 100 ms, on `/events` until the next event.
        delta("a")
        delta("b")
        while try raw.nextEvent()?.content["properties"]?["delta"]?.text != "b" {}
        fixture.instance.events.close()
        try fixture.instance.events.openings.wait(forCount: 2)

        #expect(try raw.nextEvent()?.gap != nil)

        let late = try fixture.openGatewayStream("?form=full", path: path)
        _ = try late.next()
        delta("d")

        var texts: [String] = []
        while let frame = try early.nextEvent(), frame.gap == nil {
            if let text = frame.content["properties"]?["part"]?["text"]?.text { texts.append(text) }
        }

        #expect(texts.last == "ab")
        #expect(try early.nextEvent()?.content["properties"]?["delta"]?.text == "d")

        var next = try late.nextEvent()
        // On the project's own stream, the pending text is between the last event and the gap.
        if next?.gap == nil { next = try late.nextEvent() }

        #expect(next?.gap?["reason"]?.text == "upstream-lost")
        #expect(try late.nextEvent()?.content["properties"]?["delta"]?.text == "d")
    }

    @Test func `an unknown form is rejected with 400`() throws {
        let fixture = try HubFixture()

        for target in ["/projects/demo/events?form=big", "/projects/demo/api/event?form=big", "/events?form=big"] {
            let answer = try fixture.gateway.request("GET", target)
            #expect(answer.status == 400)
            #expect(answer.text.contains("form=big is unknown. Use raw, delta or full."))
        }
    }

    @Test func `adjacent deltas are merged with the id of the last one`() throws {
        let fixture = try HubFixture()
        let (raw, slow) = try (fixture.openGatewayStream(), fixture.openGatewayStream("?max_rate=1"))
        _ = try raw.next()
        _ = try slow.next()
        func fragment(_ number: Int, _ text: String) {
            fixture.sendEvent(
                payload: #"{"id":"evt_\#(number)","type":"message.part.delta","properties":{"sessionID":"ses_1","#
                    + #""messageID":"msg_1","partID":"prt_1","field":"text","delta":"\#(text)"}}"#)
        }
        for number in 1...20 { fragment(number, "a") }
        fixture.sendEvents(21...21)
        var ids: [String] = []
        for _ in 0..<21 { ids.append(try #require(try raw.nextEvent()?.id)) }
        var text = ""
        var frames = 0
        while let frame = try slow.nextEvent(), frame.type == "message.part.delta" {
            text += frame.content["properties"]?["delta"]?.text ?? ""
            frames += 1
            if text.count == 20 { #expect(frame.id?.split(separator: ".").first.map(String.init) == ids[19]) }
        }

        #expect(text == String(repeating: "a", count: 20))
        #expect(frames < 20)
    }
}
