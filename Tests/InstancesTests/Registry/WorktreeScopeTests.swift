import Addresses
import Homes
import Instances
import Locking
import OpenCode
import Projects
import Testing

/// The directories of a project, and the order in which changes become known.
@Suite struct WorktreeScopeTests {
    /// Requests the scope in the same step in which the worktree is created, before any event can report it.
    private func ask(_ rig: SupervisedRig, _ registry: isolated InstanceRegistry) throws -> (
        answer: DirectoryScope?, published: DirectoryScope?
    ) {
        try rig.home.makeWorktree("try", of: "alpha", at: ".trees/try")
        let answer = registry.directories(of: .alpha)
        return (answer, rig.lastTable.table.withLock { $0.route(to: .alpha)?.scope })
    }

    @Test func aNewWorktreeIsPublishedBeforeItIsAnswered() async throws {
        let rig = try await SupervisedRig(projects: ["alpha"], healthy: [5000: "password of a"])
        try rig.home.makeRepository("alpha")
        try rig.home.makeFolder("alpha/.git/worktrees")
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("a")),
            .announced(run: "a", address: .loopback(5000), family: .one))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        let (answer, published) = try await ask(rig, rig.registry)
        let tree = Array("\(rig.home.path)/.trees/try".utf8)
        #expect(answer?.holds(tree[...]) == true)
        #expect(published === answer)
        await rig.end()
    }
}
