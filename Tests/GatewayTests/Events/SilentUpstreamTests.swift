// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests an instance's stream that becomes silent. After 30 s, three heartbeats are missing (1.2.7 and later).
@Suite(.onTestThreads) struct SilentUpstreamTests {
    @Test func `a silent stream that resumes is kept, and events on both streams are sent once`() throws {
        let fixture = try HubFixture(version: "1.18.33")
        let client = try fixture.open()
        try client.connected()
        fixture.sendEvents(1...1)

        #expect(try client.numbers(1) == [1])

        try fixture.instance.events.openings.wait(forCount: 2, within: .seconds(60))
        fixture.sendEvents(2...3)

        #expect(try client.numbers(2) == [2, 3])

        fixture.sendEvents(4...4)

        #expect(try client.numbers(1) == [4])
        #expect(try fixture.state()["gaps"] == .integer(0))
        #expect(fixture.instance.events.openings.count == 2)
    }

    @Test func `a stream that stays silent is closed, and a gap reports the loss`() throws {
        let fixture = try HubFixture(version: "1.18.33")
        let client = try fixture.open()
        try client.connected()
        let start = ContinuousClock.now
        fixture.sendEvents(1...1)

        #expect(try client.numbers(1) == [1])

        fixture.instance.events.mute()

        #expect(try client.next(within: .seconds(60)) == nil)
        #expect(start.duration(to: .now) > .seconds(25))
        #expect(fixture.instance.events.openings.count == 2)

        let again = try fixture.open(after: client.lastID)
        try again.connected()

        #expect(try again.nextEvent()?.gap?["reason"]?.text == "upstream-lost")

        fixture.sendEvents(2...2)

        #expect(try again.numbers(1) == [2])
    }
}
