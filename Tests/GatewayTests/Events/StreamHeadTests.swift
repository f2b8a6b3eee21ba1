// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that the head and the first event of hub streams are equal to the head and the first event that OpenCode
/// sends.
@Suite(.onTestThreads) struct StreamHeadTests {
    @Test func `an event stream has the header fields that OpenCode sends`() throws {
        let fixture = try HubFixture()
        let stream = try fixture.open()

        try stream.connected()

        let head = try stream.reader.response.readHead()

        #expect(head.values(of: "X-Content-Type-Options") == ["nosniff"])
        #expect(head.values(of: "Vary") == ["Origin"])
    }

    /// A client that ignores known ids would miss the request to reload its state.
    @Test(arguments: [("1.2.27", false), ("1.18.33", true), ("2.0.15", true)])
    func `every stream begins with its own server.connected`(version: String, hasID: Bool) throws {
        let simulator = try BuiltProducts.path("opencode-simulator")
        let gateway = try GatewayUnderTest(
            environment: ["VIBE_EVENT_HUB": "on"], opencode: "\(simulator) --profile \(version)")
        try gateway.makeProject("demo")

        #expect(try gateway.request("POST", "/projects/demo/start", within: .seconds(60)).status == 200)

        let path = version.hasPrefix("2") ? "/api/event" : "/global/event"

        let ids = try (0..<3).map { _ in
            let stream = try StreamClient(gateway, "/projects/demo/api\(path)")
            defer { stream.close() }
            return try stream.connected().data?.firstMatch(of: /"id":"(evt_\w+)"/).map { String($0.1) }
        }

        #expect(ids.allSatisfy { ($0 != nil) == hasID }, "\(ids)")
        #expect(!hasID || Set(ids).count == 3, "\(ids)")
    }
}
