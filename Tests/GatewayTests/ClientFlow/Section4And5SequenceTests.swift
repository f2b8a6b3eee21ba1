// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Client flow, sections 4 and 5: event sequences", .onTestThreads)
struct Section4And5SequenceTests {
    /// Returns steps 2 to 6 of section 4, which section 5 shares.
    private func beginning(_ session: String, _ version: OpenCodeVersion) -> [FlowStep] {
        let steps = [
            FlowStep("1", "server.connected"),
            FlowStep("2", "message.updated") {
                $0["info"]?["role"] == "user" && $0["info"]?["sessionID"]?.text == session
            },
            FlowStep("3", "message.part.updated") {
                $0["part"]?["type"] == "text" && $0["part"]?["text"] == "Hello" && $0["part"]?["messageID"] != nil
            },
            FlowStep("5", "session.status") { $0["status"]?["type"] == "busy" && $0["sessionID"]?.text == session },
            FlowStep("6", "message.updated") {
                // The member is absent, not null, until the answer is complete.
                $0["info"]?["role"] == "assistant" && $0["info"]?["time"]?["completed"] == nil
            },
        ]
        // OpenCode 2 sends this step at another place in the sequence.
        return version.isTranslated ? steps : Array(steps[..<3] + [updated(session)] + steps[3...])
    }

    /// Returns step 4 of the sequence.
    private func updated(_ session: String) -> FlowStep {
        FlowStep("4", "session.updated") { $0["info"]?["id"]?.text == session }
    }

    /// Returns steps 7 and 8: text arrives. Since 1.2.0 it arrives as separate deltas, which the document is too old to
    /// describe.
    private func streaming(_ version: OpenCodeVersion) -> [FlowStep] {
        ["7", "8"].map { name in
            version.streamsWholeText
                ? FlowStep(name, "message.part.updated") { $0["part"]?["type"] == "text" && $0["delta"] != nil }
                : FlowStep(name, "message.part.delta") { $0["field"] == "text" && $0["partID"] != nil }
        }
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `a successful turn sends the events of section 4 in order`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello", to: session) == 204)

        try events.readTurn(of: session, app.profile)

        let completed = FlowStep("9", "message.updated") {
            $0["info"]?["role"] == "assistant" && $0["info"]?["time"]?["completed"] != nil
                && $0["info"]?["tokens"]?["output"] != nil
        }
        var summary = [
            FlowStep("10", "session.updated") { $0["info"]?["summary"]?["files"] == 0 },
            FlowStep("11", "session.diff") { $0["diff"] == [] },
        ]
        // OpenCode 2 sends no summary of files.
        if version.isTranslated { summary.removeFirst() }
        let idle = [
            FlowStep("12", "session.status") { $0["status"]?["type"] == "idle" },
            FlowStep("13", "session.idle") { $0["sessionID"]?.text == session },
        ]
        // Newer versions send the last two pairs in the opposite order.
        let end = app.profile.turns.summaryPrecedesIdle ? summary + idle : idle + summary
        events.expectInOrder(beginning(session, version) + streaming(version) + [completed] + end)
        events.expectInOrder([updated(session)])

        #expect(!events.events.contains { $0["type"] == "session.error" })
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `a provider's error sends the events of section 5 in order`(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello", to: session, model: "unauthorized") == 204)

        try events.next("message.updated") { $0["info"]?["error"] != nil }
        try events.next("session.idle")

        let isError = { (error: JSON?) in
            error?["name"] == "APIError" && error?["data"]?["statusCode"] == 401
                && error?["data"]?["isRetryable"] == false && error?["data"]?["message"]?.text?.isEmpty == false
        }
        events.expectInOrder(
            beginning(session, version) + [
                FlowStep("6 of section 5", "session.error") {
                    $0["sessionID"]?.text == session && isError($0["error"])
                },
                FlowStep("7", "message.updated") {
                    $0["info"]?["time"]?["completed"] != nil && isError($0["info"]?["error"])
                },
                FlowStep("8", "session.status") { $0["status"]?["type"] == "idle" },
                FlowStep("9", "session.idle"),
            ])
    }
}
