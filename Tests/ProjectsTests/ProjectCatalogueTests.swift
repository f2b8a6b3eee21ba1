import Foundation
import Glibc
import Homes
import Logging
import Projects
import Testing

/// The list of projects follows the file system. Unless noted otherwise, no timer is involved: inotify reports all
/// changes.
@Suite(.timeLimit(.minutes(5))) struct ProjectCatalogueTests {
    @Test func theListIsSortedByLowerCasedNames() async throws {
        let rig = try await CatalogueRig(projects: ["beta", "Alpha", "gamma.js", "alpha2", "Übung", "ALPHA"])
        #expect(await rig.names() == ["ALPHA", "Alpha", "alpha2", "beta", "gamma.js", "Übung"])
        await rig.end()
    }

    @Test func foldersComeGoAndChangeTheirNames() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeFolder("beta")
        await rig.wait(forNames: ["alpha", "beta"])
        #expect(rename("\(rig.home.path)/alpha", "\(rig.home.path)/omega") == 0)
        await rig.wait(forNames: ["beta", "omega"])
        #expect(rmdir("\(rig.home.path)/beta") == 0)
        await rig.wait(forNames: ["omega"])
        #expect(rename("\(rig.home.path)/omega", "\(rig.home.path)/.omega") == 0)
        await rig.wait(forNames: [])
        #expect(rename("\(rig.home.path)/.omega", "\(rig.home.path)/back") == 0)
        await rig.wait(forNames: ["back"])
        await rig.end()
    }

    @Test func whatIsInAFolderIsFollowed() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        try rig.home.makeFile("alpha/package.json", "{}")
        _ = await rig.wait { _ in await rig.folder("alpha")?.hasPackageJSON == true }
        try rig.home.makeFolder("alpha/.git")
        _ = await rig.wait { _ in await rig.folder("alpha")?.hasGit == true }
        #expect(unlink("\(rig.home.path)/alpha/package.json") == 0)
        _ = await rig.wait { _ in await rig.folder("alpha")?.hasPackageJSON == false }
        // A renamed folder is still watched, and so is one that was moved here with its content.
        #expect(rename("\(rig.home.path)/alpha", "\(rig.home.path)/beta") == 0)
        await rig.wait(forNames: ["beta"])
        #expect(await rig.folder("beta")?.hasGit == true)
        try rig.home.makeFile("beta/package.json", "{}")
        _ = await rig.wait { _ in await rig.folder("beta")?.hasPackageJSON == true }
        await rig.end()
    }

    @Test func aFolderThatIsFilledAtOnceIsSeenAsItIs() async throws {
        let rig = try await CatalogueRig()
        for number in 0..<50 {
            try rig.home.makeFolder("p\(number)/.git")
            try rig.home.makeFile("p\(number)/package.json", "{}")
        }
        _ = await rig.wait { catalogue in
            let folders = (try? await catalogue.folders()) ?? []
            return folders.count == 50 && folders.allSatisfy { $0.hasGit && $0.hasPackageJSON }
        }
        await rig.end()
    }

    @Test func anotherFolderInTheSamePlaceIsSeen() async throws {
        let rig = try await CatalogueRig(projects: ["alpha", ".next/.git"])
        #expect(rename("\(rig.home.path)/alpha", "\(rig.home.path)/.old") == 0)
        #expect(rename("\(rig.home.path)/.next", "\(rig.home.path)/alpha") == 0)
        _ = await rig.wait { _ in await rig.folder("alpha")?.hasGit == true }
        try rig.home.makeFile("alpha/package.json", "{}")
        _ = await rig.wait { _ in await rig.folder("alpha")?.hasPackageJSON == true }
        await rig.end()
    }

    @Test func theListIsReadFromMemory() async throws {
        let rig = try await CatalogueRig(projects: (0..<100).map { "p\($0)" })
        let before = rig.reader.count
        for _ in 0..<100 { #expect(try await rig.catalogue.folders().count == 100) }
        #expect(await rig.catalogue.names?.count == 100)
        #expect(rig.reader.count == before)
        await rig.end()
    }

    @Test func whoAsksForOneNameRightAfterAChangeIsUnderstood() async throws {
        let rig = try await CatalogueRig(projects: ["alpha"])
        rig.watcher.becomeDeaf()
        try rig.home.makeFolder("beta")
        let beta = try #require(ProjectName("beta"))
        #expect(await rig.catalogue.folder(named: beta)?.name == beta)
        #expect(rmdir("\(rig.home.path)/alpha") == 0)
        #expect(await rig.catalogue.folder(named: .alpha) == nil)
        #expect(await rig.names() == ["beta"])
        await rig.end()
    }

    @Test func lostEventsAreMadeUpFor() async throws {
        let rig = try await CatalogueRig(projects: ["alpha", "beta"])
        rig.watcher.becomeDeaf()
        try rig.home.makeFolder("gamma")
        try rig.home.makeFolder("alpha/.git")
        #expect(rmdir("\(rig.home.path)/beta") == 0)
        let before = rig.reader.count
        await rig.catalogue.onLoop { rig.watcher.overflow() }
        await rig.wait(forNames: ["alpha", "gamma"])
        #expect(await rig.folder("alpha")?.hasGit == true)
        // Every watch is notified, but everything is read only once.
        #expect(rig.reader.count - before < 8)
        await rig.end()
    }

    // MARK: What can't be watched

    @Test func withoutWatchesTheDiskIsReadAgainAndTheLogSaysSoOnce() async throws {
        let rig = try await CatalogueRig(
            projects: ["alpha", "beta"], interval: .milliseconds(20), watcherFailure: ENOSPC)
        #expect(await rig.names() == ["alpha", "beta"])
        try rig.home.makeFolder("gamma")
        await rig.wait(forNames: ["alpha", "beta", "gamma"])
        try rig.home.makeFolder("alpha/.git")
        _ = await rig.wait { _ in await rig.folder("alpha")?.hasGit == true }
        let complaints = rig.lines.all.filter { $0.message.contains("max_user_watches") }
        #expect(complaints.count == 1)
        #expect(complaints.first?.fields.contains(LogField("folder", rig.home.path)) == true)
        rig.watcher.setFailure(nil)
        #expect(rmdir("\(rig.home.path)/gamma") == 0)
        await rig.wait(forNames: ["alpha", "beta"])
        #expect(await rig.waitForLine("watched again"))
        await rig.end()
    }

    @Test func aLinkIsAProjectOnceItsTargetIsThere() async throws {
        let rig = try await CatalogueRig(projects: ["real"], interval: .milliseconds(20))
        try rig.home.makeLink("link", to: "real/deep")
        try rig.home.makeFolder("real/deep")
        await rig.wait(forNames: ["link", "real"])
        try rig.home.makeFile("real/deep/package.json")
        _ = await rig.wait { _ in await rig.folder("link")?.hasPackageJSON == true }
        #expect(rename("\(rig.home.path)/real", "\(rig.home.path)/moved") == 0)
        await rig.wait(forNames: ["moved"])
        await rig.end()
    }

    // MARK: The home directory

    @Test func aHomeDirectoryThatGoesAndComesBack() async throws {
        let rig = try await CatalogueRig(projects: ["home/alpha"], folder: "/home")
        let (path, aside) = ("\(rig.home.path)/home", "\(rig.home.path)/aside")
        #expect(rename(path, aside) == 0)
        await rig.wait(forNames: nil)
        await #expect(throws: ProjectCatalogue.ListingError.self) { try await rig.catalogue.folders() }
        #expect(await rig.catalogue.names == [])
        #expect(await rig.catalogue.folder(named: .alpha) == nil)
        try rig.home.makeFolder("home/beta")
        await rig.wait(forNames: ["beta"])
        try rig.home.makeFolder("home/gamma")
        await rig.wait(forNames: ["beta", "gamma"])
        // The directory is removed with its content and created again.
        try FileManager.default.removeItem(atPath: path)
        await rig.wait(forNames: nil)
        #expect(rename(aside, path) == 0)
        await rig.wait(forNames: ["alpha"])
        try rig.home.makeFolder("home/alpha/.git")
        _ = await rig.wait { _ in await rig.folder("alpha")?.hasGit == true }
        #expect(rig.lines.all.count { $0.message.hasPrefix("The projects are not known") } == 2)
        await rig.end()
    }

    /// As in a gateway, which holds a lock on the directory, so that the kernel does not report the directory's own
    /// removal.
    @Test(arguments: ["/home", "/link"])
    func aHomeDirectoryThatGoesWhileItIsOpenIsNoticedAtOnce(folder: String) async throws {
        let rig = try await CatalogueRig(projects: ["home/alpha"], folder: folder)
        try rig.home.makeLink("link", to: "home")
        await rig.wait(forNames: ["alpha"])
        let descriptor = open("\(rig.home.path)/home", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        try FileManager.default.removeItem(atPath: "\(rig.home.path)/home")
        // Without a timer and without waiting: pending events are handled before the request.
        await #expect(throws: ProjectCatalogue.ListingError.self) { try await rig.catalogue.folders() }
        try rig.home.makeFolder("home/beta")
        await rig.wait(forNames: ["beta"])
        await rig.end()
    }

    @Test func whereNobodyTellsOfItsEndTheHomeDirectoryIsLookedFor() async throws {
        let rig = try await CatalogueRig(projects: ["home/alpha"], folder: "/home", watcherFailure: EACCES)
        #expect(await rig.names() == ["alpha"])
        try FileManager.default.removeItem(atPath: "\(rig.home.path)/home")
        await #expect(throws: ProjectCatalogue.ListingError.self) { try await rig.catalogue.folders() }
        await rig.end()
    }

    @Test func aHomeDirectoryThatIsReplacedWithoutAnEventIsNoticed() async throws {
        let rig = try await CatalogueRig(
            projects: ["one/alpha", "two/beta"], folder: "/home", interval: .milliseconds(20))
        await rig.wait(forNames: nil)
        try rig.home.makeLink("home", to: "one")
        await rig.wait(forNames: ["alpha"])
        try rig.home.makeLink("next", to: "two")
        #expect(rename("\(rig.home.path)/next", "\(rig.home.path)/home") == 0)
        await rig.wait(forNames: ["beta"])
        await rig.end()
    }
}

extension ProjectCatalogue {
    /// Runs a closure on the loop.
    func onLoop(_ body: @Sendable () -> Void) { body() }
}
