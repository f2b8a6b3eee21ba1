// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the gateway's own streams of events.
@Suite(.onTestThreads) struct GatewayStreamTests {
    @Test func `each event contains its project, its directory and its unchanged bytes`() throws {
        let fixture = try HubFixture()
        let client = try fixture.openGatewayStream()

        #expect(try client.next()?.retry != nil)

        fixture.sendEvents(1...1)
        let frame = try #require(try client.nextEvent())

        #expect(
            frame.data == #"{"project":"demo","directory":"\#(fixture.folder)","event":\#(HubFixture.payload(1))}"#)
        #expect(frame.id?.split(separator: "-").count == 2)
        #expect(frame.event == nil)
    }

    @Test(arguments: ["/events", "/events?wait=0"])
    func `a request for a new project's events is accepted at once`(resource: String) throws {
        let fixture = try HubFixture()

        for number in 0..<20 {
            let client = try fixture.gateway.connect()
            defer { client.close() }
            try fixture.gateway.whileStopped {
                try fixture.gateway.makeProject("new\(number)")
                try client.send("GET", "/projects/new\(number)\(resource)", headers: [GatewayUnderTest.authorization])
            }
            #expect(try ResponseReader(client, method: "GET").readHead(within: .seconds(60)).status == 200)
        }

        try fixture.gateway.expect(
            "GET", "/projects/unknown\(resource)", 404, #"{"detail":"Project not found: unknown"}"#)
    }

    @Test func `event ids are the same as on OpenCode's streams`() throws {
        let fixture = try HubFixture()
        let (gatewayStream, plain) = try (fixture.openGatewayStream(), fixture.open())
        _ = try gatewayStream.next()
        try plain.connected()

        fixture.sendEvents(1...3)

        for _ in 0..<3 { #expect(try gatewayStream.nextEvent()?.id == plain.nextEvent()?.id) }
    }

    /// Otherwise, a client that sends a prompt after the head would miss the prompt's first events and everything
    /// derived from them.
    @Test(arguments: ["/projects/demo/events", "/events"])
    func `a stream begins once the gateway receives the instance's events`(path: String) throws {
        let fixture = try HubFixture()
        fixture.instance.events.withholdFirst(true)
        fixture.instance.events.close()
        try fixture.instance.events.openings.wait(forCount: 2)
        let client = try fixture.openGatewayStream(path: path)

        #expect(throws: TestKitError.self) { try client.next(within: .milliseconds(500)) }

        fixture.instance.events.withholdFirst(false)
        _ = try client.next()
        fixture.sendEvents(1...1)

        #expect(try client.numbers(1) == [1])
    }

    @Test(arguments: ["/projects/demo/events", "/events"])
    func `a stream begins within 10 s although the instance refuses its events`(path: String) throws {
        let fixture = try HubFixture()
        fixture.instance.events.refuse(.error)
        fixture.instance.events.close()
        try fixture.gateway.waitForLog("Cannot subscribe to OpenCode's events")

        // A page does not wait at all.
        #expect(try fixture.page("?wait=0&since=now", path: path)["events"]?.elements?.isEmpty == true)

        let client = try fixture.openGatewayStream(path: path)

        #expect(try client.next(within: .seconds(10))?.retry != nil)
    }

    /// The position is known, but the children are not known yet.
    @Test func `a child session that is created during the query for children is included`() throws {
        let fixture = try HubFixture()
        let (isAsked, mayAnswer) = (Latch("the query for the child sessions"), Latch("the answer"))
        fixture.instance.route("GET /session/ses_1/children") { connection, head in
            isAsked.open()
            try mayAnswer.wait()
            try connection.respond(200, text: head.target)
        }
        let client = try fixture.openGatewayStream("?session=ses_1")
        try isAsked.wait()
        fixture.sendEvent(
            payload: HubFixture.payload(
                1, "session.created", session: "ses_2",
                more: #","info":{"id":"ses_2","parentID":"ses_1","directory":"\#(fixture.folder)"}"#))
        try fixture.waitUntilReceived(1)
        mayAnswer.open()
        _ = try client.next()
        fixture.sendEvent(payload: HubFixture.payload(2, session: "ses_2"))
        fixture.sendEvents(3...5)

        #expect(try client.numbers(3) == [1, 2, 3])
    }

    @Test func `since accepts an event id, now or a time`() throws {
        let fixture = try HubFixture()
        let first = try fixture.openGatewayStream("?since=now")
        _ = try first.next()
        fixture.sendEvents(1...3)

        #expect(try first.numbers(2) == [1, 2])

        let id = try #require(first.lastID)

        #expect(try fixture.openGatewayStream("?since=\(id)").numbers(1) == [3])
        #expect(try fixture.openGatewayStream(after: id).numbers(1) == [3])
        #expect(try fixture.openGatewayStream("?since=2001-02-03T04:05:06Z").numbers(3) == [1, 2, 3])
        #expect(try fixture.openGatewayStream("?since=2001-02-03T04:05:06.7%2B02:00").numbers(3) == [1, 2, 3])

        let late = try fixture.openGatewayStream("?since=2999-01-01T00:00:00Z")
        _ = try late.next()
        fixture.sendEvents(4...4)

        #expect(try late.numbers(1) == [4])

        let unknown = try fixture.openGatewayStream("?since=never")
        let gap = try #require(try unknown.nextEvent())

        #expect(gap.event == "gap")
        #expect(gap.data == #"{"project":"demo","from":null,"to":null,"reason":"unknown-id"}"#)
    }

    @Test func `a stream contains only the event types that it names`() throws {
        let fixture = try HubFixture()
        let client = try fixture.openGatewayStream("?types=message.*,permission.asked")
        _ = try client.next()
        for (number, type) in [
            "message.updated", "session.idle", "message.part.delta", "permission.asked", "permission.replied",
            "messages", "message.removed",
        ].enumerated() {
            fixture.sendEvent(payload: HubFixture.payload(number, type))
        }

        #expect(try client.numbers(4) == [0, 2, 3, 6])
    }

    @Test func `a stream of a session contains the events of its children`() throws {
        let fixture = try HubFixture()
        let client = try fixture.openGatewayStream("?session=ses_1")
        _ = try client.next()
        fixture.sendEvent(payload: HubFixture.payload(1, session: "ses_2"))
        fixture.sendEvent(payload: HubFixture.payload(2))
        fixture.sendEvent(
            payload: HubFixture.payload(
                3, "session.created", session: "ses_3",
                more: #","info":{"id":"ses_3","parentID":"ses_1","directory":"\#(fixture.folder)"}"#))
        fixture.sendEvent(payload: HubFixture.payload(4, session: "ses_3"))
        fixture.sendEvent(payload: HubFixture.payload(5, session: "ses_4"))
        fixture.sendEvent(payload: HubFixture.payload(6))

        #expect(try client.numbers(4) == [2, 3, 4, 6])
    }

    @Test(arguments: ["/projects/demo/events", "/events"])
    func `a stream of a session contains the events of children older than the event log`(path: String) throws {
        let fixture = try HubFixture()
        fixture.instance.route("GET /session/ses_1/children", #"[{"id":"ses_2","parentID":"ses_1"},{"id":"ses_3"}]"#)
        fixture.instance.route("GET /session/ses_2/children", #"[{"id":"ses_5","parentID":"ses_2"}]"#)
        let client = try fixture.openGatewayStream("?session=ses_1", path: path)
        _ = try client.next()
        for (number, session) in ["ses_1", "ses_2", "ses_3", "ses_4", "ses_5"].enumerated() {
            fixture.sendEvent(payload: HubFixture.payload(number, session: session))
        }

        #expect(try client.numbers(4) == [0, 1, 2, 4])
    }

    @Test func `a filtered client's position advances with the events that are omitted`() throws {
        let fixture = try HubFixture()
        let client = try fixture.openGatewayStream("?types=session.idle")
        _ = try client.next()
        fixture.sendEvents(1...3)
        // Comments arrive every 15 s.
        let frame = try #require(try client.next(within: .seconds(30)))

        #expect(!frame.comments.isEmpty)
        #expect(frame.data == nil)

        let all = try fixture.openGatewayStream("?since=2001-02-03T04:05:06Z")

        #expect(try all.numbers(3) == [1, 2, 3])
        #expect(frame.id == all.lastID)
    }

    @Test func `a stream stays open while the project stops and starts`() throws {
        let fixture = try HubFixture()
        let client = try fixture.openGatewayStream()
        _ = try client.next()
        fixture.sendEvents(1...2)

        #expect(try client.numbers(2) == [1, 2])

        let before = try #require(client.lastID)

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)
        // Retained events are served while the project is stopped.
        #expect(try fixture.openGatewayStream("?since=2001-02-03T04:05:06Z").numbers(2) == [1, 2])
        #expect(try fixture.state()["upstream"]?.text == "off")
        #expect(try fixture.gateway.request("POST", "/projects/demo/start").status == 200)

        try fixture.instance.events.openings.wait(forCount: 2)
        fixture.sendEvents(3...3)
        let gap = try #require(try client.nextEvent())

        #expect(gap.event == "gap")
        #expect(gap.json["reason"]?.text == "stopped")
        #expect(gap.json["from"]?.text == before)
        #expect(try client.numbers(1) == [3])

        let again = try fixture.openGatewayStream("?since=\(before)")
        let reported = try #require(try again.nextEvent())

        #expect(reported.json["reason"]?.text == "stopped")
        #expect(try again.numbers(1) == [3])
        #expect(reported.json["to"]?.text == again.lastID)
    }

    @Test func `the stream of all projects resumes after its own event ids`() throws {
        let fixture = try HubFixture()
        let second = try FakeOpenCode().events().start()
        try fixture.gateway.start(second, as: "beta")
        try second.events.openings.wait(forCount: 1)
        let client = try fixture.openGatewayStream(path: "/events")
        _ = try client.next()
        fixture.sendEvents(1...1)

        #expect(try client.nextEvent()?.json["project"]?.text == "demo")

        let line = #"{"directory":"\#(fixture.gateway.home.path)/beta","payload":\#(HubFixture.payload(2))}"#
        second.events.send("data: \(line)\n\n")
        let middle = try #require(try client.nextEvent())

        #expect(middle.json["project"]?.text == "beta")

        fixture.sendEvents(3...3)

        #expect(try client.numbers(1) == [3])

        let again = try fixture.openGatewayStream(after: middle.id, path: "/events")

        #expect(try again.numbers(1) == [3])

        let page = try fixture.page("?wait=1&since=\(middle.id ?? "")", path: "/events")

        #expect(page["events"]?.elements?.count == 1)
        #expect(page["next"]?.text == again.lastID)
    }

    @Test func `the state reports the subscribers, the retained events and the upstream connection`() throws {
        let fixture = try HubFixture()
        let empty = try fixture.state()

        #expect(empty["first"] == .null)
        #expect(empty["last"] == .null)
        #expect(empty["subscribers"] == .integer(0))

        let (client, plain) = try (fixture.openGatewayStream(), fixture.open())
        _ = try client.next()
        try plain.connected()
        fixture.sendEvents(1...2)
        let ids = try (0..<2).map { _ in try client.nextEvent()?.id }
        let state = try fixture.state()

        #expect(state["first"]?.text == ids[0])
        #expect(state["last"]?.text == ids[1])
        #expect(state["upstream"]?.text == "connected")
        #expect(state["subscribers"] == .integer(2))
        #expect(state["gaps"] == .integer(0))
        #expect(try fixture.gateway.request("GET", "/projects/unknown/events/state").status == 404)
    }
}
