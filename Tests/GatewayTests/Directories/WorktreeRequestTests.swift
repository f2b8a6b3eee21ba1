import TestKit
import Testing

/// What git lists as a worktree of the project is inside the project, for requests and for events.
@Suite(.enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
struct WorktreeRequestTests {
    private func status(_ rig: ScriptedRig, _ folder: String) throws -> Int {
        try rig.request("GET", "/api/agent?location[directory]=\(folder)").status
    }

    private func wait(_ rig: ScriptedRig, _ folder: String, for status: Int) throws {
        let deadline = Deadline(after: .seconds(20))
        while try self.status(rig, folder) != status {
            guard !deadline.hasPassed else { throw TestFailure("\(folder) never gave \(status)") }
        }
    }

    @Test(arguments: [false, true])
    func requestsAndEventsOfAWorktreePass(isMadeBefore: Bool) throws {
        let rig = try ScriptedRig(flags: ["--speak-1", "off"])
        let tree = "\(rig.gateway.home.path)/.trees/try"
        try GitProgram.makeRepository(in: rig.folder)
        let early = isMadeBefore ? nil : try rig.events()
        #expect(try status(rig, tree) == 403)
        try GitProgram.run(in: rig.folder, "worktree", "add", "-q", "--detach", tree)
        try wait(rig, tree, for: 200)
        let reader = try early ?? rig.events()
        for path in [
            "/session?directory=\(tree)/src", "/api/session?directory=\(tree)",
            "/api/location?location[directory]=\(tree)",
        ] {
            #expect(try rig.target("GET", path) == path)
        }
        #expect(try rig.request("GET", "/session", headers: [("x-opencode-directory", tree)]).status == 200)
        #expect(try status(rig, "\(rig.gateway.home.path)/.trees") == 403)
        // A stream that was open before follows, too.
        let event = ScriptedInstance.event("agent.updated", "", location: tree)
        let foreign = ScriptedInstance.event("agent.updated", "", location: "\(tree)2")
        let end = ScriptedInstance.event("end", "")
        for event in [foreign, event, end] { rig.instance.send(event) }
        try reader.first { $0.contains(#""end""#) }
        #expect(String(decoding: reader.raw, as: UTF8.self).hasSuffix(event + end))
        #expect(!String(decoding: reader.raw, as: UTF8.self).contains(foreign))
        try GitProgram.run(in: rig.folder, "worktree", "remove", tree)
        try wait(rig, tree, for: 403)
    }

    @Test func anotherProjectsFolderStaysOutsideAlsoAsAWorktree() throws {
        let rig = try ScriptedRig()
        try GitProgram.makeRepository(in: rig.folder)
        try GitProgram.run(in: rig.folder, "worktree", "add", "-q", "--detach", "\(rig.gateway.home.path)/other")
        let hidden = "\(rig.gateway.home.path)/.hidden"
        try GitProgram.run(in: rig.folder, "worktree", "add", "-q", "--detach", hidden)
        try wait(rig, hidden, for: 200)
        #expect(try status(rig, "\(rig.gateway.home.path)/other") == 403)
        #expect(try status(rig, rig.gateway.home.path) == 403)
    }
}
