// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// Tests the event rate of OpenCode 1's streams when an OpenCode 2 is translated.
@Suite struct TranslatedPaceTests {
    @Test func `adjacent deltas are merged with max_rate=1 and no text is lost`() throws {
        let (app, session) = try TranslatedStreamTests.begin()
        let raw = try TranslatedStreamTests.open(app, "/event")
        let slow = try TranslatedStreamTests.open(app, "/event?max_rate=1")

        #expect(try app.send("Hello [pieces=20 interval=20ms]", to: session) == 200)

        let (all, merged) = try (TranslatedStreamTests.read(raw), TranslatedStreamTests.read(slow))
        let pieces = { (frames: [StreamFrame]) in frames.filter { $0.type == "message.part.delta" } }
        let text = { (frames: [StreamFrame]) in
            pieces(frames).compactMap { $0.content["properties"]?["delta"]?.text }.joined()
        }

        #expect(!text(all).isEmpty)
        #expect(text(merged) == text(all))
        #expect(pieces(merged).count < pieces(all).count / 2, "\(pieces(merged).count) of \(pieces(all).count)")
        // The merged delta has the id of the last delta, so a client that resumes from it misses nothing and receives
        // nothing twice.
        #expect(pieces(merged).last?.id == pieces(all).last?.id)

        let others = { (frames: [StreamFrame]) in
            frames.filter { $0.type != "message.part.delta" }.map { [$0.id, $0.data] }
        }

        #expect(others(merged) == others(all))

        let place = try #require(pieces(merged).first)
        let again = try TranslatedStreamTests.open(app, "/event", after: place.id)
        let after = try #require(all.firstIndex { $0.id == place.id }) + 1

        #expect(try TranslatedStreamTests.read(again).map(\.id) == all[after...].map(\.id))
    }
}
