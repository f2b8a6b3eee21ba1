// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import WebSockets

/// Tests the opening handshake of RFC 6455 §4.2.
@Suite struct OpeningHandshakeTests {
    /// Returns the request of RFC 6455 §1.3 with some fields replaced; nil removes a field.
    private static func head(_ changes: [(String, String?)] = []) -> RequestHead {
        let head = RequestHead()
        head.target = Array("/chat".utf8)
        let usual: [(String, String?)] = [
            ("Host", "localhost:9200"), ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
        ]
        let kept = usual.filter { field in !changes.contains { $0.0 == field.0 } }
        for (name, value) in kept + changes { if let value { head.fields.append(name, value) } }
        return head
    }

    private static func refusal(_ head: RequestHead, _ framing: RequestFraming = .none) -> OpeningHandshake
        .HandshakeError?
    {
        do throws(OpeningHandshake.HandshakeError) {
            _ = try OpeningHandshake.answer(head, framing)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the example key of RFC 6455 is answered with its Sec-WebSocket-Accept`() throws {
        let answer = try OpeningHandshake.answer(Self.head([("Sec-WebSocket-Extensions", "permessage-deflate")]), .none)

        #expect(answer.status == 101)

        var lines: [UInt8] = []
        answer.fields.appendLines(to: &lines)

        #expect(
            String(decoding: lines, as: UTF8.self)
                == "Upgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")
    }

    @Test func `the first subprotocol that carries a key is selected`() throws {
        let fields: [(String, String?)] = [
            ("Sec-WebSocket-Protocol", "chat, vibe.one"), ("sec-websocket-protocol", "vibe.two"),
        ]
        let answer = try OpeningHandshake.answer(Self.head(fields), .none)

        #expect(
            (0..<answer.fields.count).map { String(decoding: answer.fields.value(at: $0), as: UTF8.self) }.last
                == "vibe.one")
        #expect(
            OpeningHandshake.offeredKeyProtocol(Self.head([("Sec-WebSocket-Protocol", "chat, Vibe.x")]).fields) == nil)
        #expect(OpeningHandshake.offeredKeyProtocol(Self.head().fields) == nil)
    }

    @Test func `a request that is not a WebSocket upgrade is rejected`() {
        #expect(Self.refusal(Self.head([("Upgrade", nil)])) == .noUpgrade)
        #expect(Self.refusal(Self.head([("Upgrade", "h2c")])) == .noUpgrade)
        #expect(Self.refusal(Self.head([("Connection", "keep-alive")])) == .noUpgrade)

        let post = Self.head()
        post.method = .post

        #expect(Self.refusal(post) == .noUpgrade)

        let old = Self.head()
        old.version = .http10

        #expect(Self.refusal(old) == .noUpgrade)
        #expect(Self.refusal(Self.head([("Upgrade", "WebSocket"), ("Connection", "UPGRADE")])) == nil)
    }

    @Test(arguments: [nil, "8", "013", "13, 8", "14", ""] as [String?])
    func `each Sec-WebSocket-Version other than 13 is rejected`(_ version: String?) {
        #expect(Self.refusal(Self.head([("Sec-WebSocket-Version", version)])) == .wrongVersion)
    }

    @Test func `a repeated Sec-WebSocket-Version is rejected`() {
        let twice: [(String, String?)] = [("Sec-WebSocket-Version", "13"), ("sec-websocket-version", "13")]

        #expect(Self.refusal(Self.head(twice)) == .wrongVersion)
    }

    @Test(
        arguments: [
            nil, "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25jZQ=a",
            "dGhlIHNhbXBsZSBub25jZSE=", "dGhlIHNhbXBsZSBub25-ZQ==", "dGhlIHNhbXBsZSBub25jZXh4eA==",
        ] as [String?])
    func `each Sec-WebSocket-Key that does not encode 16 bytes in Base64 is rejected`(_ key: String?) {
        #expect(Self.refusal(Self.head([("Sec-WebSocket-Key", key)])) == .badKey)
    }

    @Test func `a handshake request with a body is rejected`() {
        #expect(Self.refusal(Self.head(), .length(1)) == .hasBody)
        #expect(Self.refusal(Self.head(), .chunked) == .hasBody)
    }
}
