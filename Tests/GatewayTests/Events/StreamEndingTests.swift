// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the ends of hub streams, which have the same causes and the same kind of end as without a hub.
@Suite(.onTestThreads) struct StreamEndingTests {
    @Test(arguments: [FakeOpenCode.EventStreams.End.close, .reset, .clean])
    func `a lost instance stream ends client streams abnormally, and event ids continue`(
        end: FakeOpenCode.EventStreams.End
    )
        throws
    {
        let fixture = try HubFixture()
        let clients = try [fixture.open(), fixture.open("/event")]
        for client in clients { try client.connected() }
        fixture.sendEvents(1...2)
        for client in clients { #expect(try client.numbers(2) == [1, 2]) }
        fixture.instance.events.close(end)
        for client in clients { #expect(try client.endsAbnormally()) }
        try fixture.instance.events.openings.wait(forCount: 2)
        for (client, path) in zip(clients, ["/global/event", "/event"]) {
            let again = try fixture.open(path, after: client.lastID)
            try again.connected()
            // The events in the meantime are unknown.
            #expect(try again.nextEvent()?.gap?["reason"]?.text == "upstream-lost")
            again.close()
        }
        let live = try fixture.open()
        try live.connected()
        fixture.sendEvents(3...3)

        #expect(try live.numbers(1) == [3])

        // The generation stays the same, and the sequence continues.
        let ids = try [clients[0], live].map { try #require($0.lastID).split(separator: "-").compactMap { UInt64($0) } }

        #expect(ids[0][0] == ids[1][0])
        #expect(ids[1][1] == ids[0][1] + 1)
    }

    /// Otherwise, a client on a loop that does not know of the loss yet would miss the events until the hub is back.
    @Test func `a client that reconnects at once misses no event and receives no gap`() throws {
        let (clients, rounds) = (8, 25)
        let fixture = try HubFixture()
        let begun = Recorded<Void>("a stream that has begun")
        let gaps = Recorded<String>("a gap")
        let threads = try (0..<clients).map { _ in
            try TestThread {
                for _ in 0..<rounds {
                    guard let client = try? fixture.open(), (try? client.connected()) != nil else { return }
                    begun.append(())
                    while let frame = try? client.nextEvent() {
                        if let gap = frame.gap { gaps.append("\(gap)") }
                    }
                }
            }
        }
        for round in 1...rounds {
            try begun.wait(forCount: clients * round)
            fixture.instance.events.close(.reset)
        }
        for thread in threads { thread.join() }

        #expect(gaps.values.isEmpty)
    }

    @Test func `a stop ends streams abnormally, and a new stream is rejected with 503`() throws {
        let fixture = try HubFixture()
        let clients = try [fixture.open(), fixture.open("/event")]
        for client in clients { try client.connected() }

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)

        for client in clients { #expect(try client.endsAbnormally()) }
        let start = ContinuousClock.now
        let answer = try fixture.gateway.request("GET", "/projects/demo/api/event")

        #expect(answer.status == 503)
        #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test func `a crash ends streams abnormally, and the next run has a later generation`() throws {
        let fixture = try SimulatorFixture(
            flags: ["--restart-delay", "10ms"], environment: ["SIMULATOR_ENDS_WITH_PARENT": "1"])

        #expect(try fixture.start().status == 200)

        let client = try StreamClient(fixture.gateway, "/projects/demo/api/global/event")
        try client.connected()
        _ = try fixture.gateway.request("POST", "/projects/demo/api/session", body: Array("{}".utf8))
        while try #require(try client.nextEvent()).type != "session.created" {}
        kill(try #require(try fixture.status().pid), SIGKILL)

        #expect(try client.endsAbnormally())

        let old = try #require(client.lastID)
        // The instance is restarting, and a stream waits for it.
        let again = try StreamClient(
            fixture.gateway, "/projects/demo/api/global/event", headers: [("Last-Event-ID", old)])

        #expect(try again.reader.response.readHead(within: .seconds(30)).status == 200)

        try again.connected()
        var gap: JSON?
        while gap == nil { gap = try #require(try again.nextEvent()).gap }

        #expect(gap?["reason"]?.text == "instance-restarted")

        _ = try fixture.gateway.request("POST", "/projects/demo/api/session", body: Array("{}".utf8))
        while try #require(try again.nextEvent()).type != "session.created" {}
        let generations = try [old, #require(again.lastID)].compactMap { UInt64($0.prefix { $0 != "-" }) }

        #expect(generations[0] < generations[1])
    }

    @Test func `a dispose cleanly ends the streams of its directory and no others`() throws {
        let fixture = try HubFixture()
        let sub = try fixture.gateway.home.makeDirectory("demo/sub")
        let here = try fixture.open("/event")
        try here.connected()
        let other = try fixture.open("/event?directory=\(sub)")
        let everything = try fixture.open()
        for client in [other, everything] { try client.connected() }
        fixture.sendEvents(1...1)
        fixture.sendEvent(payload: Self.disposed(fixture.folder))

        // OpenCode sends nothing on that stream after this event.
        #expect(try here.numbers(1) == [1])
        #expect(try here.nextEvent()?.type == "server.instance.disposed")
        #expect(try here.readToEnd() == .complete)
        // The connection closes immediately, not only after --idle-timeout.
        #expect(try here.connection.waitForEnd(within: .seconds(5)) == .closed)

        fixture.sendEvents(2...2)
        fixture.sendEvent(payload: HubFixture.payload(3), in: sub)

        #expect(try other.numbers(1) == [3])
        #expect(try everything.numbers(4) == [1, -1, 2, 3])

        // The next stream of the directory opens it again.
        try fixture.open("/event").connected()

        #expect(
            fixture.instance.directoryEvents.openings.values.map(\.target) == [
                "/event", "/event?directory=\(sub)", "/event",
            ])
    }

    @Test func `a dispose in a replay is sent and does not end the stream`() throws {
        let fixture = try HubFixture()
        let first = try fixture.open("/event")
        try first.connected()
        fixture.sendEvents(1...1)

        #expect(try first.numbers(1) == [1])

        let id = try #require(first.lastID)
        fixture.sendEvent(payload: Self.disposed(fixture.folder))

        #expect(try first.nextEvent()?.type == "server.instance.disposed")
        #expect(try first.readToEnd() == .complete)

        let again = try fixture.open("/event", after: id)
        try again.connected()

        #expect(try again.nextEvent()?.type == "server.instance.disposed")

        fixture.sendEvents(2...2)

        #expect(try again.numbers(1) == [2])

        fixture.sendEvent(payload: Self.disposed(fixture.folder))

        #expect(try again.nextEvent()?.type == "server.instance.disposed")
        #expect(try again.readToEnd() == .complete)
    }

    private static func disposed(_ directory: String) -> String {
        #"{"type":"server.instance.disposed","properties":{"directory":"\#(directory)"}}"#
    }

    @Test func `no stream announces the end of its connection`() throws {
        let fixture = try HubFixture()

        for client in [try fixture.open(), try fixture.open("/event"), try fixture.openGatewayStream()] {
            let head = try client.reader.response.readHead()
            #expect(head.status == 200)
            #expect(head.value(of: "Content-Type") == "text/event-stream")
            #expect(head.value(of: "Connection") != "close")
        }
    }

    @Test func `a stream of a starting instance waits until the instance is ready`() throws {
        let fixture = try SimulatorFixture("banner-late=1200", environment: ["SIMULATOR_ENDS_WITH_PARENT": "1"])
        let start = try fixture.gateway.connect()
        try start.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
        try fixture.waitForLog("starting")
        let client = try StreamClient(fixture.gateway, "/projects/demo/api/event")

        #expect(try client.reader.response.readHead(within: .seconds(30)).status == 200)

        try client.connected()
    }

    @Test func `a stream of a starting instance waits no longer than the response to a start request`() throws {
        let fixture = try SimulatorFixture(
            "banner-late=60000", flags: ["--start-answer-timeout", "300ms", "--start-timeout", "60s"],
            environment: ["SIMULATOR_ENDS_WITH_PARENT": "1"])

        #expect(try fixture.start().status == 504)

        let begin = ContinuousClock.now

        #expect(try fixture.request("/event").status == 503)
        #expect(begin.duration(to: .now) < .seconds(15))
    }

    @Test func `without an event hub, only OpenCode's own streams are available`() throws {
        let fixture = try SimulatorFixture(
            flags: ["--event-hub", "off"], environment: ["SIMULATOR_ENDS_WITH_PARENT": "1"])

        #expect(try fixture.start().status == 200)

        let client = try StreamClient(fixture.gateway, "/projects/demo/api/event")
        let first = try client.connected()

        #expect(first.retry == nil)

        for path in ["/projects/demo/events", "/events", "/projects/demo/events/state"] {
            let answer = try fixture.gateway.request("GET", path)
            #expect(answer.status == 404)
            #expect(answer.text.contains("--event-hub"), "\(answer.text)")
        }
    }

    @Test func `hub=0 forwards a single stream without the hub`() throws {
        let fixture = try HubFixture()
        let client = try fixture.open("/global/event?hub=0")

        #expect(try client.connected().retry == nil)
        #expect(fixture.instance.events.openings.values.map(\.target) == ["/global/event", "/global/event"])

        fixture.sendEvents(1...1)
        let frame = try #require(try client.nextEvent())

        #expect(frame.number == 1)
        #expect(frame.id == nil)
    }
}
