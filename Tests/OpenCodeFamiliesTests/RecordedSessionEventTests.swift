// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

/// Tests recorded event streams of OpenCode 2 with sessions in several folders.
@Suite struct RecordedSessionEventTests {
    private static let home = "/home/vibe/demo"
    private static let demo = DirectoryScope(folder: home, resolved: home)
    private static let worktree = "/home/vibe/.local/share/opencode/worktree/6763b0/try"
    private static let ownProject = "6763b0aff0ee79ab2ec128266bfaf49bdad7f59f"

    private func recorded(_ name: String) throws -> [UInt8] { Array(try Fixtures.data("2.0.15", "events-\(name).txt")) }

    private func events(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n\n").filter { $0.hasPrefix("data: ") }.map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.dropFirst("data: ".count).utf8)) as? [String: Any])
        }
    }

    /// Returns the types of a stream's events with the number of events of each type.
    private func types(_ text: String) throws -> [String: Int] {
        try events(text).reduce(into: [:]) { $0[$1["type"] as? String ?? "", default: 0] += 1 }
    }

    @Test(arguments: ["other-location", "second-server"])
    func `the events of a recorded turn in another directory pass only there`(name: String) throws {
        let stream = try recorded(name)
        var other = EventReader(DirectoryScope(folder: "/home/vibe/other.app", resolved: "/home/vibe/other.app"))
        other.project = "653f6b7731c475c75e36b3017d6a9786d8aedc67"
        for byte in stream { other.process([byte]) }

        // Every byte passes without a query, because the stream names the session with its folder first.
        #expect(other.passed == stream)
        #expect(other.queries == [])
        #expect(try types(other.text)["session.execution.succeeded"] == 1)
        #expect(try types(other.text)["session.usage.updated"] == (name == "second-server" ? 1 : 2))

        var demo = EventReader(Self.demo)
        demo.process(stream)

        #expect(try types(demo.text) == ["server.connected": 1])
        #expect(demo.text.contains(": heartbeat\n\n"))
        #expect(demo.queries == [])
    }

    @Test func `the session of a recorded turn is queried once if the stream begins in the turn`() throws {
        let text = String(decoding: try recorded("second-server"), as: UTF8.self)
        let start = try #require(text.range(of: "session.execution.started"))
        let frameStart = try #require(text[..<start.lowerBound].range(of: "data: ", options: .backwards))
        let remainder = String(text[frameStart.lowerBound...])
        var other = EventReader(DirectoryScope(folder: "/home/vibe/other.app", resolved: "/home/vibe/other.app"))
        other.sessions = ["ses_dfd7bc744ffek3LKsgJzqw84Ie": "/home/vibe/other.app"]
        other.process(remainder)

        #expect(other.text == remainder)
        #expect(other.queries == ["ses_dfd7bc744ffek3LKsgJzqw84Ie"])

        var demo = EventReader(Self.demo)
        demo.sessions = other.sessions
        demo.process(remainder)

        #expect(demo.text == "")
        #expect(demo.queries.count == 1)
    }

    @Test func `the events of a recorded move to a worktree and back pass only in their scopes`() throws {
        let stream = try recorded("worktree")
        let text = String(decoding: stream, as: UTF8.self)
        var whole = EventReader(DirectoryScope(folder: Self.home, resolved: Self.home, worktrees: [Self.worktree]))
        whole.project = Self.ownProject
        whole.process(stream)

        #expect(whole.text == text)
        #expect(whole.queries == ["project"])

        // Without the worktree, only events in the folder pass, including the moves.
        var folder = EventReader(Self.demo)
        folder.project = Self.ownProject
        folder.process(stream)
        let seen = try types(folder.text)

        #expect(seen["session.moved"] == 2)
        #expect(seen["worktree.updated"] == 2)
        #expect(seen["session.step.started"] == nil)
        #expect(seen["session.text.delta"] == nil)
        // Events without a location belong to their session. The session is in the folder before the first move and
        // after the last move.
        #expect(seen["session.execution.started"] == 1)
        #expect(seen["session.execution.succeeded"] == 1)
        #expect(seen["session.usage.updated"] == nil)

        // A scope of another project passes no event.
        var other = EventReader(DirectoryScope(folder: "/home/vibe/other.app", resolved: "/home/vibe/other.app"))
        other.project = "653f6b7731c475c75e36b3017d6a9786d8aedc67"
        other.process(stream)

        #expect(try types(other.text) == ["server.connected": 1])
    }
}
