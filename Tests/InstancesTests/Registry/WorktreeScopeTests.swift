// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Locking
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests the directories of a project, and the order of the reported changes.
@Suite struct WorktreeScopeTests {
    /// Requests the scope in the step that creates the worktree, before any event can report the worktree.
    private func directories(_ fixture: SupervisedFixture, _ registry: isolated InstanceRegistry) throws -> (
        answer: DirectoryScope?, published: DirectoryScope?
    ) {
        try fixture.home.makeWorktree("try", of: "alpha", at: ".trees/try")
        let answer = registry.directories(of: .alpha)
        return (answer, fixture.lastTable.table.withLock { $0.route(to: .alpha)?.scope })
    }

    @Test func `a new worktree is published before it is returned`() async throws {
        let fixture = try await SupervisedFixture(projects: ["alpha"], healthy: [5000: "password of a"])
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeFolder("alpha/.git/worktrees")
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")),
            .announced(run: "a", address: .loopback(5000), family: .one))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        let (answer, published) = try await directories(fixture, fixture.registry)
        let tree = Array("\(fixture.home.path)/.trees/try".utf8)

        #expect(answer?.contains(tree[...]) == true)
        #expect(published === answer)

        await fixture.tearDown()
    }
}
