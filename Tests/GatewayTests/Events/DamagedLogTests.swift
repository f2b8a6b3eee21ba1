// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests an event log with an incomplete end, as after a power failure. Complete events are sent, and the remainder is
/// a gap.
@Suite(.onTestThreads) struct DamagedLogTests {
    @Test func `events before a damaged one are sent, and a gap reports the damage`() throws {
        let tools = try TemporaryDirectory()
        let opencode = try GatewayUnderTest.outlivingCommand(in: tools)
        let fixture = try HubFixture(opencode: opencode)
        fixture.sendEvents(1...20)
        try fixture.waitUntilReceived(20)
        let first = try fixture.openGatewayStream("?since=2000-01-01T00:00:00Z")

        #expect(try first.numbers(10) == Array(1...10))

        fixture.gateway.process.terminate(SIGKILL)
        try fixture.gateway.process.waitForExit()

        let folder = "\(fixture.gateway.stateFolder)/events/demo"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: "\(folder)/\(name)"))
        let bytes = [UInt8](try #require(try file.readToEnd()))
        // Flip one bit in the fifteenth event.
        let text = Array(#""n":"15""#.utf8)
        let offset = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [bytes[offset] ^ 1])
        try file.close()

        let gateway = try GatewayUnderTest(
            environment: ["VIBE_EVENT_HUB": "on"], opencode: opencode, after: fixture.gateway)
        try fixture.instance.events.openings.wait(forCount: 2)
        let again = try StreamClient(gateway, "/projects/demo/events?since=\(try #require(first.lastID))")

        #expect(try again.numbers(4) == Array(11...14))

        let gap = try #require(try again.nextEvent()?.gap)

        #expect(gap["reason"]?.text == "damaged")
        #expect(gap["from"]?.text == again.lastID)

        try gateway.terminate()
    }
}
