// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

/// Tests the decision about a request for the sessions of all directories.
@Suite struct SessionListQueryTests {
    private static let scope = DirectoryScope(
        folder: "/home/vibe/demo", resolved: "/home/vibe/demo", worktrees: ["/srv/tree"])
    private static let id = "6763b0aff0ee79ab2ec128266bfaf49bdad7f59f"
    private static let own = project(id)
    private static let shared = project(id, isShared: true)
    private static let global = project("global")

    private static func project(_ id: String, isShared: Bool = false) -> OpenCodeProject {
        OpenCodeProject(id: Array(id.utf8), directory: Array("/home/vibe/demo".utf8), isShared: isShared)
    }

    private func outcome(_ query: String, _ own: OpenCodeProject? = own) -> String {
        switch SessionListQuery(Array(query.utf8)[...]).narrowed(to: own, in: Self.scope) {
        case .unchanged: query
        case .query(let query): String(decoding: query, as: UTF8.self)
        case .refused(let refusal): "\(refusal)"
        }
    }

    private static func cursor(_ json: String, padded: Bool = false) -> String {
        let text = Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return "cursor=" + (padded ? text : text.replacing("=", with: ""))
    }

    @Test(
        arguments: [
            "", "limit=5", "limit=50&order=desc&parentID=null", "search=a+b&", "&", "parentID=ses_1",
            // These parameters do not narrow the list.
            "Directory=/home/vibe/demo", "directory[]=/home/vibe/demo", "location[directory]=/home/vibe/demo",
            "Project=x", "project[]=x", "%2570roject=x", "xproject=x", "subpath=x", "workspace=w",
        ])
    func `a query without a directory and a project is restricted to the directory's own project`(query: String) {
        let kept = query.split(separator: "&").map { "\($0)&" }.joined()

        #expect(outcome(query) == "\(kept)project=\(Self.id)")
        #expect(outcome(query, Self.global) == "\(kept)directory=%2Fhome%2Fvibe%2Fdemo")
        #expect(outcome(query, Self.shared) == "\(kept)directory=%2Fhome%2Fvibe%2Fdemo")
        // If the project is unknown, the list is restricted to the folder's own sessions, which belong to no other
        // project.
        #expect(outcome(query, nil) == "\(kept)directory=%2Fhome%2Fvibe%2Fdemo")
        #expect(SessionListQuery(Array(query.utf8)[...]).needsProject(in: Self.scope))
    }

    @Test(
        arguments: ["directory", "directory=", "project=", "project=%20", "cursor=", "cursor"])
    func `a parameter with an empty value is treated as absent`(parameter: String) {
        #expect(outcome(parameter) == "project=\(Self.id)")
        #expect(outcome("limit=5&\(parameter)&order=asc") == "limit=5&order=asc&project=\(Self.id)")
        #expect(outcome("\(parameter)&directory=/home/vibe/demo") == "directory=/home/vibe/demo")
        #expect(outcome("project=\(Self.id)&\(parameter)") == "project=\(Self.id)")
    }

