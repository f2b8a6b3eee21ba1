// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that random prompts, answers, aborts and reconnections end in the same conversation for OpenCode 1 and for a
/// translated OpenCode 2.
@Suite(.onTestThreads) struct SameConversationTests {
    /// The number of scripts to run: the value of `CONVERSATION_SCRIPTS`, or 24.
    private static let count = getenv("CONVERSATION_SCRIPTS").flatMap { UInt64(String(cString: $0)) } ?? 24

    @Test(.timeLimit(.minutes(5)))
    func `a random script yields the same conversation on OpenCode 1 and on a translated OpenCode 2`() throws {
        let (plain, translated) = try (BridgeFixture(profile: "1.18.33"), BridgeFixture())

        for seed in 1...Self.count {
            let script = ConversationScript(seed: seed)
            let one = try Self.conversation(script, on: plain)
            let two = try Self.conversation(script, on: translated)
            #expect(Self.difference(one, two) == nil, "OpenCode 1 and 2, \(script)")
        }
    }

    /// Returns the conversation at the end of the script, without ids. The conversation from its events must equal its
    /// list.
    private static func conversation(_ script: ConversationScript, on fixture: BridgeFixture) throws -> [String] {
        let phone = try ScriptedPhone(fixture, encoding: script.encoding)
        try phone.play(script)
        let list = try fixture.messages(phone.session)
        #expect(list.count >= 2 * script.steps.count)
        let (reported, listed) = (
            ComparedConversation.ofOne(phone.story.messages), ComparedConversation.ofOne(list)
        )
        #expect(Self.difference(reported, listed) == nil, "events and list in \(fixture.folder), \(script)")
        return ComparedConversation.ofTwo(list)
    }

    /// Returns the first lines that differ, and the line before them.
    private static func difference(_ one: [String], _ other: [String]) -> String? {
        guard one != other else { return nil }
        let same = zip(one, other).prefix { $0 == $1 }.count
        let lines = [one, other].map { $0.dropFirst(max(0, same - 1)).prefix(3).joined(separator: "\n") }
        return lines.joined(separator: "\n---\n")
    }
}
