// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite(
    "Requests of OpenCode 1's clients, sent again as they were, in front of an OpenCode 2",
    .onTestThreads,
    .enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
struct BridgeClientTests {
    @Test(arguments: ["@opencode-ai/sdk 1.0.223", "@opencode-ai/sdk 1.18.33", "opencode run --attach (1.18.34)"])
    func `the recorded requests of an OpenCode 1 client succeed and complete a turn`(_ name: String) throws {
        let client = try RecordedClient.named(name)
        let replay = try Replay("2.0.15")
        try replay.run(client)
        for exchange in replay.exchanges {
            let status = exchange.request.path.hasSuffix("/prompt_async") ? 204 : 200
            #expect(exchange.answer.status == status, "\(exchange.request.target): \(exchange.answer.text)")
            #expect(!exchange.answer.text.hasPrefix("<"), "\(exchange.request.target)")
        }
        let made = try #require(replay.answers(to: "/session").first?.json)

        #expect(made["directory"]?.text == replay.folder)

        let stream = try #require(replay.streams.first)
        try stream.next("server.connected")
        let deadline = ContinuousClock.now + .seconds(20)
        var roles: [String] = []
        while roles != ["user", "assistant"], .now < deadline {
            let messages = try replay.api("GET", "/session/\(made["id"]?.text ?? "")/message").json.elements
            roles = (messages ?? []).compactMap { $0["info"]?["role"]?.text }
        }

        #expect(roles == ["user", "assistant"])
    }

    /// A client that names no directory receives a list of the whole project's sessions, as from OpenCode 1.
    @Test func `a session list without a directory includes the sessions of the project's subdirectories`() throws {
        let replay = try Replay("2.0.15")
        let made = try ["", "?directory=\(replay.folder)/inside"].map { query in
            try #require(try replay.api("POST", "/session\(query)", "{}").json["id"]?.text)
        }
        let listed = { (query: String) in
            Set((try replay.api("GET", "/session\(query)").json.elements ?? []).compactMap { $0["id"]?.text })
        }

        #expect(try listed("") == Set(made))
        #expect(try listed("?directory=\(replay.folder)") == [made[0]])
        #expect(try listed("?directory=\(replay.folder)/inside") == [made[1]])
    }
}
