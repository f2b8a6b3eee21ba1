// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that SIGHUP changes which projects' events are sent, even for a running instance.
@Suite(.onTestThreads) struct PinningReloadTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    private func configure(pins: Bool) throws -> String {
        try files.write("VIBE_DIRECTORY_PINNING=\(pins ? "on" : "off")\n", to: "config")
    }

    @Test func `after a reload enables directory pinning, later events of other directories are omitted`() throws {
        let fixture = try HubFixture(environment: ["VIBE_CONFIG": try configure(pins: false)])
        let all = "?since=2000-01-01T00:00:00Z"
        let before = try fixture.openGatewayStream(all)
        fixture.sendEvent(payload: HubFixture.payload(1), in: "/elsewhere")
        fixture.sendEvent(payload: HubFixture.payload(2))

        #expect(try before.numbers(2) == [1, 2])

        _ = try configure(pins: true)
        fixture.gateway.process.terminate(SIGHUP)
        try fixture.gateway.process.waitForLine(on: .error) { $0.contains("settings reloaded") }
        try fixture.instance.events.openings.wait(forCount: 2)

        // A client that was connected before receives a gap, because events may be missing.
        #expect(try before.nextEvent()?.gap?["reason"]?.text == "upstream-lost")

        fixture.sendEvent(payload: HubFixture.payload(3), in: "/elsewhere")
        fixture.sendEvent(payload: HubFixture.payload(4))

        #expect(try before.numbers(1) == [4])
        // Events retained before the change remain.
        #expect(try fixture.openGatewayStream(all).numbers(4) == [1, 2, -1, 4])
    }
}
