// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests streams that are requested while the gateway shuts down. They would be aborted immediately, and a client that
/// mistakes this for a regular end would not reconnect.
@Suite(.onTestThreads) struct StreamShutdownTests {
    private static let ending = #"{"detail":"The gateway is shutting down. Try again in a moment."}"#

    /// Sends the remainder of a request and expects a refusal.
    private func isRefused(_ client: TestConnection) throws {
        try client.write("\r\n")
        let answer = try ResponseReader(client).readAll(within: .seconds(5))
        #expect(answer.status == 503, "\(answer.status) \(answer.text)")
        #expect(answer.text == Self.ending, "\(answer.status) \(answer.text)")
    }

    @Test func `a stream of a running instance is rejected with 503 during shutdown`() throws {
        let fixture = try HubFixture()
        let clients = try ["/projects/demo/api/event", "/projects/demo/api/global/event", "/projects/demo/events"]
            .map { try fixture.gateway.startRequest("GET", $0) }
        try fixture.gateway.stopListening()
        for client in clients { try isRefused(client) }

        #expect(try fixture.gateway.process.waitForExit() == .exited(0))
    }

    @Test func `a stream of a starting instance is rejected with 503 during shutdown`() throws {
        let fixture = try SimulatorFixture(
            "banner-late=60000", flags: ["--start-answer-timeout", "300ms"],
            environment: ["SIMULATOR_ENDS_WITH_PARENT": "1"])

        #expect(try fixture.start().status == 504)

        let client = try fixture.gateway.startRequest("GET", "/projects/demo/api/event")
        try fixture.gateway.stopListening()
        try isRefused(client)

        #expect(try fixture.gateway.process.waitForExit(within: SimulatorFixture.patience) == .exited(0))
    }
}
