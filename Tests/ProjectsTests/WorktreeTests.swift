import Foundation
import Glibc
import Homes
import Logging
import OpenCode
import Projects
import Testing

/// The worktrees that git lists belong to their project. Unless noted otherwise, no timer is involved.
@Suite(.timeLimit(.minutes(5))) struct WorktreeTests {
    /// Returns whether the project contains a path below the home directory.
    private func holds(_ rig: CatalogueRig, _ path: String, _ project: ProjectName = .alpha) async -> Bool {
        await rig.catalogue.scope(of: project)?.holds(Array("\(rig.home.path)/\(path)".utf8)[...]) ?? false
    }

    private func waitUntil(_ rig: CatalogueRig, holds path: String, _ isInside: Bool = true) async {
        _ = await rig.wait { _ in await holds(rig, path) == isInside }
    }

    @Test(arguments: [false, true])
    func whatGitListsIsInside(areRelative: Bool) async throws {
        let rig = try await CatalogueRig(projects: ["alpha", "beta"])
        try rig.home.makeRepository("alpha")
        try rig.home.makeWorktree("try", of: "alpha", at: ".trees/1/try", areRelative: areRelative)
        #expect(await !holds(rig, ".trees/1/try"))
        await rig.catalogue.followWorktrees(of: [.alpha])
        for path in [".trees/1/try", ".trees/1/try/src", "alpha", "alpha/x"] {
            #expect(await holds(rig, path), "\(path)")
        }
        for path in [".trees/1", ".trees/1/try2", "beta", ""] { #expect(await !holds(rig, path), "\(path)") }
        // It belongs to no other project.
        #expect(await !holds(rig, ".trees/1/try", .beta))
        await rig.catalogue.followWorktrees(of: [])
        #expect(await !holds(rig, ".trees/1/try"))
        await rig.end()
    }

    @Test func worktreesComeAndGoWhileTheProjectRuns() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        await rig.catalogue.followWorktrees(of: [.alpha])
        // First there is no repository, then one without worktrees.
        try rig.home.makeRepository("alpha")
        try rig.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await waitUntil(rig, holds: ".trees/one")
        try rig.home.makeWorktree("two", of: "alpha", at: ".trees/two")
        await waitUntil(rig, holds: ".trees/two")
        // As `git worktree prune` does; the last one is removed together with the folder.
        try rig.home.remove("alpha/.git/worktrees/one")
        await waitUntil(rig, holds: ".trees/one", false)
        #expect(await holds(rig, ".trees/two"))
        try rig.home.remove("alpha/.git/worktrees")
        await waitUntil(rig, holds: ".trees/two", false)
        try rig.home.makeWorktree("three", of: "alpha", at: ".trees/three")
        await waitUntil(rig, holds: ".trees/three")
        // Another repository replaces it.
        #expect(rename("\(rig.home.path)/alpha/.git", "\(rig.home.path)/alpha/.old") == 0)
        await waitUntil(rig, holds: ".trees/three", false)
        #expect(rename("\(rig.home.path)/alpha/.old", "\(rig.home.path)/alpha/.git") == 0)
        await waitUntil(rig, holds: ".trees/three")
        await rig.end()
    }

    @Test func aWorktreeThatMovesIsFollowed() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeRepository("alpha")
        try rig.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(rename("\(rig.home.path)/.trees/one", "\(rig.home.path)/.trees/other") == 0)
        try rig.home.makeFile("alpha/.git/worktrees/one/gitdir", "\(rig.home.path)/.trees/other/.git\n")
        await waitUntil(rig, holds: ".trees/other")
        #expect(await !holds(rig, ".trees/one"))
        await rig.end()
    }

    @Test func gitsOwnCommandsAreUnderstood() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        func git(_ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/git")
            process.arguments =
                ["-C", "\(rig.home.path)/alpha", "-c", "user.name=a", "-c", "user.email=a@example.com"] + arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "git \(arguments)")
        }
        await rig.catalogue.followWorktrees(of: [.alpha])
        try git("init", "-q")
        try git("commit", "-q", "--allow-empty", "-m", "first")
        try git("worktree", "add", "-q", "--detach", "\(rig.home.path)/.trees/a b")
        await waitUntil(rig, holds: ".trees/a b")
        try git("worktree", "move", "\(rig.home.path)/.trees/a b", "\(rig.home.path)/.trees/c")
        await waitUntil(rig, holds: ".trees/c")
        #expect(await !holds(rig, ".trees/a b"))
        try git("worktree", "remove", "\(rig.home.path)/.trees/c")
        await waitUntil(rig, holds: ".trees/c", false)
        await rig.end()
    }

    @Test func whatDoesNotPointBackDoesNotCount() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        let home = rig.home.path
        for repository in ["alpha", ".second"] { try rig.home.makeRepository(repository) }
        for entry in ["missing", "foreign", "own", "pipe", "folder", "named"] {
            try rig.home.makeWorktree(entry, of: "alpha", at: ".trees/\(entry)")
        }
        try rig.home.makeWorktree("good", of: "alpha", at: ".trees/good")
        try rig.home.remove(".trees/missing/.git")
        try rig.home.makeFolder(".second/.git/worktrees/foreign")
        try rig.home.makeFile(".trees/foreign/.git", "gitdir: \(home)/.second/.git/worktrees/foreign\n")
        try rig.home.remove(".trees/own/.git")
        try rig.home.makeFolder(".trees/own/.git")
        try rig.home.remove(".trees/pipe/.git")
        try rig.home.makePipe(".trees/pipe/.git")
        try rig.home.remove("alpha/.git/worktrees/folder/gitdir")
        try rig.home.makePipe("alpha/.git/worktrees/folder/gitdir")
        // A folder that belongs to another entry.
        try rig.home.makeFile(".trees/named/.git", "gitdir: \(home)/alpha/.git/worktrees/good\n")
        try rig.home.makeFolder("alpha/.git/worktrees/empty")
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(await holds(rig, ".trees/good"))
        for entry in ["missing", "foreign", "own", "pipe", "folder", "named"] {
            #expect(await !holds(rig, ".trees/\(entry)"), "\(entry)")
        }
        await rig.end()
    }

    @Test func anotherProjectsFolderIsNeverInside() async throws {
        let rig = try await CatalogueRig(projects: ["alpha", "beta", "gamma/deep"])
        try rig.home.makeRepository("alpha")
        try rig.home.makeWorktree("equal", of: "alpha", at: "beta")
        try rig.home.makeWorktree("in", of: "alpha", at: "gamma/deep/tree")
        try rig.home.makeWorktree("good", of: "alpha", at: ".trees/good")
        // A worktree above all of them, and one through a link.
        try rig.home.makeFile("alpha/.git/worktrees/good/x", "")
        try rig.home.makeLink(".link", to: "\(rig.home.path)/gamma")
        try rig.home.makeWorktree("linked", of: "alpha", at: ".link/tree")
        try rig.home.makeFolder("alpha/.git/worktrees/above")
        try rig.home.makeFile("alpha/.git/worktrees/above/gitdir", "\(rig.home.path)/.git\n")
        try rig.home.makeFile(".git", "gitdir: \(rig.home.path)/alpha/.git/worktrees/above\n")
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(await holds(rig, ".trees/good"))
        for path in ["beta", "gamma", "gamma/deep/tree", "gamma/tree", ".link/tree", "", ".trees"] {
            #expect(await !holds(rig, path), "\(path)")
        }
        await rig.end()
    }

    @Test func aProjectThatAppearsInAWorktreesPlaceTakesItAway() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeRepository("alpha")
        try rig.home.makeWorktree("one", of: "alpha", at: ".one")
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(await holds(rig, ".one"))
        try rig.home.makeLink("beta", to: ".one")
        await waitUntil(rig, holds: ".one", false)
        try rig.home.remove("beta")
        await waitUntil(rig, holds: ".one")
        await rig.end()
    }

    @Test func aProjectThatIsAWorktreeItselfHasItsRepositorysOthers() async throws {
        let rig = try await CatalogueRig(projects: [])
        try rig.home.makeRepository(".main")
        try rig.home.makeWorktree("alpha", of: ".main", at: "alpha")
        try rig.home.makeWorktree("one", of: ".main", at: ".trees/one")
        await rig.wait(forNames: ["alpha"])
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(await holds(rig, ".trees/one"))
        // git does not list the main folder among them.
        #expect(await !holds(rig, ".main"))
        try rig.home.makeWorktree("two", of: ".main", at: ".trees/two", areRelative: true)
        await waitUntil(rig, holds: ".trees/two")
        await rig.end()
    }

    /// Any `.git` file could refer to another project's repository.
    @Test func anotherProjectsRepositoryOpensNothing() async throws {
        let rig = try await CatalogueRig(projects: ["alpha", "beta", "gamma"])
        try rig.home.makeRepository("beta")
        try rig.home.makeWorktree("one", of: "beta", at: ".trees/one")
        try rig.home.makeFile("alpha/.git", "gitdir: \(rig.home.path)/beta/.git\n")
        // Through a folder that claims to be one of its worktrees, inside and outside a project.
        try rig.home.makeFolder("gamma/.fake")
        try rig.home.makeFile("gamma/.git", "gitdir: .fake\n")
        try rig.home.makeFile("gamma/.fake/commondir", "\(rig.home.path)/beta/.git\n")
        try rig.home.makeFile("gamma/.fake/gitdir", "\(rig.home.path)/gamma/.git\n")
        await rig.catalogue.followWorktrees(of: [.alpha, .beta, try #require(ProjectName("gamma"))])
        #expect(await holds(rig, ".trees/one", .beta))
        #expect(await !holds(rig, ".trees/one", .alpha))
        #expect(await !holds(rig, ".trees/one", try #require(ProjectName("gamma"))))
        await rig.end()
    }

    @Test func aWorktreesFolderIsItsWorktreesAlone() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeRepository(".main")
        try rig.home.makeWorktree("one", of: ".main", at: ".trees/one")
        try rig.home.makeWorktree("two", of: ".main", at: ".trees/two")
        // The file refers to the folder of a different worktree.
        try rig.home.makeFile("alpha/.git", "gitdir: \(rig.home.path)/.main/.git/worktrees/one\n")
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(await !holds(rig, ".trees/two"))
        await rig.end()
    }

    @Test func aRepositoryElsewhereIsFollowed() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeFolder(".modules/alpha")
        try rig.home.makeFile("alpha/.git", "gitdir: ../.modules/alpha\n")
        let list = ".modules/alpha/worktrees/one"
        try rig.home.makeFolder(list)
        try rig.home.makeFolder(".trees/one")
        try rig.home.makeFile("\(list)/gitdir", "\(rig.home.path)/.trees/one/.git")
        try rig.home.makeFile(".trees/one/.git", "gitdir: \(rig.home.path)/\(list)")
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(await holds(rig, ".trees/one"))
        await rig.end()
    }

    @Test func aWorktreesOwnFolderIsLookedAtAgainAndAgain() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"], interval: .milliseconds(20))
        try rig.home.makeRepository("alpha")
        try rig.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await rig.catalogue.followWorktrees(of: [.alpha])
        #expect(await holds(rig, ".trees/one"))
        // No event reports this change.
        try rig.home.remove(".trees/one")
        await waitUntil(rig, holds: ".trees/one", false)
        await rig.end()
    }

    @Test func withoutWatchesTheListIsReadAgainAndAgain() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"], interval: .milliseconds(20), watcherFailure: ENOSPC)
        try rig.home.makeRepository("alpha")
        await rig.catalogue.followWorktrees(of: [.alpha])
        try rig.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await waitUntil(rig, holds: ".trees/one")
        await rig.end()
    }

    @Test func lostEventsAreMadeUpFor() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeRepository("alpha")
        try rig.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await rig.catalogue.followWorktrees(of: [.alpha])
        rig.watcher.becomeDeaf()
        try rig.home.makeWorktree("two", of: "alpha", at: ".trees/two")
        await rig.catalogue.onLoop { rig.watcher.overflow() }
        await waitUntil(rig, holds: ".trees/two")
        await rig.end()
    }

    @Test func whoHasJustMadeOneIsUnderstood() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeRepository("alpha")
        await rig.catalogue.followWorktrees(of: [.alpha])
        rig.watcher.becomeDeaf()
        try rig.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        #expect(await !holds(rig, ".trees/one"))
        // A recent result is not refreshed for every request.
        let path = Array("\(rig.home.path)/.trees/one".utf8)
        while await rig.catalogue.presentScope(of: .alpha)?.holds(path[...]) != true {}
        #expect(await holds(rig, ".trees/one"))
        // A result from the time of a change is not trusted.
        for folder in ["", "/one"] { try rig.home.age("alpha/.git/worktrees\(folder)") }
        _ = await rig.catalogue.presentScope(of: .alpha)
        let (before, start) = (rig.repositories.count, SuspendingClock.now)
        for _ in 0..<1_000 { _ = await rig.catalogue.presentScope(of: .alpha) }
        let pauses = start.duration(to: .now) / .milliseconds(100)
        #expect(Double(rig.repositories.count - before) < 20 + pauses)
        #expect(await rig.catalogue.presentScope(of: .beta) == nil)
        await rig.end()
    }

    /// git creates the entry, then its content, then the worktree's own file.
    @Test func whatWasReadWhileGitWroteItIsReadAgain() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeRepository("alpha")
        await rig.catalogue.followWorktrees(of: [.alpha])
        rig.watcher.becomeDeaf()
        for number in 0..<20 {
            let (entry, folder) = ("alpha/.git/worktrees/\(number)", ".trees/\(number)")
            try rig.home.makeFolder(entry)
            // Also if the entry did not exist shortly before.
            if number.isMultiple(of: 2) {
                for folder in ["alpha/.git/worktrees", entry] { try rig.home.age(folder) }
            }
            _ = await rig.catalogue.presentScope(of: .alpha)
            try rig.home.makeWorktree("\(number)", of: "alpha", at: folder)
            _ = await rig.catalogue.presentScope(of: .alpha)
            #expect(await holds(rig, folder), "\(number)")
        }
        await rig.end()
    }
}
