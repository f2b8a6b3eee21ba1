import TestKit
import Testing

@testable import opencode_twin

/// Streams that are asked for while the gateway ends: they would be cut at once, and who takes that for their end does not come back.
@Suite struct StreamsAtTheEndTests {
    private static let ending = #"{"detail":"The gateway is shutting down. Try again in a moment."}"#

    /// Sends the rest of a request.
    private func isRefused(_ client: TestConnection) throws {
        try client.write("\r\n")
        let answer = try ResponseReader(client).readAll(within: .seconds(5))
        #expect(answer.status == 503 && answer.text == Self.ending, "\(answer.status) \(answer.text)")
    }

    @Test func noneOfARunningInstanceBegins() throws {
        let rig = try HubRig()
        let clients = try ["/projects/demo/api/event", "/projects/demo/api/global/event", "/projects/demo/events"]
            .map { try rig.gateway.beginRequest("GET", $0) }
        try rig.gateway.endListening()
        for client in clients { try isRefused(client) }
        #expect(try rig.gateway.process.waitForExit() == .exited(0))
    }

    @Test func noneWaitsForAnInstanceThatStarts() throws {
        let rig = try TwinRig(
            "banner-late=60000", flags: ["--start-answer-timeout", "300ms"],
            environment: ["TWIN_ENDS_WITH_PARENT": "1"])
        #expect(try rig.start().status == 504)
        let client = try rig.gateway.beginRequest("GET", "/projects/demo/api/event")
        try rig.gateway.endListening()
        try isRefused(client)
        #expect(try rig.gateway.process.waitForExit(within: TwinRig.patience) == .exited(0))
    }
}
