// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import GatewayCore
@testable import GatewayServer

/// Tests that every GET route responds to HEAD with the same status and without a body (RFC 9110 §9.3.2).
@Suite(.onTestThreads) struct HeadRequestTests {
    /// A target for each endpoint that serves GET, including OpenCode's own streams and the streams of the other
    /// protocols.
    private static let targets =
        EndpointTable.gateway.endpoints.filter { $0.methods.contains(.get) && !$0.handler.isInstance }.map {
            $0.path.template.replacing("{name}", with: "demo")
        } + [
            "/projects/demo/events?wait=30", "/events?wait=30", "/projects/demo/events?speak=1&form=full",
            "/chat", "/models?project=demo",
            "/conversations?project=demo", "/conversations/unknown", "/nothing",
        ]

    private static func isStream(_ target: String) -> Bool {
        !target.contains("wait=")
            && (target.contains("/events") && !target.hasSuffix("/state") || target.contains("stream"))
    }

    @Test func `the connection serves the next request after HEAD at every endpoint`() throws {
        let fixture = try HubFixture(
            flags: ["--chat-listen", "127.0.0.1:0", "--conversations-listen", "127.0.0.1:0"],
            environment: ["VIBE_CHAT_PROJECT": "demo"])
        let connection = try fixture.gateway.connect()

        for target in Self.targets {
            let head = try connection.exchange("HEAD", target, headers: [GatewayUnderTest.authorization])
            let next = try connection.exchange("GET", "/health")

            #expect(head.body.isEmpty, "\(target)")
            #expect(next.status == 200, "\(target)")
            guard !Self.isStream(target) else {
                #expect(head.status == 200, "\(target)")
                continue
            }
            let short = target.replacing("wait=30", with: "wait=0")
            #expect(try fixture.gateway.request("GET", short).status == head.status, "\(target)")
        }
        // The requests have left no stream open.
        let state = try fixture.gateway.request("GET", "/projects/demo/events/state")

        #expect(state.text.contains(#""subscribers":0"#), "\(state.text)")
    }

    @Test(arguments: ["/event", "/global/event"])
    func `the response to HEAD ends at the translated streams of an OpenCode 2`(path: String) throws {
        let fixture = try BridgeFixture()
        let connection = try fixture.gateway.connect()

        let head = try connection.exchange(
            "HEAD", "/projects/demo/api\(path)", headers: [GatewayUnderTest.authorization])
        let next = try connection.exchange("GET", "/health")

        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(next.status == 200)
    }
}
