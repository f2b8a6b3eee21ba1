// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Compares turns of 2.0.15, translated to OpenCode 1, with 1.18.33's recordings of the same scenario.
@Suite struct RecordedTurnTests {
    /// A scenario that was recorded with both versions.
    struct Pair: CustomTestStringConvertible {
        let first: String
        let second: String
        /// The parts of both recordings that can be compared.
        var extent = Extent.whole

        var testDescription: String { "1.18.33's \(first), 2.0.15's \(second)" }

        enum Extent {
            case whole
            /// 1.18.33's recording ends earlier: `fast` was truncated, and `cutoff` never ends there.
            case beginning
            /// The order of the updates of a part differs while its permission request waits. The recordings of 1.18.33
            /// contain both orders: before the request is emitted in `tools-allowed-once`, and after it in
            /// `tools-rejected` and `question`.
            case questionRaces
            /// The recording also aborts an idle session. OpenCode 1 then sends idle once more, but 2.0.15 sends
            /// nothing.
            case idleAbort
        }
    }

    static let pairs = [
        Pair(first: "talk", second: "talk"), Pair(first: "think", second: "think"),
        Pair(first: "tools-allowed-once", second: "tools-allowed-once"),
        Pair(first: "tools-rejected", second: "tools-rejected", extent: .questionRaces),
        Pair(first: "question", second: "question", extent: .questionRaces),
        Pair(first: "subagent", second: "subagent"), Pair(first: "edit", second: "edit"),
        Pair(first: "unauthorized", second: "unauthorized"),
        Pair(first: "ratelimit-abort", second: "ratelimit-interrupt"),
        Pair(first: "abort-delete", second: "interrupt-remove", extent: .idleAbort),
        Pair(first: "cutoff", second: "cutoff", extent: .beginning), Pair(first: "slow", second: "slow"),
        Pair(first: "fast", second: "fast", extent: .beginning), Pair(first: "medium", second: "medium"),
        Pair(first: "killed-mid-turn", second: "killed-mid-turn"),
    ]

    @Test(arguments: pairs)
    func `translated events have OpenCode 1's order`(_ pair: Pair) throws {
        let expected = Outline(try Turns.recorded(pair.first)).kinds
        let translated = Outline(try Turns.translated(pair.second)).kinds

        #expect(expected.count == translated.count)
        #expect(expected.allSatisfy { $0.count > 4 })

        for (expected, translated) in zip(expected, translated) {
            switch pair.extent {
            case .whole: #expect(translated == expected)
            case .beginning: #expect(Array(translated.prefix(expected.count)) == expected)
            case .questionRaces: #expect(translated == Self.withoutRace(expected))
            case .idleAbort: #expect(translated == Self.withoutThirdIdle(expected))
            }
        }
    }

    private static func withoutRace(_ kinds: [String]) -> [String] {
        guard let index = kinds.firstIndex(where: { $0.hasSuffix(".asked") }),
            kinds[index + 1] == "message.part.updated",
            kinds[index + 2].hasSuffix(".replied")
        else { return kinds }
        return Array(kinds[...index] + kinds[(index + 2)...])
    }

    private static func withoutThirdIdle(_ kinds: [String]) -> [String] {
        guard
            kinds.suffix(5) == ["session.status", "session.idle", "session.status", "session.idle", "session.deleted"]
        else { return kinds }
        return kinds.dropLast(3) + ["session.deleted"]
    }

    /// Members of 1.18.33 that 2.0.15 does not have, with the events that contain them.
    static let without: [(members: String, kind: String)] = [
        // The summary of a turn's changes.
        ("info.summary", "message.updated user"), ("info.summary", "session."),
        // The scripted model of the older recording sends this member, but the newer model does not.
        ("part.state.input.description", "message.part.updated tool bash"),
        // The output of the tool so far.
        ("part.state.metadata.output", "message.part.updated tool bash running"),
        // The permission rules of a child session.
        ("info.permission", "session."),
        // Additional findings of a tool.
        ("part.state.metadata.exists", "message.part.updated tool write"),
        ("part.state.metadata.diagnostics", "message.part.updated tool write"),
        // The response of the provider.
        ("error.data.metadata", "session.error APIError"), ("error.data.response", "session.error APIError"),
        ("info.error.data.metadata", "message.updated assistant APIError"),
        ("info.error.data.response", "message.updated assistant APIError"),
    ]
    /// Members that only the translation has.
    static let besides: [(members: String, kind: String)] = [
        // 2.0.15's sessions were created with a model.
        ("info.model", "session.created"), ("info.model", "session.deleted"),
    ]

    @Test(arguments: pairs)
    func `translated events have OpenCode 1's members`(_ pair: Pair) throws {
        let expected = Outline(try Turns.recorded(pair.first))
        let translated = Outline(try Turns.translated(pair.second))

        for (kind, members) in expected.members.sorted(by: { $0.key < $1.key }) {
            let missing = members.subtracting(translated.members[kind] ?? []).filter { member in
                !Self.without.contains { member.hasPrefix($0.members) && kind.hasPrefix($0.kind) }
            }
            #expect(missing.isEmpty, "\(kind) lacks \(missing.sorted())")
        }

        guard pair.extent != .beginning else { return }
        for (kind, members) in translated.members.sorted(by: { $0.key < $1.key }) {
            let more = members.subtracting(expected.members[kind] ?? []).filter { member in
                !Self.besides.contains { member.hasPrefix($0.members) && kind.hasPrefix($0.kind) }
            }
            #expect(more.isEmpty, "\(kind) has \(more.sorted())")
        }
    }

    /// Events of files name no session. 1.18.33 also sends the events of its file watcher.
    @Test func `a written file emits the same file.edited event as in OpenCode 1`() throws {
        let files = try Turns.translated("edit").filter { $0["type"] == "file.edited" }
        let recorded = try Turns.recorded("edit").filter { $0["type"] == "file.edited" }

        #expect(files.map { $0["properties"] } == recorded.map { $0["properties"] })
    }

    @Test func `a shell command emits the same events as in OpenCode 1`() throws {
        let expected = Self.shell(try Turns.recorded("session-calls"))
        let translated = Self.shell(try Turns.translated("session-calls"))

        #expect(expected.count > 6)

        // 1.18.33 sends the output once more before the end.
        var folded: [String] = []
        for kind in expected where kind != folded.last { folded.append(kind) }

        #expect(translated == folded)
    }

    /// Returns the events between the message that OpenCode writes with the role of the user and the next idle event.
    private static func shell(_ events: [JSON]) -> [String] {
        let start = events.firstIndex { $0["properties"]?["part"]?["synthetic"] == true } ?? 0
        let id = events[start]["properties"]?["sessionID"]
        return events[max(start - 2, 0)...].filter { $0["properties"]?["sessionID"] == id }
            .map(Outline.detail).prefix { $0 != "session.idle" } + ["session.idle"]
    }

    @Test func `an unknown model emits session.error twice, in OpenCode 1's order`() throws {
        let expected = try #require(Outline(try Turns.recorded("wrong-requests")).kinds.last)
        let translated = try #require(Outline(try Turns.translated("wrong-requests")).kinds.last)

        #expect(translated == Array(expected.prefix(translated.count)))
        #expect(translated.filter { $0 == "session.error" }.count == 2)

        let errors = try Turns.translated("wrong-requests").filter { $0["type"] == "session.error" }

        #expect(errors.allSatisfy { $0["properties"]?["error"]?["name"] == "UnknownError" })
    }
}
