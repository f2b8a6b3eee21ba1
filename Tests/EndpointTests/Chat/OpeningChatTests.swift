// SPDX-License-Identifier: Apache-2.0

import Access
import FrameCases
import GatewayCore
import OpenCodeFamilies
import TestKit
import Testing
import WebSockets

@testable import ConversationServing
@testable import GatewayServer

/// Tests the checks between a client's admission and the opening of its socket.
@Suite struct OpeningChatTests {
    private static func keys(_ keys: [(name: String, secret: String)]) -> KeyTable {
        KeyTable(keys: keys.map { ($0.name, Array($0.secret.utf8)) })
    }

    private let before = keys([("one", "the first key is long enough"), ("two", "the second key is long")])
    /// The first key now has another name, and the second name has another key.
    private let after = keys([("uno", "the first key is long enough"), ("two", "another key that is long")])

    private func code(_ name: String?, hasRoom: Bool = true, under keys: KeyTable) -> CloseCode? {
        let usedRights = name.flatMap(principal).map { UsedRights(of: $0, scope: .write, projects: .all) }
        return ChatAdmission(usedRights: usedRights, hasRoom: hasRoom).refusal(under: AcceptedKeys(secrets: keys))?
            .code
    }

    /// Returns the principal that authenticated with the key of this name.
    private func principal(_ name: String) -> Principal? {
        let secret = name == "one" ? "the first key is long enough" : "the second key is long"
        let keys = AcceptedKeys(secrets: before)
        guard case .principal(let principal) = keys.authenticate(Array("Bearer \(secret)".utf8).span) else {
            return nil
        }
        return principal
    }

    @Test func `a key revoked before the chat opens closes only its own chat with 1008`() {
        #expect(code("two", under: after) == .policyViolation)

        for name in ["one", nil] { #expect(code(name, under: after) == nil) }

        #expect(code("two", under: before) == nil)
    }

    @Test func `a chat beyond the limit is closed with 1013, or with 1008 if its key was revoked`() {
        #expect(code("one", hasRoom: false, under: after) == .tryAgainLater)
        #expect(code("two", hasRoom: false, under: after) == .policyViolation)
    }

    @Test func `a key revoked while the chat handler is waiting closes the chat with 1008`() async throws {
        let lookups = Recorded<CheckedContinuation<Void, Never>>("a question")
        let fixture = try await ChatFixture { _ in
            .deferred { _ in
                await withCheckedContinuation { lookups.append($0) }
                return { _ in .accepted(Listening()) }
            }
        }
        defer { fixture.plane.stop() }

        try await onThread {
            let codes = Recorded<UInt16?>("the end of a socket")
            let client = try TestThread { codes.append(try? fixture.open().receive().closeCode) }
            let lookup = try lookups.wait(forCount: 1)[0]

            fixture.plane.apply(ChatFixture.policy([(name: "one", key: "another key that is long")]))
            lookup.resume()

            #expect(try codes.wait(forCount: 1) == [1008])
            client.join()
        }
    }

    @Test func `a message that arrives before the chat is open is delivered to its handler`() async throws {
        let received = Recorded<String>("calls of the chat's talker")
        let fixture = try await ChatFixture { _ in .deferred { _ in { _ in .accepted(Echo(received)) } } }
        defer { fixture.plane.stop() }

        try await onThread {
            let client = try ChatClient(
                port: fixture.port, "/chat", [ChatFixture.authorization], early: ClientFrame(1, "hello").bytes)

            #expect(try client.receiveText() == "hello")
            #expect(try client.echo("more") == "more")
        }
    }
}
