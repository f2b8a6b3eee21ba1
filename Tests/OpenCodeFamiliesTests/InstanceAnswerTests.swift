// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

/// Tests the responses of instances about their project and sessions, as recorded from 1.18.33 and 2.0.15.
@Suite struct InstanceAnswerTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `OpenCode 2's project is read from /api/location, and a malformed response is rejected`() {
        let body = bytes(
            #"{"directory":"/home/vibe/demo","project":{"id":"6763b0aff0ee79ab2ec128266bfaf49bdad7f59f","directory":"/home/vibe/demo","canonical":"/home/vibe/demo"}}"#
        )
        let identity = ProjectIdentity(status: 200, body: body, family: .two)

        #expect(
            identity
                == ProjectIdentity(
                    id: "6763b0aff0ee79ab2ec128266bfaf49bdad7f59f", directory: "/home/vibe/demo",
                    root: "/home/vibe/demo"))
        #expect(ProjectIdentity.path(for: .two) == "/api/location")
        #expect(ProjectIdentity(status: 500, body: body, family: .two) == nil)
        #expect(ProjectIdentity(status: 200, body: body, family: .one) == nil)

        for text in [
            "", "{}", "<!doctype html>", #"{"directory":"/x","project":{"id":""}}"#,
            #"{"directory":"/x","project":null}"#, #"{"directory":"/x","project":{"id":1}}"#,
            #"{"directory":"/x","project":{"id":"p","canonical":1}}"#, #"{"directory":null,"project":{"id":"p"}}"#,
            #"{"project":{"id":"p"}}"#, #"[{"directory":"/x","project":{"id":"p"}}]"#,
        ] {
            #expect(ProjectIdentity(status: 200, body: bytes(text), family: .two) == nil, "\(text)")
        }
    }

    @Test(arguments: [APIFamily.one, nil])
    func `OpenCode 1's project is read from /project/current, and a malformed response is rejected`(family: APIFamily?)
    {
        let body = bytes(
            #"{"id":"e163fff51cded915bb339648845c66be8a4546cf","worktree":"/home/vibe/demo","vcs":"git","time":{"created":1795229138470,"updated":1795229138470},"sandboxes":[]}"#
        )
        let identity = ProjectIdentity(status: 200, body: body, family: family)

        #expect(identity == ProjectIdentity(id: "e163fff51cded915bb339648845c66be8a4546cf", root: "/home/vibe/demo"))

        for (text, known) in [
            (#"{"id":"p"}"#, ProjectIdentity(id: "p")),
            (#"{"id":"p","worktree":null,"sandboxes":null}"#, ProjectIdentity(id: "p")),
            (#"{"id":"p","sandboxes":["/a","/b"]}"#, ProjectIdentity(id: "p", folders: ["/a", "/b"])),
            (#"{"worktree":"/x"}"#, nil), (#"{"id":1}"#, nil), (#"{"id":""}"#, nil), (#"{"id":"p","worktree":1}"#, nil),
            (#"{"id":"p","sandboxes":["/a",1]}"#, nil), (#"{"id":"p","sandboxes":"/a"}"#, nil),
        ] {
            #expect(ProjectIdentity(status: 200, body: bytes(text), family: family) == known, "\(text)")
        }

        // 1.1 and 1.2 would forward a request for an unknown path to another server.
        #expect(ProjectIdentity.path(for: family) == "/project/current")
        #expect(ProjectFolders.path(ofProject: "e163", for: family) == nil)
        #expect(SessionLookup.path(of: bytes("ses_1"), for: family) == bytes("/session/ses_1"))
        #expect(SessionListing(family: family).firstTarget == bytes("/session?limit=1000"))
    }

    @Test func `a project's directories are read from /api/worktree, and a malformed response is rejected`() {
        let body = bytes(
            #"[{"directory":"/home/vibe/.local/share/opencode/worktree/6763b0/try","strategy":"git"},{"directory":"/home/vibe/demo"}]"#
        )

        #expect(
            ProjectFolders.parse(status: 200, body: body)
                == ["/home/vibe/.local/share/opencode/worktree/6763b0/try", "/home/vibe/demo"])
        #expect(ProjectFolders.parse(status: 404, body: []) == [])
        #expect(ProjectFolders.parse(status: 500, body: body) == nil)

        for text in ["{}", "[{}]", "[null]", #"[{"directory":"/a"},{"directory":1}]"#, #"{"directory":"/a"}"#] {
            #expect(ProjectFolders.parse(status: 200, body: bytes(text)) == nil, "\(text)")
        }

        #expect(ProjectFolders.parse(status: 200, body: bytes("[]")) == [])
        #expect(ProjectFolders.path(ofProject: "6763b0", for: .two) == "/api/worktree?projectID=6763b0")
        #expect(ProjectFolders.path(ofProject: "a/b?c", for: .two) == nil)
    }

    @Test func `the directory of a session is read from a response of the instance's own family only`() {
        let two = bytes(
            #"{"data":{"id":"ses_dfd7bc744ffek3LKsgJzqw84Ie","projectID":"653f6b77","time":{"created":1795338549454},"title":"\"directory\":\"/x\"","location":{"directory":"/home/vibe/other.app"}}}"#
        )
        let one = bytes(
            #"{"id":"ses_e03ff0fb1ffe2jP7lXoQWsI2LR","slug":"quiet-mountain","projectID":"f9cfa607","directory":"/home/vibe/other.app","path":"","model":{"directory":"/x"}}"#
        )

        #expect(SessionLookup.location(status: 200, body: two, for: .two) == .directory(bytes("/home/vibe/other.app")))
        #expect(SessionLookup.location(status: 200, body: one, for: .one) == .directory(bytes("/home/vibe/other.app")))
        #expect(SessionLookup.location(status: 200, body: one, for: .two) == nil)
        #expect(SessionLookup.location(status: 200, body: two, for: .one) == nil)
        #expect(SessionLookup.location(status: 404, body: [], for: .two) == .nowhere)

        for status in [401, 400, 500, 503] {
            #expect(SessionLookup.location(status: status, body: two, for: .two) == nil)
        }

        #expect(SessionLookup.path(of: bytes("ses_1"), for: .two) == bytes("/api/session/ses_1"))

        for id in ["", "a/b", "..", "a?b", "a b", "a%2Fb"] {
            #expect(SessionLookup.path(of: bytes(id), for: .two) == nil)
        }
    }

    private func listSessions(_ pages: [String], _ listing: inout SessionListing) -> (
        sessions: [String], targets: [String?]
    ) {
        var sessions: [String] = []
        var targets: [String?] = []
        for page in pages {
            for fragment in [
                Array(page.utf8.prefix(page.utf8.count / 2)), Array(page.utf8.dropFirst(page.utf8.count / 2)),
            ] {
                listing.parse(fragment.span) { id, directory in
                    sessions.append(String(decoding: id + [UInt8(ascii: "@")] + directory, as: UTF8.self))
                }
            }
            targets.append(listing.nextTarget().map { String(decoding: $0, as: UTF8.self) })
        }
        return (sessions, targets)
    }

    @Test func `the list of sessions is read page by page up to the first page that is not full`() {
        func page(_ numbers: Range<Int>) -> String {
            let sessions = numbers.map {
                #"{"id":"ses_\#($0)","parentID":"ses_x","model":{"id":"m"},"location":{"directory":"/d\#($0)"}}"#
            }
            return #"{"data":[\#(sessions.joined(separator: ","))],"cursor":{"previous":"p","next":"a+b="}}"#
        }
        var listing = SessionListing(family: .two)

        #expect(listing.firstTarget == bytes("/api/session?limit=1000"))

        let (sessions, targets) = listSessions([page(0..<1_000), page(1_000..<1_003)], &listing)

        #expect(sessions == (0..<1_003).map { "ses_\($0)@/d\($0)" })
        // The last page also has a cursor.
        #expect(targets == ["/api/session?limit=1000&cursor=a%2Bb%3D", nil])
    }

    @Test func `at most 50 pages of the session list are read`() {
        let sessions = (0..<1_000).map { #"{"id":"s\#($0)","location":{"directory":"/d"}}"# }.joined(separator: ",")
        let page = #"{"data":[\#(sessions)],"cursor":{"next":"x"}}"#
        var listing = SessionListing(family: .two)
        let targets = listSessions(Array(repeating: page, count: 51), &listing).targets

        #expect(targets.prefix { $0 != nil }.count == 49)
    }

    @Test func `the session list of OpenCode 1 is read, and an empty or malformed list yields none`() {
        var one = SessionListing(family: .one)
        let body = #"[{"id":"ses_1","projectID":"p","directory":"/a","path":""},{"id":"ses_2","directory":"/b"}]"#

        #expect(listSessions([body], &one).sessions == ["ses_1@/a", "ses_2@/b"])

        for text in [
            "", "[]", #"{"data":[],"cursor":{"previous":null,"next":null}}"#, "<html>", #"{"data":[{"id":"s"}]}"#,
        ] {
            var listing = SessionListing(family: .two)
            let (sessions, targets) = listSessions([text], &listing)
            #expect(sessions == [], "\(text)")
            #expect(targets == [nil], "\(text)")
        }
    }
}
