// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests that the worktrees that git lists belong to their project. Unless noted otherwise, no timer is involved.
@Suite(.timeLimit(.minutes(5))) struct WorktreeTests {
    /// Returns whether the project contains a path below the home directory.
    private func holds(_ fixture: CatalogueFixture, _ path: String, _ project: ProjectName = .alpha) async -> Bool {
        await fixture.catalogue.scope(of: project)?.contains(Array("\(fixture.home.path)/\(path)".utf8)[...]) ?? false
    }

    private func waitUntil(_ fixture: CatalogueFixture, holds path: String, _ isInside: Bool = true) async {
        _ = await fixture.wait { _ in await holds(fixture, path) == isInside }
    }

    @Test(arguments: [false, true])
    func `while worktrees are followed, a worktree that git lists is inside only its own project`(areRelative: Bool)
        async throws
    {
        let fixture = try await CatalogueFixture(projects: ["alpha", "beta"])
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("try", of: "alpha", at: ".trees/1/try", areRelative: areRelative)

        #expect(await !holds(fixture, ".trees/1/try"))

        await fixture.catalogue.followWorktrees(of: [.alpha])
        for path in [".trees/1/try", ".trees/1/try/src", "alpha", "alpha/x"] {
            #expect(await holds(fixture, path), "\(path)")
        }
        for path in [".trees/1", ".trees/1/try2", "beta", ""] { #expect(await !holds(fixture, path), "\(path)") }

        // The path belongs to no other project.
        #expect(await !holds(fixture, ".trees/1/try", .beta))

        await fixture.catalogue.followWorktrees(of: [])

        #expect(await !holds(fixture, ".trees/1/try"))

        await fixture.tearDown()
    }

    @Test func `worktrees that are added or removed while the project runs are detected`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        await fixture.catalogue.followWorktrees(of: [.alpha])
        // At first there is no repository, and then a repository without worktrees.
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await waitUntil(fixture, holds: ".trees/one")
        try fixture.home.makeWorktree("two", of: "alpha", at: ".trees/two")
        await waitUntil(fixture, holds: ".trees/two")
        // Does what `git worktree prune` does: the last entry is removed together with its folder.
        try fixture.home.remove("alpha/.git/worktrees/one")
        await waitUntil(fixture, holds: ".trees/one", false)

        #expect(await holds(fixture, ".trees/two"))

        try fixture.home.remove("alpha/.git/worktrees")
        await waitUntil(fixture, holds: ".trees/two", false)
        try fixture.home.makeWorktree("three", of: "alpha", at: ".trees/three")
        await waitUntil(fixture, holds: ".trees/three")

        // Another repository replaces the first one.
        #expect(rename("\(fixture.home.path)/alpha/.git", "\(fixture.home.path)/alpha/.old") == 0)

        await waitUntil(fixture, holds: ".trees/three", false)

        #expect(rename("\(fixture.home.path)/alpha/.old", "\(fixture.home.path)/alpha/.git") == 0)

        await waitUntil(fixture, holds: ".trees/three")
        await fixture.tearDown()
    }

    @Test func `the move of a worktree is detected`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(rename("\(fixture.home.path)/.trees/one", "\(fixture.home.path)/.trees/other") == 0)

        try fixture.home.makeFile("alpha/.git/worktrees/one/gitdir", "\(fixture.home.path)/.trees/other/.git\n")
        await waitUntil(fixture, holds: ".trees/other")

        #expect(await !holds(fixture, ".trees/one"))

        await fixture.tearDown()
    }

    @Test func `worktrees that git adds, moves and removes are detected`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        func git(_ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/git")
            process.arguments =
                ["-C", "\(fixture.home.path)/alpha", "-c", "user.name=a", "-c", "user.email=a@example.com"] + arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "git \(arguments)")
        }
        await fixture.catalogue.followWorktrees(of: [.alpha])
        try git("init", "-q")
        try git("commit", "-q", "--allow-empty", "-m", "first")
        try git("worktree", "add", "-q", "--detach", "\(fixture.home.path)/.trees/a b")
        await waitUntil(fixture, holds: ".trees/a b")
        try git("worktree", "move", "\(fixture.home.path)/.trees/a b", "\(fixture.home.path)/.trees/c")
        await waitUntil(fixture, holds: ".trees/c")

        #expect(await !holds(fixture, ".trees/a b"))

        try git("worktree", "remove", "\(fixture.home.path)/.trees/c")
        await waitUntil(fixture, holds: ".trees/c", false)
        await fixture.tearDown()
    }

    @Test func `a worktree whose .git file does not refer to its entry is ignored`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        let home = fixture.home.path
        for repository in ["alpha", ".second"] { try fixture.home.makeRepository(repository) }
        for entry in ["missing", "foreign", "own", "pipe", "folder", "named"] {
            try fixture.home.makeWorktree(entry, of: "alpha", at: ".trees/\(entry)")
        }
        try fixture.home.makeWorktree("good", of: "alpha", at: ".trees/good")
        try fixture.home.remove(".trees/missing/.git")
        try fixture.home.makeFolder(".second/.git/worktrees/foreign")
        try fixture.home.makeFile(".trees/foreign/.git", "gitdir: \(home)/.second/.git/worktrees/foreign\n")
        try fixture.home.remove(".trees/own/.git")
        try fixture.home.makeFolder(".trees/own/.git")
        try fixture.home.remove(".trees/pipe/.git")
        try fixture.home.makePipe(".trees/pipe/.git")
        try fixture.home.remove("alpha/.git/worktrees/folder/gitdir")
        try fixture.home.makePipe("alpha/.git/worktrees/folder/gitdir")
        // This folder belongs to another entry.
        try fixture.home.makeFile(".trees/named/.git", "gitdir: \(home)/alpha/.git/worktrees/good\n")
        try fixture.home.makeFolder("alpha/.git/worktrees/empty")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(await holds(fixture, ".trees/good"))

        for entry in ["missing", "foreign", "own", "pipe", "folder", "named"] {
            #expect(await !holds(fixture, ".trees/\(entry)"), "\(entry)")
        }
        await fixture.tearDown()
    }

    @Test func `a worktree at, in or above another project's folder is ignored`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha", "beta", "gamma/deep"])
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("equal", of: "alpha", at: "beta")
        try fixture.home.makeWorktree("in", of: "alpha", at: "gamma/deep/tree")
        try fixture.home.makeWorktree("good", of: "alpha", at: ".trees/good")
        // One worktree is above all of the others, and another is reached through a link.
        try fixture.home.makeFile("alpha/.git/worktrees/good/x", "")
        try fixture.home.makeLink(".link", to: "\(fixture.home.path)/gamma")
        try fixture.home.makeWorktree("linked", of: "alpha", at: ".link/tree")
        try fixture.home.makeFolder("alpha/.git/worktrees/above")
        try fixture.home.makeFile("alpha/.git/worktrees/above/gitdir", "\(fixture.home.path)/.git\n")
        try fixture.home.makeFile(".git", "gitdir: \(fixture.home.path)/alpha/.git/worktrees/above\n")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(await holds(fixture, ".trees/good"))

        for path in ["beta", "gamma", "gamma/deep/tree", "gamma/tree", ".link/tree", "", ".trees"] {
            #expect(await !holds(fixture, path), "\(path)")
        }
        await fixture.tearDown()
    }

    @Test func `a worktree is outside its project while another project has its folder`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("one", of: "alpha", at: ".one")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(await holds(fixture, ".one"))

        try fixture.home.makeLink("beta", to: ".one")
        await waitUntil(fixture, holds: ".one", false)
        try fixture.home.remove("beta")
        await waitUntil(fixture, holds: ".one")
        await fixture.tearDown()
    }

    @Test func `a project that is a worktree contains the other worktrees of its repository`() async throws {
        let fixture = try await CatalogueFixture(projects: [])
        try fixture.home.makeRepository(".main")
        try fixture.home.makeWorktree("alpha", of: ".main", at: "alpha")
        try fixture.home.makeWorktree("one", of: ".main", at: ".trees/one")
        await fixture.wait(forNames: ["alpha"])
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(await holds(fixture, ".trees/one"))
        // git does not list the main folder among the worktrees.
        #expect(await !holds(fixture, ".main"))

        try fixture.home.makeWorktree("two", of: ".main", at: ".trees/two", areRelative: true)
        await waitUntil(fixture, holds: ".trees/two")
        await fixture.tearDown()
    }

    /// Any `.git` file could refer to another project's repository.
    @Test func `a .git file that refers to another project's repository adds no worktrees`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha", "beta", "gamma"])
        try fixture.home.makeRepository("beta")
        try fixture.home.makeWorktree("one", of: "beta", at: ".trees/one")
        try fixture.home.makeFile("alpha/.git", "gitdir: \(fixture.home.path)/beta/.git\n")
        // The path leads through a folder that claims to be one of the repository's worktrees, inside and outside a
        // project.
        try fixture.home.makeFolder("gamma/.fake")
        try fixture.home.makeFile("gamma/.git", "gitdir: .fake\n")
        try fixture.home.makeFile("gamma/.fake/commondir", "\(fixture.home.path)/beta/.git\n")
        try fixture.home.makeFile("gamma/.fake/gitdir", "\(fixture.home.path)/gamma/.git\n")
        await fixture.catalogue.followWorktrees(of: [.alpha, .beta, try #require(ProjectName("gamma"))])

        #expect(await holds(fixture, ".trees/one", .beta))
        #expect(await !holds(fixture, ".trees/one", .alpha))
        #expect(await !holds(fixture, ".trees/one", try #require(ProjectName("gamma"))))

        await fixture.tearDown()
    }

    @Test func `a .git file that refers to the entry of a different worktree adds no worktrees`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository(".main")
        try fixture.home.makeWorktree("one", of: ".main", at: ".trees/one")
        try fixture.home.makeWorktree("two", of: ".main", at: ".trees/two")
        // The file refers to the folder of a different worktree.
        try fixture.home.makeFile("alpha/.git", "gitdir: \(fixture.home.path)/.main/.git/worktrees/one\n")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(await !holds(fixture, ".trees/two"))

        await fixture.tearDown()
    }

    @Test func `a repository outside the project's folder is read`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeFolder(".modules/alpha")
        try fixture.home.makeFile("alpha/.git", "gitdir: ../.modules/alpha\n")
        let list = ".modules/alpha/worktrees/one"
        try fixture.home.makeFolder(list)
        try fixture.home.makeFolder(".trees/one")
        try fixture.home.makeFile("\(list)/gitdir", "\(fixture.home.path)/.trees/one/.git")
        try fixture.home.makeFile(".trees/one/.git", "gitdir: \(fixture.home.path)/\(list)")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(await holds(fixture, ".trees/one"))

        await fixture.tearDown()
    }

    @Test func `a worktree's own directory is checked periodically`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"], interval: .milliseconds(20))
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(await holds(fixture, ".trees/one"))

        // No event reports this change.
        try fixture.home.remove(".trees/one")
        await waitUntil(fixture, holds: ".trees/one", false)
        await fixture.tearDown()
    }

    @Test func `the list of worktrees is polled if it cannot be watched`() async throws {
        let fixture = try await CatalogueFixture(
            projects: ["alpha"], interval: .milliseconds(20), watcherFailure: ENOSPC)
        try fixture.home.makeRepository("alpha")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        try fixture.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await waitUntil(fixture, holds: ".trees/one")
        await fixture.tearDown()
    }

    @Test func `the list of worktrees is read again after an inotify overflow`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await fixture.catalogue.followWorktrees(of: [.alpha])

        fixture.watcher.becomeDeaf()
        try fixture.home.makeWorktree("two", of: "alpha", at: ".trees/two")
        await fixture.catalogue.onLoop { fixture.watcher.overflow() }

        await waitUntil(fixture, holds: ".trees/two")
        await fixture.tearDown()
    }

    @Test func `a request finds a new worktree without an event, at a limited rate of reads`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository("alpha")
        await fixture.catalogue.followWorktrees(of: [.alpha])
        fixture.watcher.becomeDeaf()
        try fixture.home.makeWorktree("one", of: "alpha", at: ".trees/one")

        #expect(await !holds(fixture, ".trees/one"))

        // A recent result is not refreshed for every request.
        let path = Array("\(fixture.home.path)/.trees/one".utf8)
        while await fixture.catalogue.presentScope(of: .alpha)?.contains(path[...]) != true {}

        #expect(await holds(fixture, ".trees/one"))

        // A result that was read at the time of a change is not trusted.
        for folder in ["", "/one"] { try fixture.home.age("alpha/.git/worktrees\(folder)") }
        _ = await fixture.catalogue.presentScope(of: .alpha)
        let (before, start) = (fixture.repositories.count, SuspendingClock.now)
        for _ in 0..<1_000 { _ = await fixture.catalogue.presentScope(of: .alpha) }
        let pauses = start.duration(to: .now) / .milliseconds(100)

        #expect(Double(fixture.repositories.count - before) < 20 + pauses)
        #expect(await fixture.catalogue.presentScope(of: .beta) == nil)

        await fixture.tearDown()
    }

    /// git creates the entry, then its content, and then the worktree's own file.
    @Test func `an entry that was read while git wrote it is read again`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository("alpha")
        await fixture.catalogue.followWorktrees(of: [.alpha])
        fixture.watcher.becomeDeaf()

        for number in 0..<20 {
            let (entry, folder) = ("alpha/.git/worktrees/\(number)", ".trees/\(number)")
            try fixture.home.makeFolder(entry)
            // Also test an entry that did not exist shortly before.
            if number.isMultiple(of: 2) {
                for folder in ["alpha/.git/worktrees", entry] { try fixture.home.age(folder) }
            }
            _ = await fixture.catalogue.presentScope(of: .alpha)
            try fixture.home.makeWorktree("\(number)", of: "alpha", at: folder)
            _ = await fixture.catalogue.presentScope(of: .alpha)
            #expect(await holds(fixture, folder), "\(number)")
        }
        await fixture.tearDown()
    }
}
