// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import Foundation
import JSONText
import OpenCodeFamilies
import Testing

/// Tests recorded turns of real servers of both versions, as a chat's client receives them.
@Suite struct RecordedConversationTests {
    private static let now: Int64 = 1_800_000_000_000
    static let versions = ["1.1.11", "1.2.27", "1.18.33", "2.0.15"]

    private static func lines(_ version: String, _ name: String) throws -> [[UInt8]] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Fixtures/opencode/\(version)/turns/\(name).jsonl")
        return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    /// Returns the events of a recorded turn in OpenCode 1's form.
    private static func events(_ version: String, _ name: String) throws -> [Event] {
        let lines = try lines(version, name)
        guard version.hasPrefix("2.") else {
            return lines.compactMap { JSONParser.parse($0).flatMap { Event(openCode1: $0) } }
        }
        var translator = StreamTranslator(InstanceDefaults(version: version, agent: "build"))
        return lines.flatMap { line -> [Event] in
            switch translator.translate(line) {
            case .frames(let frames): return frames.map(\.event)
            case .needs(let id):
                translator.ignore(session: id)
                return []
            }
        }
    }

    /// Returns the messages for a client that watches every conversation, with consecutive chunks joined.
    private static func seen(_ version: String, _ name: String) throws -> [String] {
        var state = ConversationState(directory: "/home/vibe/demo", kept: [])
        var seen: [(type: String, outline: String)] = []
        for event in try events(version, name) {
            for event in state.receive(event, at: now) {
                for text in state.chatTexts(event) {
                    let message = JSONParser.parse(text) ?? .null
                    let type = message["type"]?.text ?? "?"
                    let more = (message["content"] ?? message["metadata"]?["toolName"])?.text
                    if type.hasSuffix("chunk"), seen.last?.type == type {
                        seen[seen.count - 1].outline += more ?? ""
                    } else {
                        seen.append((type, more.map { "\(type) \($0)" } ?? type))
                    }
                }
            }
        }
        return seen.map(\.outline)
    }

    /// The recordings are shortened: the ends of texts and some deltas are omitted.
    private static let answer = "assistant_chunk The parser reads one line at a time. It "

    private static func text(_ seen: [String]) -> String {
        seen.filter { $0.hasPrefix("assistant_chunk ") }.map { $0.dropFirst(16) }.joined()
    }

    private static func others(_ seen: [String]) -> [String] { seen.filter { !$0.hasPrefix("assistant_chunk ") } }

    @Test(arguments: versions)
    func `a recorded answer is sent as text and one assistant_done`(version: String) throws {
        let seen = try Self.seen(version, "talk")

        try #require(seen.count == 2)
        #expect(seen[0].hasPrefix(Self.answer))
        #expect(seen[1] == "assistant_done")
    }

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `recorded reasoning is sent before the text`(version: String) throws {
        let seen = try Self.seen(version, "think")

        #expect(
            seen.first
                == "thinking_chunk First I look at the question. Then I weigh two ways to answer it. The second way is shorter."
        )
        try #require(seen.count == 4)
        #expect(seen[1] == "thinking_done")
        #expect(seen[2].hasPrefix(Self.answer.prefix(30)))
        #expect(seen[3] == "assistant_done")
    }

    @Test(arguments: versions)
    func `a recorded tool call is sent between the texts of one answer`(version: String) throws {
        let seen = try Self.seen(version, "tools-allowed-once")

        #expect(Self.text(seen) == "Let me run that. The command printed what you wanted.")
        #expect(Self.others(seen) == ["tool_call_start bash", "tool_call_done bash", "assistant_done"])
        #expect(seen.dropLast().last?.hasPrefix("assistant_chunk The command") == true)
    }

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `a recorded provider error is sent as error and assistant_done`(version: String) throws {
        let seen = try Self.seen(version, "unauthorized")

        try #require(seen.count == 2)
        #expect(seen[0].hasPrefix("error "))
        #expect(seen[1] == "assistant_done")
    }

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `a rejected tool call ends with tool_call_done`(version: String) throws {
        let seen = try Self.seen(version, "tools-rejected")

        #expect(Self.text(seen).hasPrefix("Let me run that. "))
        #expect(Self.others(seen) == ["tool_call_start bash", "tool_call_done bash", "assistant_done"])
    }

    /// The session of a subagent is not a conversation.
    @Test(arguments: versions)
    func `a subagent is sent as a task tool call within one answer`(version: String) throws {
        let seen = try Self.seen(version, "subagent")

        #expect(seen.count { $0 == "assistant_done" } == 1)
        #expect(seen.contains("tool_call_start task"))
        #expect(seen.contains("tool_call_done task"))
    }

    @Test func `every recorded turn ends each answer once and leaves no tool call open`() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

        for version in Self.versions {
            let folder = tests.appending(path: "Fixtures/opencode/\(version)/turns")
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path()) {
                var state = ConversationState(directory: "/home/vibe/demo", kept: [])
                var events: [ConversationEvent] = []
                for event in try Self.events(version, file.replacing(".jsonl", with: "")) {
                    events += state.receive(event, at: Self.now)
                }
                events += state.instanceEnded("The end.", at: Self.now)

                var begun: Set<String> = []
                var ended: Set<String> = []
                var open: Set<String> = []
                for case .answer(let id, let event) in events.map(\.content) {
                    #expect(!ended.contains(id), "\(version) \(file)")
                    begun.insert(id)
                    switch event {
                    case .done(let text):
                        ended.insert(id)
                        let received = events.map(\.content).reduce("") { received, content in
                            if case .answer(id, .text(let text)) = content { received + text } else { received }
                        }
                        if !received.isEmpty { #expect(received == text, "\(version) \(file)") }
                    case .toolStarted(let tool): #expect(open.insert(tool.id).inserted)
                    case .toolDone(let tool, _): #expect(open.remove(tool.id) != nil)
                    default: continue
                    }
                }

                #expect(ended == begun, "\(version) \(file)")
                #expect(open.isEmpty, "\(version) \(file)")
            }
        }
    }
}