    @Test(
        arguments: [
            "directory=/home/vibe/demo", "limit=50&order=desc&parentID=null&directory=%2Fhome%2Fvibe%2Fdemo",
            "%64irectory=/srv/tree", "directory=/home/vibe/demo/sub&limit=1",
        ])
    func `a query with a directory is unchanged and needs no project`(query: String) {
        for own in [Self.own, Self.shared, Self.global, nil] { #expect(outcome(query, own) == query) }

        #expect(!SessionListQuery(Array(query.utf8)[...]).needsProject(in: Self.scope))
    }

    @Test func `the id of the directory's own project is accepted`() {
        for query in [
            "project=\(Self.id)", "limit=100&%70roject=\(Self.id)&order=desc",
            "project=%36763b0aff0ee79ab2ec128266bfaf49bdad7f59f",
        ] {
            #expect(outcome(query) == query)
            // Other folders have the same ID, so the query requests only the sessions of the folder itself.
            #expect(outcome(query, Self.shared) == "\(query)&directory=%2Fhome%2Fvibe%2Fdemo")
            #expect(outcome(query, nil) == "unknownProject")
            #expect(SessionListQuery(Array(query.utf8)[...]).needsProject(in: Self.scope))
        }

        #expect(outcome("project=global", Self.global) == "project=global&directory=%2Fhome%2Fvibe%2Fdemo")

        let both = "project=\(Self.id)&directory=/home/vibe/demo"

        #expect(outcome(both) == both)
        #expect(outcome(both, Self.shared) == both)
    }

    @Test(
        arguments: [
            "project=other", "project=global", "project=\(id)x", "project=\(id)&project=other",
            "project=other&project=\(id)", "%70roject=other", "project=other&directory=/home/vibe/demo",
            "project=%zz", "project=%ff", "project=\(id.uppercased())", "project=+\(id)",
            "project=other&\(cursor(#"{"directory":"/home/vibe/demo"}"#))",
        ])
    func `another project's id is rejected`(query: String) {
        #expect(outcome(query) == "project")
        #expect(outcome(query, Self.shared) == "project")
    }

    @Test(arguments: [false, true])
    func `a cursor of the directory's own list is forwarded unchanged`(padded: Bool) {
        let anchor = #""anchor":{"id":"ses_1","time":1795346188197,"direction":"next"}"#

        for json in [
            #"{"project":"\#(Self.id)",\#(anchor)}"#, #"{"order":"desc","project":"\#(Self.id)","directory":"/etc"}"#,
            #"{"pro\u006aect":"\#(Self.id)"}"#,
        ] {
            let query = Self.cursor(json, padded: padded)
            #expect(outcome(query) == query, "\(json)")
            #expect(outcome("limit=2&\(query)") == "limit=2&\(query)")
            // For projects with the same ID, the cursor would return sessions of other projects.
            #expect(outcome(query, Self.shared) == "cursor")
            #expect(outcome(query, nil) == "unknownProject")
        }
        for json in [
            #"{"directory":"/home/vibe/demo",\#(anchor)}"#, #"{"directory":"\/srv\/tree\/sub"}"#,
            #"{"project":"other","directory":"/home/vibe/demo"}"#,
        ] {
            let query = Self.cursor(json, padded: padded)
            for own in [Self.own, Self.shared, Self.global, nil] { #expect(outcome(query, own) == query, "\(json)") }
            #expect(!SessionListQuery(Array(query.utf8)[...]).needsProject(in: Self.scope))
        }
    }

    /// Tests cursors that OpenCode 2.0.15 created.
    @Test func `a recorded cursor is accepted only if it names the directory or its project`() {
        let directory =
            "eyJkaXJlY3RvcnkiOiIvaG9tZS92aWJlL2RlbW8iLCJhbmNob3IiOnsiaWQiOiJzZXNfZGZkMDczOGJhZmZlZVhER1VMeVAzTTlOMTUiLCJ0aW1lIjoxNzk1MzQ2MTg4MTk3LCJkaXJlY3Rpb24iOiJuZXh0In19"
        let project =
            "eyJwcm9qZWN0IjoiNjc2M2IwYWZmMGVlNzlhYjJlYzEyODI2NmJmYWY0OWJkYWQ3ZjU5ZiIsImFuY2hvciI6eyJpZCI6InNlc19kZmQwNzk3MzFmZmU4akprekxVZWVZblhoRSIsInRpbWUiOjE3OTUzNDYxNjUxNjcsImRpcmVjdGlvbiI6Im5leHQifX0"
        let neither =
            "eyJvcmRlciI6ImRlc2MiLCJwYXJlbnRJRCI6Im51bGwiLCJhbmNob3IiOnsiaWQiOiJzZXNfZGZkMDczOGJhZmZlZVhER1VMeVAzTTlOMTUiLCJ0aW1lIjoxNzk1MzQ2MTg4MTk3LCJkaXJlY3Rpb24iOiJwcmV2aW91cyJ9fQ"

        #expect(outcome("cursor=\(directory)") == "cursor=\(directory)")
        #expect(outcome("cursor=\(project)") == "cursor=\(project)")
        #expect(outcome("cursor=\(neither)") == "cursor")
        #expect(outcome("cursor=\(project)", Self.project("other")) == "cursor")
    }

    @Test(
        arguments: [
            "{}", #"{"order":"asc","anchor":{}}"#, #"{"project":"other"}"#, #"{"directory":"/home/vibe/other"}"#,
            #"{"directory":"/home/vibe/demo","directory":"/etc"}"#, #"{"project":"\#(id)","project":"other"}"#,
            #"{"directory":"demo"}"#, #"{"directory":""}"#, #"{"directory":null,"project":["\#(id)"]}"#,
            #"{"anchor":{"project":"\#(id)"}}"#, #"[{"project":"\#(id)"}]"#, #""project""#, "", "nonsense",
            #"{"directory":"/home/vibe/demo/../other"}"#, #"{"Project":"\#(id)"}"#,
        ])
    func `each cursor of another list is rejected`(json: String) {
        guard !json.isEmpty else { return }
        let query = Self.cursor(json)

        #expect(outcome(query) == "cursor")
        // OpenCode ignores all other parameters if there is a cursor.
        #expect(outcome("\(query)&directory=/home/vibe/demo") == "cursor")
        #expect(outcome("project=\(Self.id)&\(query)") == "cursor")
    }

    @Test(arguments: [
        "cursor=nonsense!", "cursor=a+b", "cursor=%00", "cursor=e30=x", "cursor=%zz", "%63ursor=nonsense",
    ])
    func `each malformed cursor is rejected`(query: String) {
        #expect(outcome(query) == "cursor")
    }

    @Test func `each of several cursors must belong to the directory's own list`() {
        let (own, other) = (Self.cursor(#"{"project":"\#(Self.id)"}"#), Self.cursor(#"{"project":"other"}"#))

        #expect(outcome("\(own)&\(own)") == "\(own)&\(own)")
        #expect(outcome("\(own)&\(other)") == "cursor")
        #expect(outcome("\(other)&\(own)") == "cursor")
    }

    @Test(arguments: ["?project=\(id)", "?directory=/home/vibe/demo", "??cursor=x", "?project=other"])
    func `a second question mark before project, directory or cursor makes a query ambiguous`(query: String) {
        #expect(outcome(query) == "ambiguous")
        #expect(outcome("?limit=5") == "?limit=5&project=\(Self.id)")
    }

    @Test func `the directory is spelled as the instance spells it if this spelling names the project folder`() {
        let scope = DirectoryScope(folder: "/home/vibe/a b", resolved: "/srv/a+b \u{e9}")
        func directory(_ identity: ProjectIdentity) -> String {
            let own = OpenCodeProject(identity, in: scope, isShared: true, number: 1)
            guard case .query(let query) = SessionListQuery([]).narrowed(to: own, in: scope) else { return "" }
            return String(decoding: query, as: UTF8.self)
        }

        #expect(directory(ProjectIdentity(id: "x", directory: "/home/vibe/a b")) == "directory=%2Fhome%2Fvibe%2Fa%20b")

        // The query does not trust a spelling that differs from the spelling of the folder.
        for identity in [
            ProjectIdentity(id: "x", directory: "/srv/a+b \u{e9}"), ProjectIdentity(id: "x", directory: "/etc"),
            ProjectIdentity(id: "global", root: "/"), ProjectIdentity(id: "x", root: "/srv"),
        ] {
            #expect(directory(identity) == "directory=%2Fsrv%2Fa%2Bb%20%C3%A9")
        }
    }
}
