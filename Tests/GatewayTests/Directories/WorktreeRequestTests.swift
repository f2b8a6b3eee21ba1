// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a worktree that git lists for the project is inside the project, for requests and for events.
@Suite(.onTestThreads, .enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
struct WorktreeRequestTests {
    private func status(_ fixture: DirectoryFixture, _ folder: String) throws -> Int {
        try fixture.request("GET", "/api/agent?location[directory]=\(folder)").status
    }

    private func wait(_ fixture: DirectoryFixture, _ folder: String, for status: Int) throws {
        let deadline = Deadline(after: .seconds(20))
        while try self.status(fixture, folder) != status {
            guard !deadline.hasPassed else { throw TestFailure("\(folder) never gave \(status)") }
        }
    }

    @Test(arguments: [false, true])
    func `requests and events of a worktree are forwarded while git lists it`(isMadeBefore: Bool) throws {
        let fixture = try DirectoryFixture(flags: ["--opencode1-compat", "off"])
        let tree = "\(fixture.gateway.home.path)/.trees/try"
        try GitProgram.makeRepository(in: fixture.folder)
        let early = isMadeBefore ? nil : try fixture.events()

        #expect(try status(fixture, tree) == 403)

        try GitProgram.run(in: fixture.folder, "worktree", "add", "-q", "--detach", tree)
        try wait(fixture, tree, for: 200)
        let reader = try early ?? fixture.events()
        for path in [
            "/session?directory=\(tree)/src", "/api/session?directory=\(tree)",
            "/api/location?location[directory]=\(tree)",
        ] {
            #expect(try fixture.target("GET", path) == path)
        }

        #expect(try fixture.request("GET", "/session", headers: [("x-opencode-directory", tree)]).status == 200)
        #expect(try status(fixture, "\(fixture.gateway.home.path)/.trees") == 403)

        // A stream that was open before also includes it.
        let event = DirectoryFixture.event("agent.updated", "", location: tree)
        let foreign = DirectoryFixture.event("agent.updated", "", location: "\(tree)2")
        let end = DirectoryFixture.event("end", "")
        for event in [foreign, event, end] { fixture.instance.events.send(event) }
        try reader.first { $0.contains(#""end""#) }

        #expect(String(decoding: reader.raw, as: UTF8.self).hasSuffix(event + end))
        #expect(!String(decoding: reader.raw, as: UTF8.self).contains(foreign))

        try GitProgram.run(in: fixture.folder, "worktree", "remove", tree)
        try wait(fixture, tree, for: 403)
    }

    @Test func `another project's folder is outside the project even if it is a worktree`() throws {
        let fixture = try DirectoryFixture()
        try GitProgram.makeRepository(in: fixture.folder)
        try GitProgram.run(
            in: fixture.folder, "worktree", "add", "-q", "--detach", "\(fixture.gateway.home.path)/other")
        let hidden = "\(fixture.gateway.home.path)/.hidden"
        try GitProgram.run(in: fixture.folder, "worktree", "add", "-q", "--detach", hidden)
        try wait(fixture, hidden, for: 200)

        #expect(try status(fixture, "\(fixture.gateway.home.path)/other") == 403)
        #expect(try status(fixture, fixture.gateway.home.path) == 403)
    }
}
