// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests a phone that sleeps in the middle of a turn and reconnects.
@Suite(.onTestThreads) struct SleepingPhoneTests {
    @Test(arguments: OpenCodeVersion.all, ["/event", "/global/event"])
    func `a client of OpenCode 1 that reconnects receives each missed event once`(
        version: OpenCodeVersion, path: String
    ) throws {
        let app = try PhoneApp(version)

        #expect(try app.startOpenCode().status == 200)

        let session = try app.createSession()
        let target = "/projects/demo/api\(path)"
        let witness = try StreamClient(app.gateway, target)
        let phone = try StreamClient(app.gateway, target)
        try witness.connected()
        try phone.connected()

        #expect(try app.send("Hello", to: session) == 204)

        var seen = try Self.receive(phone, until: { $0.type?.hasPrefix("message.part.") == true })
        // The phone sleeps here. Frames that were in transit to it are lost.
        phone.close()
        let all = try Self.receive(witness, until: { $0.type == "session.idle" })

        #expect(all.count > seen.count)

        let again = try StreamClient(app.gateway, target, headers: [("Last-Event-ID", try #require(phone.lastID))])

        #expect(try again.next()?.type == "server.connected")

        seen += try Self.receive(again, until: { $0.type == "session.idle" })

        #expect(seen.map(\.id) == all.map(\.id))
        #expect(seen.map(\.data) == all.map(\.data))
        #expect(all.allSatisfy { $0.id != nil && $0.gap == nil })
    }

    @Test func `a client of OpenCode 2 that reconnects receives each missed event once`() throws {
        let app = try PhoneApp2()

        #expect(try app.startOpenCode().status == 200)

        let session = try app.createSession()
        let target = "/projects/demo/api/api/event"
        let witness = try StreamClient(app.gateway, target)
        let phone = try StreamClient(app.gateway, target)
        try witness.connected()
        try phone.connected()

        #expect(try app.send("Hello", to: session) == 200)

        var seen = try Self.receive(phone, until: { $0.type == "session.text.delta" })
        phone.close()
        let isEnd = { (frame: StreamFrame) in frame.type == "session.execution.succeeded" }
        let all = try Self.receive(witness, until: isEnd)
        let again = try StreamClient(app.gateway, target, headers: [("Last-Event-ID", try #require(phone.lastID))])

        #expect(try again.next()?.type == "server.connected")

        seen += try Self.receive(again, until: isEnd)

        #expect(seen.map(\.id) == all.map(\.id))
        #expect(seen.map(\.data) == all.map(\.data))
        #expect(all.allSatisfy { $0.id != nil && $0.gap == nil })
    }

    /// Returns the events up to the first one that meets the condition.
    private static func receive(_ client: StreamClient, until isLast: (StreamFrame) -> Bool) throws -> [StreamFrame] {
        var frames: [StreamFrame] = []
        while let frame = try client.nextEvent() {
            if frame.type == "server.heartbeat" { continue }
            frames.append(frame)
            if isLast(frame) { return frames }
        }
        throw TestFailure("the stream ended after \(frames.map { $0.type ?? "?" })")
    }

    @Test(arguments: ["/event", "/global/event"])
    func `since in the query resumes a stream, and Last-Event-ID overrides it`(path: String) throws {
        let fixture = try HubFixture()
        let first = try fixture.open(path)
        try first.connected()
        fixture.sendEvents(1...3)

        #expect(try first.numbers(2) == [1, 2])

        let id = try #require(first.lastID)
        first.close()
        fixture.sendEvents(4...6)
        let again = try fixture.open("\(path)?since=\(id)")

        #expect(try again.numbers(4) == [3, 4, 5, 6])

        // The header field overrides the query.
        let third = try fixture.open("\(path)?since=\(id)", after: again.lastID)
        try third.connected()
        fixture.sendEvents(7...7)

        #expect(try third.numbers(1) == [7])
    }

    @Test func `a client's position is never sent to the instance`() throws {
        let fixture = try HubFixture()
        let first = try fixture.open("/event")
        try first.connected()
        fixture.sendEvents(1...1)

        #expect(try first.numbers(1) == [1])

        let id = try #require(first.lastID)
        // A directory that this request opens, with both query and header field.
        let other = try fixture.gateway.home.makeDirectory("demo/sub")
        let second = try fixture.open("/event?since=\(id)&directory=\(other)&form=raw", after: id)
        try second.connected()
        // This stream is forwarded unchanged.
        let third = try fixture.open("/event?hub=0&since=\(id)&a=b")
        try third.connected()
        let heads = fixture.instance.directoryEvents.openings.values + fixture.instance.events.openings.values

        #expect(
            fixture.instance.directoryEvents.openings.values.map(\.target) == [
                "/event", "/event?directory=\(other)", "/event?a=b",
            ])
        #expect(heads.allSatisfy { $0.value(of: "Last-Event-ID") == nil && !$0.target.contains("since") })
    }

    @Test(arguments: ["999999999999999-7", "-", "x", "99999999999999999999999-1", "5-0", "1-2-3", "1"])
    func `an unknown event id yields a gap and then live events`(id: String) throws {
        let fixture = try HubFixture()
        fixture.sendEvents(1...2)
        try fixture.waitUntilReceived(2)
        let client = try fixture.open("/global/event", after: id)

        #expect(try client.reader.response.readHead().status == 200)
        #expect(try client.next()?.data == FakeOpenCode.EventStreams.connected)

        let gap = try #require(try client.next())

        #expect(gap.gap?["reason"]?.text == "unknown-id")
        #expect(gap.data == nil)
        #expect(gap.id == nil)
        #expect(try client.next()?.data == FakeOpenCode.EventStreams.connected)

        fixture.sendEvents(3...3)

        #expect(try client.numbers(1) == [3])
    }
}
