// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite("The lists that name other projects")
struct ProjectListTests {
    /// Allows the project `/home/vibe/demo` with a worktree, and the session `ses_1`.
    private func filtered(_ list: ProjectList, _ body: String) -> String? {
        let allowed = [
            ProjectList.Owner.directory(Array("/home/vibe/demo".utf8)), .directory(Array("/srv/tree".utf8)),
            .session(Array("ses_1".utf8)),
        ]
        return list.filtered(Array(body.utf8)) { allowed.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `other projects are removed from the list of projects`() {
        let own = #"{"id":"1","worktree":"/home/vibe/demo","time":{"created":1795228261089}}"#
        let other = #"{"id":"2","worktree":"/home/vibe/other","sandboxes":["/srv/else"]}"#

        #expect(filtered(.projects, "[\(other),\(own),\(other)]") == "[\(own)]")
        #expect(filtered(.projects, "[\(other)]") == "[]")
    }

    @Test func `OpenCode 2's projects are found by their canonical directory`() {
        let own = #"{"id":"1","canonical":"/home/vibe/demo","sandboxes":[]}"#

        #expect(filtered(.projects, #"[{"id":"2","canonical":"/"},\#(own)]"#) == "[\(own)]")
    }

    @Test func `a project's worktrees outside the key's projects are removed`() {
        #expect(
            filtered(.projects, #"[{"worktree":"/home/vibe/demo","sandboxes":["/srv/tree","/srv/else",3]}]"#)
                == #"[{"worktree":"/home/vibe/demo","sandboxes":["/srv/tree"]}]"#)
    }

    @Test func `a project remains if one of its worktrees is allowed`() {
        #expect(
            filtered(.projects, #"[{"worktree":"/home/vibe/main","sandboxes":["/srv/else","/srv/tree"]}]"#)
                == #"[{"worktree":"/home/vibe/main","sandboxes":["/srv/tree"]}]"#)
    }

    @Test func `an entry without a directory is removed`() {
        #expect(filtered(.projects, #"[{"id":"1"},"x",null,{"worktree":5}]"#) == "[]")
        #expect(filtered(.sessions, #"[{"id":"ses_1"},{"id":"ses_2","directory":null}]"#) == "[]")
        #expect(filtered(.directories, #"[null,5,{"directory":null}]"#) == "[]")
    }

    @Test func `the sessions of other directories are removed`() {
        let own = #"{"id":"ses_1","directory":"/home/vibe/demo","cost":0.10}"#

        #expect(
            filtered(.sessions, #"[\#(own),{"id":"ses_2","directory":"/home/vibe/other"}]"#) == "[\(own)]")
    }

    @Test func `the running sessions of other projects are removed`() {
        #expect(
            filtered(.activeSessions, #"{"data":{"ses_2":{"type":"running"},"ses_1":{"type":"running"}},"x":1}"#)
                == #"{"data":{"ses_1":{"type":"running"}},"x":1}"#)
        #expect(filtered(.activeSessions, #"{"data":{}}"#) == #"{"data":{}}"#)
    }

    @Test func `other directories are removed from lists of texts and of objects`() {
        #expect(filtered(.directories, #"["/srv/else","/srv/tree"]"#) == #"["/srv/tree"]"#)
        #expect(
            filtered(.directories, #"[{"directory":"/srv/tree","strategy":"git"},{"directory":"/"}]"#)
                == #"[{"directory":"/srv/tree","strategy":"git"}]"#)
    }

    @Test(arguments: ProjectList.allCases)
    func `a list with an unknown shape is not forwarded`(list: ProjectList) {
        for body in ["", "x", "5", #"{"data":5}"#, #"[{"directory":"/srv/tree","directory":"/"}]"#, "\u{FEFF}[]"] {
            #expect(filtered(list, body) == nil, "\(body)")
        }
        #expect(list.filtered([0x5B, 0x22, 0xFF, 0x22, 0x5D]) { _ in true } == nil)
    }

    @Test func `the four lists that name other projects are filtered`() {
        let rows = ["/project", "/api/project", "/experimental/session", "/api/session/active"]
        let kinds = rows.map { RouteJudgement("GET", Array($0.utf8)[...], for: nil).route?.content }

        #expect(
            kinds == [
                .projects(.projects), .projects(.projects), .projects(.sessions), .projects(.activeSessions),
            ])
    }
}
