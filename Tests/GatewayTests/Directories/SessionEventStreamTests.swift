// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests that OpenCode 2's events without a directory reach the clients of the project that owns their session or
/// project.
@Suite(.onTestThreads) struct SessionEventStreamTests {
    private static func event(_ type: String, _ session: String, location: String? = nil) -> String {
        DirectoryFixture.event(type, #""sessionID":"\#(session)""#, location: location)
    }

    /// Returns the events of each reader up to an event that all readers may see.
    private static func receivedEvents(_ readers: [EventStreamReader], _ fixture: DirectoryFixture) throws -> [String] {
        let marker = DirectoryFixture.event("mark.\(Int.random(in: 0..<1_000_000_000))", "")
        fixture.instance.events.send(marker)
        return try readers.map { reader in
            let start = reader.raw.count
            let payload = String(marker.dropFirst("data: ".count).dropLast(2))
            try reader.first { $0 == payload }
            let text = String(decoding: reader.raw[start...], as: UTF8.self)
            return String(text[..<(text.range(of: marker)?.lowerBound ?? text.endIndex)])
        }
    }

    private static func receivedEvents(_ reader: EventStreamReader, _ fixture: DirectoryFixture) throws -> String {
        try receivedEvents([reader], fixture)[0]
    }

    @Test func `a session's events reach only the clients of its directory`() throws {
        let fixture = try DirectoryFixture { plan in
            plan.listed = ["ses_listed": plan.directory, "ses_elsewhere": "/x"]
            plan.known = ["ses_known": "\(plan.directory)/sub", "ses_other": "/x"]
        }
        let reader = try fixture.events()
        let own = [
            Self.event("session.execution.started", "ses_listed"), Self.event("session.viewed", "ses_known"),
            Self.event("session.created", "ses_new", location: fixture.folder),
            Self.event("session.usage.updated", "ses_new"),
            Self.event("session.usage.updated", "ses_known"),
        ]
        let foreign = [
            Self.event("session.execution.started", "ses_elsewhere"), Self.event("session.viewed", "ses_other"),
            Self.event("session.created", "ses_theirs", location: "/x"),
            Self.event("session.usage.updated", "ses_theirs"),
            Self.event("session.viewed", "ses_gone"),
        ]
        for _ in 0..<3 {
            for (mine, theirs) in zip(own, foreign) {
                fixture.instance.events.send(theirs)
                fixture.instance.events.send(mine)
            }
            #expect(try Self.receivedEvents(reader, fixture) == own.joined())
        }
        // The gateway read the list once, and queried only sessions that no other source described.
        let queries = fixture.instance.queries.values

        #expect(queries.filter { $0.hasPrefix("/api/session?") } == ["/api/session?limit=1000"])

        for id in ["ses_known", "ses_other", "ses_gone"] {
            #expect(queries.filter { $0 == "/api/session/\(id)" }.count == 1, "\(id)")
        }
        for id in ["ses_new", "ses_theirs"] { #expect(!queries.contains("/api/session/\(id)")) }
    }

    @Test func `events keep their order and none is lost while a session is queried`() throws {
        let fixture = try DirectoryFixture { plan in
            plan.known = ["ses_slow": plan.directory]
            plan.delay = .milliseconds(300)
        }
        let first = try fixture.events()
        let second = try fixture.events()
        let around = DirectoryFixture.event("agent.updated", "", location: fixture.folder)
        let slow = Self.event("session.execution.succeeded", "ses_slow")
        for event in [around, slow, around, Self.event("agent.updated", "ses_x", location: "/x"), around, slow] {
            fixture.instance.events.send(event)
        }
        let expected = around + slow + around + around + slow

        #expect(try Self.receivedEvents([first, second], fixture) == [expected, expected])
        // Both streams wait for the same response.
        #expect(fixture.instance.queries.values.filter { $0 == "/api/session/ses_slow" }.count == 1)
    }

    @Test func `a stream that ends while a session is queried delivers its events and ends cleanly`() throws {
        let fixture = try DirectoryFixture { $0.delay = .seconds(30) }
        let reader = try fixture.events()
        let around = DirectoryFixture.event("agent.updated", "", location: fixture.folder)
        for event in [around, Self.event("session.viewed", "ses_slow"), around] { fixture.instance.events.send(event) }
        try fixture.instance.queries.wait { $0.contains("/api/session/ses_slow") }
        fixture.instance.events.close(.clean)
        while try reader.next() != nil {}

        #expect(String(decoding: reader.raw, as: UTF8.self).hasSuffix(around + around))
        #expect(reader.response.ending == .complete)
    }

    /// The instance cannot be queried about a session that no longer exists, so the gateway looks a session up before
    /// it forwards the removal.
    @Test(arguments: [1, 4])
    func `a session's deletion reaches only the clients of its project`(threads: Int) throws {
        let fixture = try DirectoryFixture(threads: threads)
        let readers = try (0..<4).map { _ in try fixture.events() }
        // The instance's list is read before these sessions are created, by a client that names no directory.
        try fixture.instance.queries.wait { $0.filter { $0.hasPrefix("/api/session?") }.count >= 1 }

        for number in 0..<12 {
            let (own, other) = ("ses_own\(number)", "ses_other\(number)")
            fixture.plan.withLock { plan in
                plan.known[own] = fixture.folder
                plan.known[other] = "/x"
            }
            #expect(try fixture.request("DELETE", "/api/session/\(own)").status == 204)
            #expect(try fixture.request("DELETE", "/api/session/\(other)").status == 204)
            let event = Self.event("session.deleted", own)
            #expect(try Self.receivedEvents(readers, fixture) == Array(repeating: event, count: readers.count))
            #expect(fixture.instance.queries.values.contains("/api/session/\(own)"))
        }
    }

    @Test func `a deletion is forwarded although the session is unknown`() throws {
        let fixture = try DirectoryFixture(.one())

        #expect(try fixture.request("DELETE", "/session/ses_unknown").status == 204)
        #expect(fixture.instance.queries.values == ["/session/ses_unknown"])

        let request = try #require(fixture.instance.forwarded.values.last)

        #expect(request.method == "DELETE")
        #expect(request.target == "/session/ses_unknown")
    }

    @Test func `a session's move is reported to its old and its new directory`() throws {
        let fixture = try DirectoryFixture()
        let reader = try fixture.events()
        let away = DirectoryFixture.event(
            "session.moved", #""sessionID":"ses_1","location":{"directory":"/x"}"#, location: fixture.folder)
        let back = DirectoryFixture.event(
            "session.moved", #""sessionID":"ses_1","location":{"directory":"\#(fixture.folder)"}"#, location: "/x")
        let used = Self.event("session.usage.updated", "ses_1")
        for event in [away, used, back, used] { fixture.instance.events.send(event) }

        #expect(try Self.receivedEvents(reader, fixture) == away + back + used)
    }

    @Test func `project events are filtered by their project id`() throws {
        let fixture = try DirectoryFixture()
        let reader = try fixture.events()
        let own = DirectoryFixture.event("worktree.updated", #""projectID":"own""#)
        for event in [own, DirectoryFixture.event("worktree.updated", #""projectID":"other""#), own] {
            fixture.instance.events.send(event)
        }

        #expect(try Self.receivedEvents(reader, fixture) == own + own)

        let updated = DirectoryFixture.event("project.updated", #""id":"own","canonical":"/y","sandboxes":[]"#)
        fixture.instance.events.send(
            DirectoryFixture.event("project.updated", #""id":"other","canonical":"/x","sandboxes":[]"#))
        fixture.instance.events.send(updated)

        #expect(try Self.receivedEvents(reader, fixture) == updated)
    }

    @Test func `OpenCode 1 is queried at its own paths`() throws {
        let fixture = try DirectoryFixture(.one()) { plan in
            plan.listed = ["ses_listed": plan.directory]
            plan.known = ["ses_known": plan.directory]
        }
        let reader = try fixture.events()
        let own = Self.event("session.viewed", "ses_listed") + Self.event("session.viewed", "ses_known")
        fixture.instance.events.send(Self.event("session.viewed", "ses_listed"))
        fixture.instance.events.send(Self.event("session.viewed", "ses_known"))
        fixture.instance.events.send(Self.event("session.viewed", "ses_unknown"))

        #expect(try Self.receivedEvents(reader, fixture) == own)
        #expect(!fixture.instance.queries.values.contains { $0.hasPrefix("/api/") })

        // OpenCode 1's stream of all directories names the directory in every event, so the gateway sends no query.
        let other = try DirectoryFixture(.one())
        let wrapped = try other.events("/global/event")
        _ = try Self.receivedEvents(wrapped, other)

        #expect(other.instance.queries.values == [])
    }

    @Test func `no event is omitted and no query is sent without directory pinning`() throws {
        let fixture = try DirectoryFixture(flags: ["--no-directory-pinning"])
        let reader = try fixture.events()
        let foreign = Self.event("session.viewed", "ses_1") + Self.event("agent.updated", "ses_1", location: "/x")
        fixture.instance.events.send(foreign)

        #expect(try Self.receivedEvents(reader, fixture) == foreign)
        #expect(fixture.instance.queries.values == [])
    }

    @Test(arguments: ["other-location", "second-server", "worktree"])
    func `a recorded stream contains only the events of one directory`(name: String) throws {
        let recorded = String(decoding: try Fixtures.load("opencode/2.0.15/events-\(name).txt"), as: UTF8.self)
        let fixture = try DirectoryFixture {
            $0.project = name == "worktree" ? "6763b0aff0ee79ab2ec128266bfaf49bdad7f59f" : "own"
        }
        let reader = try fixture.events()
        let stream = recorded.replacing("/home/vibe/other.app", with: "\(fixture.gateway.home.path)/other")
            .replacing("/home/vibe/demo", with: fixture.folder)
        let bytes = Array(stream.utf8)
        for start in stride(from: 0, to: bytes.count, by: 701) {
            fixture.instance.events.send(String(decoding: bytes[start..<min(start + 701, bytes.count)], as: UTF8.self))
        }
        let text = try Self.receivedEvents(reader, fixture)

        #expect(text.contains("server.connected"))
        #expect(text.contains(": heartbeat\n\n"))
        #expect(!text.contains("\(fixture.gateway.home.path)/other"))

        let hasTurn = text.contains("session.execution.")

        #expect(hasTurn == (name == "worktree"))
        #expect(!text.contains("session.text.delta"))
        #expect(text.components(separatedBy: "session.moved").count == (name == "worktree" ? 3 : 1))
        #expect(text.components(separatedBy: "worktree.updated").count == (name == "worktree" ? 3 : 1))
    }
}
