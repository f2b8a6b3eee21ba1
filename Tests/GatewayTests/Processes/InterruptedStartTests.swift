// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests a start that is in progress when the gateway shuts down.
@Suite(.onTestThreads) struct InterruptedStartTests {
    @Test func `a client that waits for a start receives an error when the gateway shuts down`() throws {
        let fixture = try SimulatorFixture("banner-never")
        let connection = try fixture.gateway.connect()
        try connection.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
        try fixture.waitForLog("starting")
        fixture.gateway.process.terminate()
        let answer = try ResponseReader(connection).readAll()

        #expect(answer.status == 500)
        #expect(answer.text == #"{"detail":"Failed to start service: the gateway is shutting down."}"#)
        #expect(try fixture.gateway.process.waitForExit(within: SimulatorFixture.patience) == .exited(0))
    }
}
