// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that no loss is reported as two gaps.
@Suite(.onTestThreads) struct GapEventTests {
    @Test func `a clean restart of the gateway causes one gap`() throws {
        let tools = try TemporaryDirectory()
        let opencode = try GatewayUnderTest.outlivingCommand(in: tools)
        let fixture = try HubFixture(opencode: opencode)
        fixture.sendEvents(1...1)
        try fixture.waitUntilReceived(1)
        let first = try fixture.openGatewayStream("?since=2000-01-01T00:00:00Z")
        let all = try StreamClient(fixture.gateway, "/events?since=2000-01-01T00:00:00Z")

        #expect(try first.numbers(1) == [1])
        #expect(try all.numbers(1) == [1])

        try fixture.gateway.terminate()

        let gateway = try GatewayUnderTest(
            environment: ["VIBE_EVENT_HUB": "on"], opencode: opencode, after: fixture.gateway)
        try gateway.start(fixture.instance)
        try fixture.instance.events.openings.wait(forCount: 2)
        let again = try StreamClient(gateway, "/projects/demo/events", headers: [("Last-Event-ID", first.lastID ?? "")])
        let allAgain = try StreamClient(gateway, "/events", headers: [("Last-Event-ID", all.lastID ?? "")])
        fixture.sendEvents(2...2)

        #expect(try again.nextEvent()?.gap != nil)
        #expect(try again.numbers(1) == [2])
        #expect(try allAgain.nextEvent()?.gap != nil)
        #expect(try allAgain.numbers(1) == [2])

        try gateway.terminate()
    }
}
