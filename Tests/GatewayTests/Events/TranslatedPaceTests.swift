// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the event rate of OpenCode 1's streams when an OpenCode 2 is translated.
@Suite(.onTestThreads) struct TranslatedPaceTests {
    @Test func `adjacent deltas are merged with max_rate=1 and no text is lost`() throws {
        let (app, session) = try TranslatedStreamTests.startApp()
        let raw = try TranslatedStreamTests.open(app, "/event")
        let slow = try TranslatedStreamTests.open(app, "/event?max_rate=1")

        #expect(try app.send("Hello [pieces=20 interval=20ms]", to: session) == 200)

        let (all, merged) = try (TranslatedStreamTests.receive(raw), TranslatedStreamTests.receive(slow))
        let fragments = { (frames: [StreamFrame]) in frames.filter { $0.type == "message.part.delta" } }
        let text = { (frames: [StreamFrame]) in
            fragments(frames).compactMap { $0.content["properties"]?["delta"]?.text }.joined()
        }

        #expect(!text(all).isEmpty)
        #expect(text(merged) == text(all))
        #expect(
            fragments(merged).count < fragments(all).count / 2, "\(fragments(merged).count) of \(fragments(all).count)")
        // The merged delta has the id of the last delta, so a client that resumes from it misses nothing and receives
        // nothing twice.
        #expect(fragments(merged).last?.id == fragments(all).last?.id)

        let others = { (frames: [StreamFrame]) in
            frames.filter { $0.type != "message.part.delta" }.map { [$0.id, $0.data] }
        }

        #expect(others(merged) == others(all))

        let first = try #require(fragments(merged).first)
        let again = try TranslatedStreamTests.open(app, "/event", after: first.id)
        let after = try #require(all.firstIndex { $0.id == first.id }) + 1

        #expect(try TranslatedStreamTests.receive(again).map(\.id) == all[after...].map(\.id))
    }
}
