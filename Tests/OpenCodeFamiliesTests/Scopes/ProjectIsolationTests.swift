// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OpenCodeFamilies

@Suite struct ProjectIsolationTests {
    private static let scope = DirectoryScope(folder: "/home/vibe/demo", resolved: "/home/vibe/demo")

    private static func isolation(
        _ method: String, _ target: String
    ) throws(ProjectIsolation.Violation) -> (sessions: Set<String>, projects: Set<String>) {
        let bytes = Array(target.utf8)[...]
        let route = RouteJudgement(method, bytes, for: nil).route
        let found = try ProjectIsolation(bytes, route, in: scope)
        return (
            Set(found.sessions.map { String(decoding: $0, as: UTF8.self) }),
            Set(found.projects.map { String(decoding: $0, as: UTF8.self) })
        )
    }

    @Test(arguments: [
        "/session/ses_1", "/session/ses_1/message", "/api/session/ses_1/prompt", "/SESSION/ses_1", "//session//ses_1",
        "/session/%73es_1", "/session%2Fses_1", "/session/ses_1?x=1", "/a/../session/ses_1", "/session\\ses_1",
        "/api/experimental/session/ses_1/terminal",
    ])
    func `a session in the path is found in any spelling`(target: String) throws {
        #expect(try Self.isolation("GET", target).sessions.contains("ses_1"))
    }

    @Test(arguments: [
        "/session", "/api/session", "/session/status", "/api/session/active", "/config", "/event", "/file?path=src",
        "/project/current",
    ])
    func `other paths name no session and no project`(target: String) throws {
        let found = try Self.isolation("GET", target)

        #expect(found.sessions.isEmpty)
        #expect(found.projects.isEmpty)
    }

    @Test func `the id of an OpenCode project is found in the path and in the query`() throws {
        #expect(try Self.isolation("PATCH", "/project/prj_1").projects == ["prj_1"])
        #expect(try Self.isolation("GET", "/api/permission/saved?projectID=prj_2").projects == ["prj_2"])
        #expect(try Self.isolation("GET", "/api/permission/saved?project%49D=prj_2").projects == ["prj_2"])
    }

    @Test(
        arguments: [
            ("GET", "/file?path=/etc", .directory), ("GET", "/file?path=../other", .directory),
            ("GET", "/file?%70ath=%2Fetc", .directory), ("GET", "/file/content?PATH=/etc/passwd", .directory),
            ("GET", "/session?workspace=wrk_1", .workspace),
            ("GET", "/config?location%5Bworkspace%5D=wrk_1", .workspace),
            ("GET", "/config?workspace%5B%5D=wrk_1", .workspace),
            ("GET", "/config?location.workspace=wrk_1", .workspace),
            ("GET", "/config?location=%7B%7D", .workspace), ("GET", "/config?+workspace=wrk_1", .workspace),
            ("GET", "/api/agent/build;location[workspace]=wrk_1", .ambiguousPath),
            ("GET", "/api/agent/build%3Bworkspace=wrk_1", .ambiguousPath),
            ("GET", "/api/agent/build%3Bworkspace=wrk_1%zz", .ambiguousPath),
            ("GET", "/config?%77orkspace%5B%zz%5D=wrk_1", .workspace),
            ("GET", "/experimental/workspace/status", .allProjects),
        ] as [(String, String, ProjectIsolation.Violation)])
    func `a query that names something outside the project is a violation`(
        method: String, target: String, violation: ProjectIsolation.Violation
    ) {
        #expect(throws: violation) { _ = try Self.isolation(method, target) }
    }

    @Test(arguments: ["/api/permission/saved", "/api/experimental/session/stats?x=1"])
    func `a response with data of all projects is a violation`(target: String) {
        #expect(throws: ProjectIsolation.Violation.allProjects) { _ = try Self.isolation("GET", target) }
    }

    @Test func `the project's own files are no violation`() throws {
        _ = try Self.isolation("GET", "/file?path=")
        _ = try Self.isolation("GET", "/file?path=src/main.swift")
        _ = try Self.isolation("GET", "/file?path=/home/vibe/demo/src")
    }

    @Test func `the objects of a body are added`() throws {
        let route = try #require(RouteJudgement("POST", Array("/session".utf8)[...], for: .one).route)
        var isolation = try ProjectIsolation(Array("/session".utf8)[...], route, in: Self.scope)
        try isolation.add([.init(.session, "ses_parent"), .init(.directory, "/home/vibe/demo/a")], in: Self.scope)

        #expect(isolation.sessions == [Array("ses_parent".utf8)])
        #expect(throws: ProjectIsolation.Violation.directory) {
            try isolation.add([.init(.directory, "/home/vibe/other")], in: Self.scope)
        }
        #expect(throws: ProjectIsolation.Violation.workspace) {
            try isolation.add([.init(.workspace, "wrk_1")], in: Self.scope)
        }
        #expect(throws: ProjectIsolation.Violation.tooManySessions) {
            let many = (0...ProjectIsolation.mostSessions).map { RequestReferences.Finding(.session, "ses_\($0)") }
            try isolation.add(many, in: Self.scope)
        }
    }
}
