// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

/// Tests events that may concern an update that another thread has just published and that this reader has not received
/// yet.
@Suite struct EventUpdateTests {
    private static let home = "/home/vibe/demo"
    private static let tree = "/home/vibe/trees/try"
    private static let before = DirectoryScope(folder: home, resolved: home)
    private static let after = DirectoryScope(folder: home, resolved: home, worktrees: [tree])

    private let inTree = #"data: {"type":"agent.updated","location":{"directory":"\#(tree)"},"data":{}}"# + "\n\n"
    private let own = #"data: {"type":"agent.updated","location":{"directory":"\#(home)"},"data":{}}"# + "\n\n"
    private let foreign = #"data: {"type":"agent.updated","location":{"directory":"/x"},"data":{}}"# + "\n\n"
    private let deleted = #"data: {"type":"session.deleted","data":{"sessionID":"ses_1"}}"# + "\n\n"

    private func reader(updated: DirectoryScope? = after) -> EventReader {
        var reader = EventReader(Self.before)
        reader.sessionIndex.hasPendingUpdates = true
        reader.updatedScope = updated
        return reader
    }

    @Test func `an event of a directory that a pending update adds passes at each split`() {
        let stream = Array((inTree + foreign + inTree).utf8)

        for split in 0...stream.count {
            var reader = reader()
            reader.process(Array(stream[..<split]))
            reader.process(Array(stream[split...]))
            #expect(reader.text == inTree + inTree, "split at \(split)")
            #expect(reader.queries.contains("news"))
        }
    }

    @Test func `an event of the project folder passes without waiting for pending updates`() {
        var reader = reader()
        let connected = #"data: {"type":"server.connected","data":{}}"# + "\n\n"
        reader.process(own + ": heartbeat\n\n" + connected, answering: false)

        #expect(reader.filter.query == nil)
        #expect(reader.text == own + ": heartbeat\n\n" + connected)
    }

    @Test func `events after one that waits for pending updates keep their order`() {
        var reader = reader()
        reader.process(own + inTree + own, answering: false)

        #expect(reader.text == own)
        #expect(reader.filter.query == .updates)

        reader.process(foreign + own, answering: false)
        reader.answer(.updates)

        #expect(reader.text == own + inTree + own + own)
    }

    @Test func `an event that is outside the scope after pending updates is removed`() {
        var reader = reader(updated: nil)
        reader.process(foreign + own)

        #expect(reader.text == own)
        #expect(reader.queries == ["news"])
    }

    @Test func `a session is queried only if pending updates do not contain it`() {
        var silent = reader()
        silent.sessions = ["ses_1": Self.home]
        silent.process(deleted)

        #expect(silent.text == deleted)
        #expect(silent.queries == ["news", "ses_1"])

        var telling = reader()
        telling.process(deleted, answering: false)
        telling.sessionIndex.sessions.record(Array("ses_1".utf8), Array(Self.home.utf8))
        telling.answer(.updates)

        #expect(telling.text == deleted)
        #expect(telling.queries == ["news"])
    }

    @Test func `an event at the limit or the end of the stream is decided without pending updates`() {
        var full = EventReader(Self.before, limit: 300)
        full.sessionIndex.hasPendingUpdates = true
        full.process(deleted + own, answering: false)
        full.sessionIndex.hasPendingUpdates = false
        full.process(own + own, answering: false)

        #expect(full.text == own + own + own)
        #expect(full.filter.overlongFrames == 1)

        var ended = reader()
        ended.process(inTree + own, answering: false)
        ended.sessionIndex.hasPendingUpdates = false
        ended.finish()

        #expect(ended.text == own)
    }
}
