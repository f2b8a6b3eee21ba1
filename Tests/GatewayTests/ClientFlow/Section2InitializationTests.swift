// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Client flow, section 2: initialization", .onTestThreads)
struct Section2InitializationTests {
    @Test(arguments: OpenCodeVersion.spoken)
    func `the initialization steps 1 to 4 succeed in order`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)

        // Step 1: start OpenCode.
        let started = try app.startOpenCode()

        #expect(started.status == 200)
        #expect(started.json["name"]?.text == "demo")
        #expect(started.json["status"]?.text == "started")

        let port = started.json["port"]

        #expect(port != nil)
        #expect(port != 0)

        let again = try app.startOpenCode()

        #expect(again.status == 200)
        #expect(again.json["status"]?.text == "already_running")
        #expect(again.json["port"] == port)

        // Step 2: get or create a session.
        #expect(try app.api("GET", "/session").json == [])

        let created = try app.api("POST", "/session", #"{ "title": "New Session" }"#)

        #expect(created.status == 200)

        let id = try #require(created.json["id"]?.text)

        #expect(id.hasPrefix("ses_"))
        #expect(created.json["title"]?.text == "New Session")

        let listed = try #require(try app.api("GET", "/session").json.elements)

        #expect(listed.map { $0["id"]?.text } == [id])
        #expect(listed[0]["title"]?.text == "New Session")

        // The app expects milliseconds since 1970.
        guard case .integer(let milliseconds)? = listed[0]["time"]?["created"] else { throw TestFailure("no time") }

        #expect(milliseconds > 1_600_000_000_000)

        // Step 3: load providers.
        let providers = try app.api("GET", "/config/providers")

        #expect(providers.status == 200)

        let first = try #require(providers.json["providers"]?.elements?.first)

        #expect(first["id"]?.text == "simulator")
        #expect(first["models"]?["think"]?["name"]?.text == "Think")

        // Step 4: establish the stream before sending any message.
        let events = try app.openEvents()
        let head = try events.stream.response.readHead()

        #expect(head.status == 200)
        #expect(head.value(of: "Content-Type") == "text/event-stream")

        try events.readEvent()

        #expect(events.events[0]["type"]?.text == "server.connected")
        #expect(events.events[0]["properties"] == [:])
    }

    @Test(
        arguments: OpenCodeVersion.spoken)
    func `a stream sends server.connected at once without any message`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)

        #expect(try app.startOpenCode().status == 200)

        let start = ContinuousClock.now
        try app.openEvents().next("server.connected")

        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
