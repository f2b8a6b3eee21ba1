// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests OpenCode's own streams as the hub serves them: the same events, in the same order, byte for byte.
@Suite(.onTestThreads) struct PlainStreamTests {
    @Test func `a stream sends retry, server.connected, the missed events and then live events`() throws {
        let fixture = try HubFixture()
        let before = try fixture.open()
        try before.connected()
        fixture.sendEvents(1...1)

        #expect(try before.numbers(1) == [1])

        before.close()
        fixture.sendEvents(2...3)
        try fixture.waitUntilReceived(3)
        let client = try fixture.open(after: before.lastID)
        let first = try #require(try client.next())

        #expect(try (500...1_500).contains(#require(first.retry)))
        #expect(first.data == FakeOpenCode.EventStreams.connected)
        #expect(first.id == nil)
        #expect(try client.numbers(2) == [2, 3])

        fixture.sendEvents(4...4)
        let live = try #require(try client.next())

        #expect(live.number == 4)
        #expect(live.retry == nil)
    }

    @Test func `event ids are consecutive, and omitted events are no gap`() throws {
        let fixture = try HubFixture()
        let client = try fixture.open()
        try client.connected()
        var frames: [StreamFrame] = []
        // A client that is still reading retained events may miss some events without an id.
        for number in 1...10 {
            fixture.sendEvents(number...number)
            while frames.last?.number != number { frames.append(try #require(try client.next())) }
            fixture.instance.events.send(": a comment\n\n")
            fixture.instance.events.send("data: {\"payload\":{\"type\":\"server.heartbeat\",\"properties\":{}}}\n\n")
            fixture.sendEvent(payload: HubFixture.payload(99), in: "\(fixture.gateway.home.path)/other")
        }

        #expect(frames.compactMap(\.number) == Array(1...10))

        let ids = frames.compactMap(\.id).map { $0.split(separator: "-").compactMap { UInt64($0) } }

        #expect(ids.count == 10)
        #expect(Set(ids.map { $0[0] }).count == 1)
        #expect(ids.map { $0[1] - ids[0][1] } == Array(0...9))
        // Comments and heartbeats are forwarded and have no id.
        #expect(frames.contains { $0.comments == ["a comment"] && $0.id == nil })
        #expect(frames.contains { $0.type == "server.heartbeat" && $0.id == nil })
        #expect(frames.allSatisfy { $0.gap == nil && $0.others.isEmpty })
    }

    @Test func `each data line equals the instance's byte for byte`() throws {
        let fixture = try HubFixture()
        let everything = try fixture.open()
        let here = try fixture.open("/event")
        try everything.connected()

        #expect(try here.connected().data == FakeOpenCode.EventStreams.connectedHere)

        let odd =
            #"{"type" : "odd.\u0031",  "properties":{"x":1.0e5,"é":"\/ \ud83d\ude00","nested":{"payload":{"type":"no"}}} }"#
        let lines = [
            #"{"directory":"\#(fixture.folder)", "payload":\#(odd)}"#,
            #"{ "payload":\#(odd),"directory":"\#(fixture.folder)","project":"p" }"#,
        ]
        for line in lines { fixture.instance.events.send("data: \(line)\n\n") }
        for line in lines {
            #expect(try everything.nextEvent()?.data == line)
            #expect(try here.nextEvent()?.data == odd)
        }
    }

    @Test func `a directory's stream contains exactly its events without sync`() throws {
        let fixture = try HubFixture()
        let sub = try fixture.gateway.home.makeDirectory("demo/sub")
        let own = try fixture.open("/event")
        let other = try fixture.open("/event?directory=\(sub)")
        let named = try fixture.open("/event", headers: [("x-opencode-directory", sub)])
        let everything = try fixture.open()
        for client in [own, other, named, everything] { try client.connected() }
        fixture.sendEvents(1...1)
        fixture.sendEvent(payload: HubFixture.payload(2), in: sub)
        fixture.sendEvent(payload: HubFixture.payload(3, "sync"))
        fixture.sendEvent(payload: HubFixture.payload(4), in: "\(sub)/deeper")
        fixture.sendEvent(payload: HubFixture.payload(5), in: sub)
        fixture.sendEvents(6...6)

        #expect(try own.numbers(2) == [1, 6])
        #expect(try other.numbers(2) == [2, 5])
        #expect(try named.numbers(2) == [2, 5])
        #expect(try everything.numbers(6) == [1, 2, 3, 4, 5, 6])
    }

    @Test func `without directory pinning, the events of every directory are served`() throws {
        let fixture = try HubFixture(flags: ["--no-directory-pinning"])
        let everything = try fixture.open()
        let elsewhere = try fixture.open("/event?directory=/srv/elsewhere")
        try everything.connected()
        try elsewhere.connected()
        fixture.sendEvent(payload: HubFixture.payload(1), in: "/srv/elsewhere")
        fixture.sendEvents(2...2)

        #expect(try everything.numbers(2) == [1, 2])
        #expect(try elsewhere.numbers(1) == [1])
    }

    @Test func `only the first stream of a directory opens it at the instance`() throws {
        let fixture = try HubFixture()
        // The hub opens no directory on its own.
        try fixture.open().connected()

        #expect(fixture.instance.directoryEvents.openings.count == 0)

        try fixture.open("/event").connected()
        try fixture.open("/event").connected()

        #expect(fixture.instance.directoryEvents.openings.values.map(\.target) == ["/event"])

        let sub = try fixture.gateway.home.makeDirectory("demo/sub")
        try fixture.open("/event?directory=\(sub)").connected()
        try fixture.open("/event?directory=\(sub)").connected()

        #expect(
            fixture.instance.directoryEvents.openings.values.map(\.target) == ["/event", "/event?directory=\(sub)"])
        #expect(fixture.instance.events.openings.count == 1)
    }

    @Test func `an instance that does not confirm its stream delays a client by about 2 s`() throws {
        let instance = try FakeOpenCode().events().start()
        instance.events.withholdFirst(true)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance)
        let start = ContinuousClock.now
        let client = try StreamClient(gateway, "/projects/demo/api/global/event")
        try client.connected()
        let time = start.duration(to: .now)

        #expect(time > .milliseconds(1_500))
        #expect(time < .seconds(15))
    }

