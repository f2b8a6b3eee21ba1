// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

/// Tests events of OpenCode 2 that name no directory. They belong to the directory of their session, or to a project.
@Suite struct SessionEventTests {
    private static let home = "/home/vibe/demo"
    private static let demo = DirectoryScope(folder: home, resolved: home)
    private static let worktree = "/home/vibe/.local/share/opencode/worktree/6763b0/try"
    private static let ownProject = "6763b0aff0ee79ab2ec128266bfaf49bdad7f59f"

    private func frame(_ type: String, _ data: String, location: String? = nil) -> String {
        let location = location.map { #","location":{"directory":"\#($0)"}"# } ?? ""
        return "data: {\"id\":\"evt_1\",\"created\":1,\"type\":\"\(type)\"\(location),\"data\":{\(data)}}\n\n"
    }

    private func session(_ id: String) -> String { #""sessionID":"\#(id)""# }

    @Test func `the directory of a session is learned from events that name both`() {
        var reader = EventReader(Self.demo)
        let own =
            frame("session.inbox.enqueued", #""inboxID":"msg_1",\#(session("ses_1")),"item":{}"#, location: Self.home)
            + frame("session.execution.started", session("ses_1"))
        let other =
            frame("session.created", #"\#(session("ses_2")),"location":{"directory":"/x"}"#, location: "/x")
            + frame("session.execution.started", session("ses_2")) + frame("session.usage.updated", session("ses_2"))
        reader.process(
            own + other + frame("session.deleted", session("ses_1")) + frame("session.deleted", session("ses_2")))

        #expect(reader.text == own + frame("session.deleted", session("ses_1")))
        #expect(reader.queries == [])
    }

    @Test func `a session that no event has named before is queried once`() {
        var reader = EventReader(Self.demo)
        reader.sessions = ["ses_1": "\(Self.home)/sub", "ses_2": "/x"]
        for _ in 0..<3 {
            for id in ["ses_1", "ses_2", "ses_3"] { reader.process(frame("session.viewed", session(id))) }
        }

        #expect(reader.text == String(repeating: frame("session.viewed", session("ses_1")), count: 3))
        // A session that the instance does not know is removed, and the reader does not query it again.
        #expect(reader.queries == ["ses_1", "ses_2", "ses_3"])

        // The session was created later.
        let made = frame("session.created", session("ses_3"), location: Self.home)
        reader.process(made + frame("session.viewed", session("ses_3")))

        #expect(reader.text.hasSuffix(made + frame("session.viewed", session("ses_3"))))
    }

    @Test func `an event whose query fails is removed, and the next one causes another query`() {
        var reader = EventReader(Self.demo)
        reader.isSilent = true
        reader.process(frame("session.viewed", session("ses_1")))

        #expect(reader.text == "")

        reader.isSilent = false
        reader.sessions = ["ses_1": Self.home]
        reader.process(frame("session.viewed", session("ses_1")))

        #expect(reader.text == frame("session.viewed", session("ses_1")))
        #expect(reader.queries == ["ses_1", "ses_1"])
    }

    @Test func `a session whose query has just failed does not delay the stream`() {
        var reader = EventReader(Self.demo)
        reader.sessionIndex.unanswered = [Array("ses_1".utf8)]
        let own = frame("agent.updated", "", location: Self.home)
        reader.process(frame("session.viewed", session("ses_1")) + own, answering: false)

        #expect(reader.text == own)
        #expect(reader.filter.query == nil)
    }

    @Test func `events keep their order while a query is pending`() throws {
        var reader = EventReader(Self.demo)
        reader.sessions = ["ses_1": Self.home, "ses_2": "/x", "ses_3": Self.home]
        let own = frame("agent.updated", "", location: Self.home)
        let stream =
            own + frame("session.viewed", session("ses_1")) + own + ": heartbeat\n\n"
            + frame("session.viewed", session("ses_2")) + own + frame("agent.updated", "", location: "/x")
            + frame("session.viewed", session("ses_3")) + own
        reader.process(stream, answering: false)

        #expect(reader.text == own)
        #expect(reader.filter.query == .session(Array("ses_1".utf8)))

        // Bytes that arrive in the meantime are processed after the event, and are not lost.
        reader.process(own, answering: false)
        reader.answer(try #require(reader.filter.query))

        #expect(reader.text == own + frame("session.viewed", session("ses_1")) + own + ": heartbeat\n\n")

        reader.answer(try #require(reader.filter.query))
        reader.answer(try #require(reader.filter.query))

        #expect(reader.filter.query == nil)

        let foreign = [frame("session.viewed", session("ses_2")), frame("agent.updated", "", location: "/x")]

        #expect(reader.text == foreign.reduce(stream) { $0.replacing($1, with: "") } + own)
    }

    @Test func `the number of bytes that wait for a query is limited`() {
        var reader = EventReader(Self.demo, limit: 1_000)
        let own = frame("agent.updated", "", location: Self.home)
        reader.process(frame("session.viewed", session("ses_1")), answering: false)
        var count = 0
        while reader.filter.query != nil, count < 100 {
            reader.process(own, answering: false)
            count += 1
        }

        #expect(reader.text == String(repeating: own, count: count))
        #expect((2..<20).contains(count))
        #expect(reader.filter.overlongFrames == 1)
    }

    @Test func `events of the project folder that wait after a query pass when the stream ends`() {
        var reader = EventReader(Self.demo)
        let own = frame("agent.updated", "", location: Self.home)
        reader.process(
            frame("session.viewed", session("ses_1")) + own + frame("session.viewed", session("ses_2")) + own,
            answering: false)

        #expect(reader.text == "")

        reader.finish()

        #expect(reader.text == own + own)
    }

    @Test func `a stream with CRLF line ends is filtered correctly around queries`() {
        var reader = EventReader(Self.demo)
        reader.sessions = ["ses_1": Self.home]
        let crlf = [
            frame("session.viewed", session("ses_1")), frame("session.viewed", session("ses_2")),
            frame("agent.updated", "", location: Self.home),
        ]
        .map { $0.replacing("\n", with: "\r\n") }
        for byte in crlf.joined().utf8 { reader.process([byte]) }

        #expect(reader.text == crlf[0] + crlf[2])
    }

    @Test func `session.moved passes in the old and in the new directory`() {
        let away = frame("session.moved", #"\#(session("ses_1")),"location":{"directory":"/x"}"#, location: Self.home)
        let back = frame(
            "session.moved", #"\#(session("ses_1")),"location":{"directory":"\#(Self.home)"}"#, location: "/x")
        let used = frame("session.usage.updated", session("ses_1"))
        for (scope, expected) in [
            (Self.demo, away + back + used), (DirectoryScope(folder: "/x", resolved: "/x"), away + used + back),
        ] {
            var reader = EventReader(scope)
            reader.process(away + used + back + used)
            #expect(reader.text == expected)
            #expect(reader.queries == [])
        }
        // The position of the new directory in the event does not matter.
        let much = String(repeating: "a", count: 10_000)
        let far = frame(
            "session.moved", #"\#(session("ses_1")),"note":"\#(much)","location":{"directory":"/x"}"#,
            location: Self.home)
        var own = EventReader(Self.demo)
        own.process(far + used)

        #expect(own.text == far)

        // The event is irrelevant to all other projects.
        var third = EventReader(DirectoryScope(folder: "/y", resolved: "/y"))
        third.process(away + used + back + used)

        #expect(third.text == "")
    }

    @Test func `an event of a project passes only if it names the directory's own project`() {
        let own = frame("worktree.updated", #""projectID":"\#(Self.ownProject)""#)
        let other = frame("worktree.updated", #""projectID":"653f6b77""#)
        var reader = EventReader(Self.demo)
        reader.project = Self.ownProject
        reader.process(own + other + own + other)

        #expect(reader.text == own + own)
        // A single query serves all events.
        #expect(reader.queries == ["project"])

        var unsure = EventReader(Self.demo)
        unsure.process(own + other)

        #expect(unsure.text == "")
    }

    @Test func `an event that reports a commit causes a new query for the project's id`() {
        func updated(_ id: String) -> String {
            frame("project.updated", #""id":"\#(id)","canonical":"/home/vibe/demo","vcs":"git","sandboxes":[]"#)
        }
        var reader = EventReader(Self.demo)
        reader.project = "global"
        reader.process(updated("global"))
        let first = reader.sessionIndex.projectChanges

        #expect(first == 1)

        // The event that reports the first commit causes a new query for the known ID.
        reader.project = Self.ownProject
        reader.process(updated(Self.ownProject) + updated("653f6b77"))

        #expect(reader.text == updated("global") + updated(Self.ownProject))
        #expect(reader.queries == ["project", "project", "project"])
        #expect(reader.sessionIndex.projectChanges > first)

        // Events of version control also report a commit, unless they belong to another folder.
        reader.sessionIndex.project = Array(Self.ownProject.utf8)
        let changeCount = reader.sessionIndex.projectChanges
        reader.process(
            frame("vcs.branch.updated", #""branch":"x""#, location: "/x")
                + frame("agent.updated", "", location: Self.home))

        #expect(reader.sessionIndex.projectChanges == changeCount)
        #expect(reader.sessionIndex.project != nil)

        reader.process(frame("vcs.branch.updated", #""branch":"x""#, location: Self.home))

        #expect(reader.sessionIndex.projectChanges == changeCount + 1)
        #expect(reader.sessionIndex.project == nil)
    }

    @Test func `a wrapped event of OpenCode 1 also reports a commit`() {
        var reader = EventReader(Self.demo)
        reader.process(
            "data: {\"directory\":\"\(Self.home)\",\"payload\":{\"type\":\"vcs.branch.updated\",\"properties\":{}}}\n\n"
        )

        #expect(reader.sessionIndex.projectChanges == 1)

        reader.process(
            "data: {\"directory\":\"/x\",\"payload\":{\"type\":\"vcs.branch.updated\",\"properties\":{}}}\n\n")

        #expect(reader.sessionIndex.projectChanges == 1)
        #expect(reader.queries == [])
    }

    @Test func `events of a new worktree pass from the next event after the scope contains it`() {
        var reader = EventReader(Self.demo)
        let event = frame("agent.updated", "", location: Self.worktree)
        reader.process(event)

        #expect(reader.text == "")

        reader.filter.scope = DirectoryScope(folder: Self.home, resolved: Self.home, worktrees: [Self.worktree])
        reader.process(event)

        #expect(reader.text == event)
    }
}
