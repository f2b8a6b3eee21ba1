import Foundation
import TestKit
import Testing

/// OpenCode 2's events that name no directory reach the clients of the project whose session or project they are about.
@Suite struct SessionEventStreamTests {
    private static func event(_ type: String, _ session: String, location: String? = nil) -> String {
        ScriptedInstance.event(type, #""sessionID":"\#(session)""#, location: location)
    }

    /// What each reader gets up to an event that all may see.
    private static func read(_ readers: [EventStreamReader], _ rig: ScriptedRig) throws -> [String] {
        let mark = ScriptedInstance.event("mark.\(Int.random(in: 0..<1_000_000_000))", "")
        rig.instance.send(mark)
        return try readers.map { reader in
            let start = reader.raw.count
            let payload = String(mark.dropFirst("data: ".count).dropLast(2))
            try reader.first { $0 == payload }
            let text = String(decoding: reader.raw[start...], as: UTF8.self)
            return String(text[..<(text.range(of: mark)?.lowerBound ?? text.endIndex)])
        }
    }

    private static func read(_ reader: EventStreamReader, _ rig: ScriptedRig) throws -> String {
        try read([reader], rig)[0]
    }

    @Test func aSessionsEventsAreItsFolders() throws {
        let rig = try ScriptedRig { plan in
            plan.listed = ["ses_listed": plan.directory, "ses_elsewhere": "/x"]
            plan.known = ["ses_known": "\(plan.directory)/sub", "ses_other": "/x"]
        }
        let reader = try rig.events()
        let own = [
            Self.event("session.execution.started", "ses_listed"), Self.event("session.viewed", "ses_known"),
            Self.event("session.created", "ses_new", location: rig.folder),
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
                rig.instance.send(theirs)
                rig.instance.send(mine)
            }
            #expect(try Self.read(reader, rig) == own.joined())
        }
        // The list was read once, and asked for was only what nothing else told.
        let asked = rig.instance.asked.values
        #expect(asked.filter { $0.hasPrefix("/api/session?") } == ["/api/session?limit=1000"])
        for id in ["ses_known", "ses_other", "ses_gone"] {
            #expect(asked.filter { $0 == "/api/session/\(id)" }.count == 1, "\(id)")
        }
        for id in ["ses_new", "ses_theirs"] { #expect(!asked.contains("/api/session/\(id)")) }
    }

    @Test func theOrderStaysAndNothingIsLostWhileSomethingIsAsked() throws {
        let rig = try ScriptedRig { plan in
            plan.known = ["ses_slow": plan.directory]
            plan.delay = .milliseconds(300)
        }
        let first = try rig.events()
        let second = try rig.events()
        let around = ScriptedInstance.event("agent.updated", "", location: rig.folder)
        let slow = Self.event("session.execution.succeeded", "ses_slow")
        for event in [around, slow, around, Self.event("agent.updated", "ses_x", location: "/x"), around, slow] {
            rig.instance.send(event)
        }
        let expected = around + slow + around + around + slow
        #expect(try Self.read([first, second], rig) == [expected, expected])
        // Both streams wait for one answer.
        #expect(rig.instance.asked.values.filter { $0 == "/api/session/ses_slow" }.count == 1)
    }

    @Test func aStreamThatEndsWhileSomethingIsAskedEndsInOrder() throws {
        let rig = try ScriptedRig { $0.delay = .seconds(30) }
        let reader = try rig.events()
        let around = ScriptedInstance.event("agent.updated", "", location: rig.folder)
        for event in [around, Self.event("session.viewed", "ses_slow"), around] { rig.instance.send(event) }
        try rig.instance.asked.wait { $0.contains("/api/session/ses_slow") }
        rig.instance.endStreams()
        while try reader.next() != nil {}
        #expect(String(decoding: reader.raw, as: UTF8.self).hasSuffix(around + around))
        #expect(reader.response.ending == .complete)
    }

    /// Nobody can be asked about a session that is gone: who removes it through the gateway has it looked up before.
    @Test(arguments: [1, 4])
    func aSessionThatIsRemovedIsToldToThoseWhoShouldHearIt(threads: Int) throws {
        let rig = try ScriptedRig(threads: threads)
        let readers = try (0..<4).map { _ in try rig.events() }
        // The instance's list is read before these are made, by somebody who names no directory.
        try rig.instance.asked.wait { $0.filter { $0.hasPrefix("/api/session?") }.count >= 1 }
        for number in 0..<12 {
            let (own, other) = ("ses_own\(number)", "ses_other\(number)")
            rig.instance.plan.withLock { plan in
                plan.known[own] = rig.folder
                plan.known[other] = "/x"
            }
            #expect(try rig.request("DELETE", "/api/session/\(own)").status == 204)
            #expect(try rig.request("DELETE", "/api/session/\(other)").status == 204)
            let event = Self.event("session.deleted", own)
            #expect(try Self.read(readers, rig) == Array(repeating: event, count: readers.count))
            #expect(rig.instance.asked.values.contains("/api/session/\(own)"))
        }
    }

    @Test func aRemovalGoesOnWhateverTheAnswerIs() throws {
        let rig = try ScriptedRig(.one())
        #expect(try rig.request("DELETE", "/session/ses_unknown").status == 204)
        #expect(rig.instance.asked.values == ["/session/ses_unknown"])
        let request = try #require(rig.instance.received.values.last)
        #expect(request.method == "DELETE" && request.target == "/session/ses_unknown")
    }

    @Test func aSessionThatMovesIsSeenWhereItWasAndWhereItIs() throws {
        let rig = try ScriptedRig()
        let reader = try rig.events()
        let away = ScriptedInstance.event(
            "session.moved", #""sessionID":"ses_1","location":{"directory":"/x"}"#, location: rig.folder)
        let back = ScriptedInstance.event(
            "session.moved", #""sessionID":"ses_1","location":{"directory":"\#(rig.folder)"}"#, location: "/x")
        let used = Self.event("session.usage.updated", "ses_1")
        for event in [away, used, back, used] { rig.instance.send(event) }
        #expect(try Self.read(reader, rig) == away + back + used)
    }

    @Test func aProjectsEventsAreJudgedByItsId() throws {
        let rig = try ScriptedRig()
        let reader = try rig.events()
        let own = ScriptedInstance.event("worktree.updated", #""projectID":"own""#)
        for event in [own, ScriptedInstance.event("worktree.updated", #""projectID":"other""#), own] {
            rig.instance.send(event)
        }
        #expect(try Self.read(reader, rig) == own + own)
        let updated = ScriptedInstance.event("project.updated", #""id":"own","canonical":"/y","sandboxes":[]"#)
        rig.instance.send(ScriptedInstance.event("project.updated", #""id":"other","canonical":"/x","sandboxes":[]"#))
        rig.instance.send(updated)
        #expect(try Self.read(reader, rig) == updated)
    }

    @Test func openCode1IsAskedAtItsOwnPaths() throws {
        let rig = try ScriptedRig(.one()) { plan in
            plan.listed = ["ses_listed": plan.directory]
            plan.known = ["ses_known": plan.directory]
        }
        let reader = try rig.events()
        let own = Self.event("session.viewed", "ses_listed") + Self.event("session.viewed", "ses_known")
        rig.instance.send(Self.event("session.viewed", "ses_listed"))
        rig.instance.send(Self.event("session.viewed", "ses_known"))
        rig.instance.send(Self.event("session.viewed", "ses_unknown"))
        #expect(try Self.read(reader, rig) == own)
        #expect(!rig.instance.asked.values.contains { $0.hasPrefix("/api/") })
        // Its own stream of all directories names them with every event: nothing is asked for it.
        let other = try ScriptedRig(.one())
        let wrapped = try other.events("/global/event")
        _ = try Self.read(wrapped, other)
        #expect(other.instance.asked.values == [])
    }

    @Test func withoutPinningNothingIsLeftOutOrAsked() throws {
        let rig = try ScriptedRig(flags: ["--no-directory-pinning"])
        let reader = try rig.events()
        let foreign = Self.event("session.viewed", "ses_1") + Self.event("agent.updated", "ses_1", location: "/x")
        rig.instance.send(foreign)
        #expect(try Self.read(reader, rig) == foreign)
        #expect(rig.instance.asked.values == [])
    }

    @Test(arguments: ["other-location", "second-server", "worktree"])
    func aRecordedStreamShowsOneFoldersEvents(name: String) throws {
        let fixture = String(decoding: try Fixtures.read("opencode/2.0.15/events-\(name).txt"), as: UTF8.self)
        let rig = try ScriptedRig {
            $0.project = name == "worktree" ? "6763b0aff0ee79ab2ec128266bfaf49bdad7f59f" : "own"
        }
        let reader = try rig.events()
        let stream = fixture.replacing("/home/vibe/other.app", with: "\(rig.gateway.home.path)/other")
            .replacing("/home/vibe/demo", with: rig.folder)
        let bytes = Array(stream.utf8)
        for start in stride(from: 0, to: bytes.count, by: 701) {
            rig.instance.send(String(decoding: bytes[start..<min(start + 701, bytes.count)], as: UTF8.self))
        }
        let text = try Self.read(reader, rig)
        #expect(text.contains("server.connected") && text.contains(": heartbeat\n\n"))
        #expect(!text.contains("\(rig.gateway.home.path)/other"))
        let hasTurn = text.contains("session.execution.")
        #expect(hasTurn == (name == "worktree"))
        #expect(!text.contains("session.text.delta"))
        #expect(text.components(separatedBy: "session.moved").count == (name == "worktree" ? 3 : 1))
        #expect(text.components(separatedBy: "worktree.updated").count == (name == "worktree" ? 3 : 1))
    }
}
