import Access
import EventLoop
import FrameCases
import HTTPTypes
import Logging
import TestKit
import Testing

@testable import Gateway

/// How a chat's WebSocket is opened, and who may open one.
@Suite(.timeLimit(.minutes(5))) struct ChatHandshakeTests {
    private static let plainKey = "plain-key.that_is~long"
    private static let policy = ChatRig.policy([("spaces", ChatRig.key), ("plain", plainKey)], failedTries: 2)
    /// `ChatRig.key` in base64url without padding.
    private static let encoded = "YSBrZXkgd2l0aCBzcGFjZXMsIGFuZCBsb25nIGVub3VnaA"

    @Test("It opens with the key in Authorization or in the subprotocol, which is echoed")
    func keys() async throws {
        let rig = try await ChatRig(policy: Self.policy)
        defer { rig.plane.stop() }
        try await onThread {
            let protocolName = "Sec-WebSocket-Protocol"
            for port in [rig.port, rig.chatPort] {
                for (fields, chosen) in [
                    ([ChatRig.authorization], []),
                    ([(protocolName, "vibe.\(Self.plainKey)")], ["vibe.\(Self.plainKey)"]),
                    ([(protocolName, "chat, vibe.\(Self.encoded)")], ["vibe.\(Self.encoded)"]),
                    // A browser that has offered subprotocols wants one of them.
                    ([ChatRig.authorization, (protocolName, "vibe.whatever")], ["vibe.whatever"]),
                    ([ChatRig.authorization, (protocolName, "chat")], []),
                ] as [([(String, String)], [String])] {
                    let client = try ChatClient(port, "/chat", fields)
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
        #expect(rig.heard.values.filter { $0 != "ended" } == each + each)
    }

    @Test("Without a key, or with a wrong one, the answer is 401 and nothing opens")
    func noKey() async throws {
        let rig = try await ChatRig(policy: Self.policy)
        defer { rig.plane.stop() }
        try await onThread {
            for port in [rig.port, rig.chatPort] {
                for fields in [
                    [], [("Authorization", "Bearer wrong")], [("Sec-WebSocket-Protocol", "chat")],
                    [("Sec-WebSocket-Protocol", "vibe.")], [("Sec-WebSocket-Protocol", "vibe.wrong")],
                    [("Authorization", "Bearer wrong"), ("Sec-WebSocket-Protocol", "vibe.\(Self.plainKey)")],
                ] as [[(String, String)]] {
                    let answer = try ChatRig.refusal(port, fields)
                    #expect(answer.status == 401 || answer.status == 429, "\(fields)")
                    #expect(answer.values(of: "WWW-Authenticate") == (answer.status == 401 ? ["Bearer"] : []))
                    #expect(answer.values(of: "Upgrade") == [])
                }
            }
        }
        #expect(rig.heard.count == 0)
    }

    @Test("Wrong keys in subprotocols count as wrong keys")
    func wrongKeysCount() async throws {
        let rig = try await ChatRig(policy: Self.policy)
        defer { rig.plane.stop() }
        let statuses = try await onThread {
            try (0..<4).map { try ChatRig.refusal(rig.port, [("Sec-WebSocket-Protocol", "vibe.wrong\($0)")]).status }
        }
        #expect(statuses == [401, 401, 429, 429])
    }

    @Test("What asks for no WebSocket, or for another version, is told what is wanted")
    func otherRequests() async throws {
        let rig = try await ChatRig()
        defer { rig.plane.stop() }
        try await onThread {
            for (port, target) in [(rig.port, "/chat"), (rig.chatPort, "/"), (rig.chatPort, "/projects")] {
                let plain = try TestClient.request(port, "GET", target, headers: [ChatRig.authorization])
                #expect(plain.status == 426)
                #expect(plain.values(of: "Upgrade") == ["websocket"])
                let version = try ChatRig.refusal(
                    port, [ChatRig.authorization, ("Sec-WebSocket-Version", "8")], target)
                #expect(version.status == 426)
                #expect(version.values(of: "Sec-WebSocket-Version") == ["13"])
                let key = try ChatRig.refusal(port, [ChatRig.authorization, ("Sec-WebSocket-Key", "short")], target)
                #expect(key.status == 400)
                let post = try TestClient.request(
                    port, "POST", target, headers: [ChatRig.authorization] + ChatRig.upgrade)
                #expect(post.status == 405)
                #expect(post.values(of: "Allow") == ["GET, HEAD"])
            }
        }
    }

    @Test("What the client sends right behind its request is not lost")
    func early() async throws {
        let rig = try await ChatRig()
        defer { rig.plane.stop() }
        try await onThread {
            let early = ClientFrame(1, "one").bytes + ClientFrame(1, "two").bytes
            for cut in [early.count, 3, 12] {
                let client = try ChatClient(
                    rig.chatPort, "/?project=x", [ChatRig.authorization], early: Array(early[..<cut]))
                try client.connection.write(early[cut...])
                #expect(try client.readText() == "one")
                #expect(try client.readText() == "two")
                try client.close()
            }
        }
    }

    @Test("Who talks may refuse before the upgrade, by what the query says")
    func refused() async throws {
        let rig = try await ChatRig { opening in
            opening.query["project"] == "there" ? .talks(Listening()) : .refused(ControlAnswers.projectNotFound("x"))
        }
        defer { rig.plane.stop() }
        try await onThread {
            #expect(try ChatRig.refusal(rig.port, [ChatRig.authorization], "/chat?project=x").status == 404)
            try ChatClient(rig.port, "/chat?project=there", [ChatRig.authorization]).close()
        }
    }

    @Test("Without anybody who talks there is no chat, and no entrance to one")
    func absent() throws {
        #expect(EndpointTable.gateway.match(RequestHead(.get, "/chat")) == .notFound)
        let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
        var setUp = DataPlane.SetUp(
            address: address, threads: 1, policy: Policy(key: ChatRig.key), log: .init(sink: LogKeeper()),
            control: NoProjects())
        setUp.entrances = [Entrance(.chat, setting: "--chat-listen", address: address, isOpen: false)]
        let failure = #expect(throws: DataPlane.Failure.self) { try DataPlane(setUp) }
        #expect(failure?.description.contains("(--chat-listen) is not served") == true)
    }
}
