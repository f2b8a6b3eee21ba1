// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests how much of git's list of worktrees is read, and how often.
@Suite(.timeLimit(.minutes(5))) struct WorktreeReadingTests {
    @Test func `a commit in a worktree does not cause the list to be read`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository("alpha")
        try fixture.home.makeWorktree("one", of: "alpha", at: ".trees/one")
        await fixture.catalogue.followWorktrees(of: [.alpha])
        let before = fixture.repositories.count
        for number in 0..<20 {
            try fixture.home.makeFile("alpha/.git/worktrees/one/index", "\(number)")
            try fixture.home.makeFile("alpha/.git/HEAD", "\(number)")
        }
        // When the catalogue reports this change, it has handled all earlier changes.
        try fixture.home.makeFolder("gamma")
        await fixture.wait(forNames: ["alpha", "gamma"])

        #expect(fixture.repositories.count == before)

        await fixture.tearDown()
    }

    @Test func `the number of worktrees that are read is limited, and the log reports the excess`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeRepository("alpha")
        for number in 0..<(DiskRepositoryReader.mostWorktrees + 50) {
            try fixture.home.makeFolder("alpha/.git/worktrees/e\(number)")
        }
        await fixture.catalogue.followWorktrees(of: [.alpha])

        #expect(fixture.lines.all.count { $0.message.contains("more worktrees than the gateway reads") } == 1)

        let repository = try #require(DiskRepositoryReader().repository(of: "\(fixture.home.path)/alpha"))

        #expect(repository.entries.count == DiskRepositoryReader.mostWorktrees)
        #expect(repository.isCut)

        await fixture.tearDown()
    }

    /// Older kernels assign the same time to all changes within a few milliseconds.
    @Test func `a time stamp from the time of a change is not trusted`() throws {
        let home = try TemporaryHome()
        let set = { (time: Date) in
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: home.path)
        }
        let isCurrent = { FolderStamp(ofFolderAt: home.path).isCurrent(ofFolderAt: home.path) }
        // Occasionally, the steps take longer than these milliseconds.
        let isSeenFresh = try (0..<100).contains { _ in
            try set(.now)
            return !isCurrent()
        }

        #expect(isSeenFresh)

        for seconds in [-3_600.0, -0.1, 3_600] {
            try set(.now + seconds)
            #expect(isCurrent(), "\(seconds)")
        }
        let before = FolderStamp(ofFolderAt: home.path)
        try home.makeFolder("x")

        #expect(!before.isCurrent(ofFolderAt: home.path))
        #expect(FolderStamp(ofFolderAt: "\(home.path)/none").isCurrent(ofFolderAt: "\(home.path)/none"))
    }
}