    @Test func `a refused subscription is a warning in the status until it succeeds`() throws {
        let instance = try FakeOpenCode().events().start()
        instance.events.refuse(.error)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance)
        try gateway.waitForLog("Cannot subscribe to OpenCode's events")
        func warnings() throws -> [JSON] {
            try gateway.request("GET", "/projects/demo/status").json["warnings"]?.elements ?? []
        }

        #expect(try warnings().contains { $0.text?.contains("(HTTP 500)") == true })

        instance.events.refuse(nil)
        try instance.events.openings.wait(forCount: 1)
        try StreamClient(gateway, "/projects/demo/api/global/event").connected()

        // Other tests check the other warnings.
        #expect(try !warnings().contains { $0.text?.contains("Cannot subscribe to OpenCode's events") == true })
    }

    @Test(arguments: [FakeOpenCode.EventStreams.Refusal.close, .hang])
    func `a subscription that receives no head is a warning in the status within five seconds`(
        refusal: FakeOpenCode.EventStreams.Refusal
    ) throws {
        let instance = try FakeOpenCode().events().start()
        instance.events.refuse(refusal)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance)
        let start = ContinuousClock.now

        try gateway.waitForLog("does not begin the event stream")

        #expect(start.duration(to: .now) < .seconds(5))

        let warnings = try gateway.request("GET", "/projects/demo/status").json["warnings"]?.elements ?? []

        #expect(warnings.contains { $0.text?.contains("does not begin the event stream") == true })
    }

    @Test func `a client receives its head within five seconds if the instance opens no directory`() throws {
        let instance = try FakeOpenCode().events().start()
        instance.events.refuse(.hang)
        instance.directoryEvents.refuse(.hang)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance)
        let start = ContinuousClock.now

        try StreamClient(gateway, "/projects/demo/api/event").connected()

        #expect(start.duration(to: .now) < .seconds(6))
    }

    @Test func `500 clients share one stream from the instance`() throws {
        let fixture = try HubFixture()
        func upstreamBytes() -> [[UInt8]] { fixture.instance.events.openings.values.map(\.raw) }
        let one = try fixture.open()
        try one.connected()
        fixture.sendEvents(1...100)

        #expect(try one.numbers(100) == Array(1...100))

        let before = upstreamBytes()
        let clients = try (0..<500).map { _ in try fixture.open() }
        for client in clients { try client.connected() }
        fixture.sendEvents(101...200)
        for client in clients { #expect(try client.numbers(100) == Array(101...200)) }

        #expect(before.count == 1)
        #expect(upstreamBytes() == before)
        #expect(fixture.instance.directoryEvents.openings.count == 0)
        #expect(fixture.instance.requests.count == 0)
        #expect(try fixture.state()["subscribers"] == .integer(501))
    }
}
