// SPDX-License-Identifier: Apache-2.0

import Access
import EventLoop
import FrameCases
import HTTPTypes
import Logging
import TestKit
import Testing

@testable import ConversationServing
@testable import GatewayCore
@testable import GatewayServer

/// Tests the handshake of a chat's WebSocket, and the access to the chat.
@Suite(.timeLimit(.minutes(5))) struct ChatHandshakeTests {
    private static let plainKey = "plain-key.that_is~long"
    private static let policy = ChatFixture.policy([("spaces", ChatFixture.key), ("plain", plainKey)], failedTries: 2)
    /// The key `ChatFixture.key` in base64url without padding.
    private static let encoded = "YSBrZXkgd2l0aCBzcGFjZXMsIGFuZCBsb25nIGVub3VnaA"

    @Test func `a chat opens with a key in Authorization or in the subprotocol, which is echoed`() async throws {
        let fixture = try await ChatFixture(policy: Self.policy)
        defer { fixture.plane.stop() }
        try await onThread {
            let protocolName = "Sec-WebSocket-Protocol"
            for port in [fixture.port, fixture.chatPort] {
                for (fields, chosen) in [
                    ([ChatFixture.authorization], []),
                    ([(protocolName, "vibe.\(Self.plainKey)")], ["vibe.\(Self.plainKey)"]),
                    ([(protocolName, "chat, vibe.\(Self.encoded)")], ["vibe.\(Self.encoded)"]),
                    // A browser that has offered subprotocols requires that the server selects one.
                    ([ChatFixture.authorization, (protocolName, "vibe.whatever")], ["vibe.whatever"]),
                    ([ChatFixture.authorization, (protocolName, "chat")], []),
                ] as [([(String, String)], [String])] {
                    let client = try ChatClient(port: port, "/chat", fields)
                    #expect(client.head.values(of: protocolName) == chosen)
                    #expect(client.head.values(of: "Sec-WebSocket-Accept") == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
                    #expect(client.head.values(of: "Upgrade") == ["websocket"])
                    #expect(client.head.values(of: "Connection").map { $0.lowercased() } == ["upgrade"])
                    #expect(client.head.values(of: "Sec-WebSocket-Extensions") == [])
                    #expect(try client.echo("hello") == "hello")
                    try client.close()
                }
            }
        }
        let each = ["spaces", "plain", "spaces", "spaces", "spaces"].map { "opened \($0)" }

        #expect(fixture.received.values.filter { $0 != "ended" } == each + each)
    }

    @Test func `a handshake without a valid key is rejected and opens no chat`() async throws {
        let fixture = try await ChatFixture(policy: Self.policy)
        defer { fixture.plane.stop() }
        try await onThread {
            for port in [fixture.port, fixture.chatPort] {
                for fields in [
                    [], [("Authorization", "Bearer wrong")], [("Sec-WebSocket-Protocol", "chat")],
                    [("Sec-WebSocket-Protocol", "vibe.")], [("Sec-WebSocket-Protocol", "vibe.wrong")],
                    [("Authorization", "Bearer wrong"), ("Sec-WebSocket-Protocol", "vibe.\(Self.plainKey)")],
                ] as [[(String, String)]] {
                    let answer = try ChatFixture.refusal(port: port, fields)
                    #expect(answer.status == 401 || answer.status == 429, "\(fields)")
                    #expect(answer.values(of: "WWW-Authenticate") == (answer.status == 401 ? ["Bearer"] : []))
                    #expect(answer.values(of: "Upgrade") == [])
                }
            }
        }

        #expect(fixture.received.count == 0)
    }

    @Test func `a wrong key in a subprotocol counts as a failed attempt`() async throws {
        let fixture = try await ChatFixture(policy: Self.policy)
        defer { fixture.plane.stop() }
        let statuses = try await onThread {
            try (0..<4).map {
                try ChatFixture.refusal(port: fixture.port, [("Sec-WebSocket-Protocol", "vibe.wrong\($0)")]).status
            }
        }

        #expect(statuses == [401, 401, 429, 429])
    }

    @Test func `each invalid WebSocket handshake is rejected with 400, 405 or 426`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }

        try await onThread {
            for (port, target) in [(fixture.port, "/chat"), (fixture.chatPort, "/"), (fixture.chatPort, "/projects")] {
                let plain = try TestClient.request(port: port, "GET", target, headers: [ChatFixture.authorization])
                #expect(plain.status == 426)
                #expect(plain.values(of: "Upgrade") == ["websocket"])

                let version = try ChatFixture.refusal(
                    port: port, [ChatFixture.authorization, ("Sec-WebSocket-Version", "8")], target)
                #expect(version.status == 426)
                #expect(version.values(of: "Sec-WebSocket-Version") == ["13"])

                let key = try ChatFixture.refusal(
                    port: port, [ChatFixture.authorization, ("Sec-WebSocket-Key", "short")], target)
                #expect(key.status == 400)

                let post = try TestClient.request(
                    port: port, "POST", target, headers: [ChatFixture.authorization] + ChatFixture.upgrade)
                #expect(post.status == 405)
                #expect(post.values(of: "Allow") == ["GET, HEAD"])
            }
        }
    }

    @Test func `frames that follow the handshake immediately are not lost`() async throws {
        let fixture = try await ChatFixture()
        defer { fixture.plane.stop() }

        try await onThread {
            let early = ClientFrame(1, "one").bytes + ClientFrame(1, "two").bytes

            for cut in [early.count, 3, 12] {
                let client = try ChatClient(
                    port: fixture.chatPort, "/?project=x", [ChatFixture.authorization], early: Array(early[..<cut]))
                try client.connection.write(early[cut...])
                #expect(try client.receiveText() == "one")
                #expect(try client.receiveText() == "two")
                try client.close()
            }
        }
    }

    @Test func `the chat handler can reject a handshake by its query`() async throws {
        let fixture = try await ChatFixture { opening in
            opening.query["project"] == "there" ? .accepted(Listening()) : .refused(ControlAnswers.projectNotFound("x"))
        }
        defer { fixture.plane.stop() }

        try await onThread {
            #expect(
                try ChatFixture.refusal(port: fixture.port, [ChatFixture.authorization], "/chat?project=x").status
                    == 404)
            try ChatClient(port: fixture.port, "/chat?project=there", [ChatFixture.authorization]).close()
        }
    }

    @Test func `without a chat handler there is no /chat and --chat-listen is rejected`() throws {
        #expect(EndpointTable.gateway.match(RequestHead(.get, "/chat")) == .notFound)

        let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
        var setUp = DataPlane.SetUp(
            address: address, threads: 1, policy: Policy(key: ChatFixture.key), log: .init(sink: LogKeeper()),
            control: NoProjects())
        setUp.endpointListeners = [EndpointListener(.chat, setting: "--chat-listen", address: address, isOpen: false)]
        let failure = #expect(throws: DataPlaneError.self) { try DataPlane(setUp) }

        #expect(failure?.description.contains("(--chat-listen). Remove --chat-listen.") == true)
    }
}
