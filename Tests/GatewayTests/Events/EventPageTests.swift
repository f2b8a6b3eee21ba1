// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests pages of events as JSON (`?wait=`), for clients whose network path interrupts streams.
@Suite(.onTestThreads) struct EventPageTests {
    @Test func `a page returns the missed events or waits for the next one`() throws {
        let fixture = try HubFixture()
        fixture.sendEvents(1...3)
        try fixture.waitUntilReceived(3)
        let page = try fixture.page("?wait=25&since=2001-02-03T04:05:06Z")
        let events = try #require(page["events"]?.elements)

        #expect(events.map { $0["event"]?["properties"]?["n"]?.text } == ["1", "2", "3"])
        #expect(events.allSatisfy { $0["project"]?.text == "demo" && $0["id"]?.text != nil })

        let next = try #require(page["next"]?.text)

        #expect(next == events.last?["id"]?.text)

        // The next request waits until there is an event.
        let connection = try fixture.gateway.connect()
        try connection.send(
            "GET", "/projects/demo/events?wait=25&since=\(next)", headers: [GatewayUnderTest.authorization])

        #expect(try connection.staysSilent(for: .milliseconds(300)))

        fixture.sendEvents(4...4)
        let later = try ResponseReader(connection).readAll().json

        #expect(later["events"]?.elements?.count == 1)

        // The request also ends when the wait has timed out.
        let last = try #require(later["next"]?.text)
        let empty = try fixture.page("?wait=1&since=\(last)")

        #expect(empty["events"] == [])
        #expect(empty["gap"] == .null)
        #expect(empty["next"]?.text == last)

        let unknown = try fixture.page("?wait=0&since=5-0")

        #expect(unknown["gap"]?["reason"]?.text == "unknown-id")
    }

    @Test func `a page contains at most 1,000 events`() throws {
        let fixture = try HubFixture()
        fixture.sendEvents(1...2_500)
        try fixture.waitUntilReceived(2_500)
        var since = "2001-02-03T04:05:06Z"
        var counts: [Int] = []
        for _ in 0..<3 {
            let page = try fixture.page("?wait=1&since=\(since)")
            counts.append(page["events"]?.elements?.count ?? -1)
            since = try #require(page["next"]?.text)
        }

        #expect(counts == [1_000, 1_000, 500])
    }

    @Test func `a page has at most 1 MiB and at least one event`() throws {
        let fixture = try HubFixture()
        fixture.sendEvents(1...4, more: #","text":"\#(String(repeating: "x", count: 700_000))""#)
        try fixture.waitUntilReceived(4)
        var since = "2001-02-03T04:05:06Z"
        var seen = 0
        while seen < 4 {
            let answer = try fixture.gateway.request("GET", "/projects/demo/events?wait=1&since=\(since)")
            let count = try #require(answer.json["events"]?.elements?.count)
            #expect(count >= 1)
            #expect(answer.body.count <= 1 << 20)
            since = try #require(answer.json["next"]?.text)
            seen += count
        }

        #expect(seen == 4)
    }

    @Test func `a page has at most one gap, which precedes its events`() throws {
        let fixture = try HubFixture()
        fixture.sendEvents(1...2)
        try fixture.waitUntilReceived(2)
        for round in 2...3 {
            fixture.instance.events.close()
            try fixture.instance.events.openings.wait(forCount: round)
            fixture.sendEvents((round + 1)...(round + 1))
            try fixture.waitUntilReceived(round + 1)
        }
        var since = "2001-02-03T04:05:06Z"
        var pages: [[String]] = []
        for _ in 0..<3 {
            let page = try fixture.page("?wait=1&since=\(since)")
            let numbers = page["events"]?.elements?.compactMap { $0["event"]?["properties"]?["n"]?.text } ?? []
            pages.append([page["gap"]?["reason"]?.text ?? "none"] + numbers)
            since = try #require(page["next"]?.text)
        }

        #expect(pages == [["none", "1", "2"], ["upstream-lost", "3"], ["upstream-lost", "4"]])
    }

    @Test func `a gap without events is returned at the end of the wait`() throws {
        let fixture = try HubFixture()
        fixture.sendEvents(1...1)
        try fixture.waitUntilReceived(1)
        fixture.instance.events.close()
        try fixture.instance.events.openings.wait(forCount: 2)
        try fixture.open().connected()
        let since = try #require(try fixture.state()["last"]?.text)
        let start = ContinuousClock.now
        let page = try fixture.page("?wait=1&since=\(since)")

        #expect(start.duration(to: .now) >= .milliseconds(900))
        #expect(page["gap"]?["reason"]?.text == "upstream-lost")
        #expect(page["events"] == [])
        #expect(page["next"]?.text == since)
    }

    @Test func `a waiting page is answered when the gateway shuts down`() throws {
        let fixture = try HubFixture()
        let connection = try fixture.gateway.connect()

        // A loop has accepted the connection.
        #expect(try connection.exchange("GET", "/health").status == 200)

        try connection.send("GET", "/projects/demo/events?wait=60", headers: [GatewayUnderTest.authorization])

        #expect(try connection.staysSilent(for: .milliseconds(300)))

        fixture.gateway.process.terminate()
        let page = try ResponseReader(connection).readAll()

        #expect(page.status == 200)
        #expect(page.json["events"] == [])
        #expect(try fixture.gateway.process.waitForExit() == .exited(0))
    }
}
