// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Projects
import TemporaryHomes
import Testing

/// Tests that the list of projects follows the file system. Unless noted otherwise, inotify reports all changes and no
/// timer is involved.
@Suite(.timeLimit(.minutes(5))) struct ProjectCatalogueTests {
    @Test func `the list is sorted by lower-cased names`() async throws {
        let fixture = try await CatalogueFixture(projects: ["beta", "Alpha", "gamma.js", "alpha2", "Übung", "ALPHA"])

        #expect(await fixture.names() == ["ALPHA", "Alpha", "alpha2", "beta", "gamma.js", "Übung"])

        await fixture.tearDown()
    }

    @Test func `the list reflects project folders that are created, renamed, hidden and removed`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeFolder("beta")
        await fixture.wait(forNames: ["alpha", "beta"])

        #expect(rename("\(fixture.home.path)/alpha", "\(fixture.home.path)/omega") == 0)

        await fixture.wait(forNames: ["beta", "omega"])

        #expect(rmdir("\(fixture.home.path)/beta") == 0)

        await fixture.wait(forNames: ["omega"])

        #expect(rename("\(fixture.home.path)/omega", "\(fixture.home.path)/.omega") == 0)

        await fixture.wait(forNames: [])

        #expect(rename("\(fixture.home.path)/.omega", "\(fixture.home.path)/back") == 0)

        await fixture.wait(forNames: ["back"])
        await fixture.tearDown()
    }

    @Test func `.git and package.json in a project folder are detected even after a rename`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        try fixture.home.makeFile("alpha/package.json", "{}")
        _ = await fixture.wait { _ in await fixture.folder("alpha")?.hasPackageJSON == true }
        try fixture.home.makeFolder("alpha/.git")
        _ = await fixture.wait { _ in await fixture.folder("alpha")?.hasGit == true }

        #expect(unlink("\(fixture.home.path)/alpha/package.json") == 0)

        _ = await fixture.wait { _ in await fixture.folder("alpha")?.hasPackageJSON == false }

        // A renamed folder is still watched, and so is a folder that was moved here with its content.
        #expect(rename("\(fixture.home.path)/alpha", "\(fixture.home.path)/beta") == 0)

        await fixture.wait(forNames: ["beta"])

        #expect(await fixture.folder("beta")?.hasGit == true)

        try fixture.home.makeFile("beta/package.json", "{}")
        _ = await fixture.wait { _ in await fixture.folder("beta")?.hasPackageJSON == true }
        await fixture.tearDown()
    }

    @Test func `project folders that are filled as soon as they exist are listed with their content`() async throws {
        let fixture = try await CatalogueFixture()
        for number in 0..<50 {
            try fixture.home.makeFolder("p\(number)/.git")
            try fixture.home.makeFile("p\(number)/package.json", "{}")
        }

        _ = await fixture.wait { catalogue in
            let folders = (try? await catalogue.folders()) ?? []
            return folders.count == 50 && folders.allSatisfy { $0.hasGit && $0.hasPackageJSON }
        }
        await fixture.tearDown()
    }

    @Test func `a project folder that replaces another is detected and watched`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha", ".next/.git"])

        #expect(rename("\(fixture.home.path)/alpha", "\(fixture.home.path)/.old") == 0)
        #expect(rename("\(fixture.home.path)/.next", "\(fixture.home.path)/alpha") == 0)

        _ = await fixture.wait { _ in await fixture.folder("alpha")?.hasGit == true }
        try fixture.home.makeFile("alpha/package.json", "{}")
        _ = await fixture.wait { _ in await fixture.folder("alpha")?.hasPackageJSON == true }
        await fixture.tearDown()
    }

    @Test func `the list is returned from memory`() async throws {
        let fixture = try await CatalogueFixture(projects: (0..<100).map { "p\($0)" })
        let before = fixture.reader.count
        for _ in 0..<100 { #expect(try await fixture.catalogue.folders().count == 100) }

        #expect(await fixture.catalogue.names?.count == 100)
        #expect(fixture.reader.count == before)

        await fixture.tearDown()
    }

    @Test func `a request for one name detects a change that no event reported`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha"])
        fixture.watcher.becomeDeaf()
        try fixture.home.makeFolder("beta")
        let beta = try #require(ProjectName("beta"))

        #expect(await fixture.catalogue.folder(named: beta)?.name == beta)
        #expect(rmdir("\(fixture.home.path)/alpha") == 0)
        #expect(await fixture.catalogue.folder(named: .alpha) == nil)
        #expect(await fixture.names() == ["beta"])

        await fixture.tearDown()
    }

    @Test func `the list is read again exactly once after an inotify overflow`() async throws {
        let fixture = try await CatalogueFixture(projects: ["alpha", "beta"])
        fixture.watcher.becomeDeaf()
        try fixture.home.makeFolder("gamma")
        try fixture.home.makeFolder("alpha/.git")

        #expect(rmdir("\(fixture.home.path)/beta") == 0)

        let before = fixture.reader.count
        await fixture.catalogue.onLoop { fixture.watcher.overflow() }
        await fixture.wait(forNames: ["alpha", "gamma"])

        #expect(await fixture.folder("alpha")?.hasGit == true)
        // Every watch is notified, but the files are read only once.
        #expect(fixture.reader.count - before < 8)

        await fixture.tearDown()
    }

    // MARK: Folders that cannot be watched

    @Test func `the disk is polled if it cannot be watched, and the log reports this once`() async throws {
        let fixture = try await CatalogueFixture(
            projects: ["alpha", "beta"], interval: .milliseconds(20), watcherFailure: ENOSPC)

        #expect(await fixture.names() == ["alpha", "beta"])

        try fixture.home.makeFolder("gamma")
        await fixture.wait(forNames: ["alpha", "beta", "gamma"])
        try fixture.home.makeFolder("alpha/.git")
        _ = await fixture.wait { _ in await fixture.folder("alpha")?.hasGit == true }
        let complaints = fixture.lines.all.filter { $0.text(of: "hint").contains("max_user_watches") }

        #expect(complaints.count == 1)
        #expect(complaints.first?.fields.contains(LogField("folder", fixture.home.path)) == true)

        fixture.watcher.setFailure(nil)

        #expect(rmdir("\(fixture.home.path)/gamma") == 0)

        await fixture.wait(forNames: ["alpha", "beta"])

        #expect(await fixture.waitForLine("watched again"))

        await fixture.tearDown()
    }

    @Test func `a link is a project while its target exists`() async throws {
        let fixture = try await CatalogueFixture(projects: ["real"], interval: .milliseconds(20))
        try fixture.home.makeLink("link", to: "real/deep")
        try fixture.home.makeFolder("real/deep")
        await fixture.wait(forNames: ["link", "real"])
        try fixture.home.makeFile("real/deep/package.json")
        _ = await fixture.wait { _ in await fixture.folder("link")?.hasPackageJSON == true }

        #expect(rename("\(fixture.home.path)/real", "\(fixture.home.path)/moved") == 0)

        await fixture.wait(forNames: ["moved"])
        await fixture.tearDown()
    }

    // MARK: The home directory

    @Test func `a home directory that is removed and created again is detected`() async throws {
        let fixture = try await CatalogueFixture(projects: ["home/alpha"], folder: "/home")
        let (path, aside) = ("\(fixture.home.path)/home", "\(fixture.home.path)/aside")

        #expect(rename(path, aside) == 0)

        await fixture.wait(forNames: nil)

        await #expect(throws: ProjectListingError.self) { try await fixture.catalogue.folders() }
        #expect(await fixture.catalogue.names == [])
        #expect(await fixture.catalogue.folder(named: .alpha) == nil)

        try fixture.home.makeFolder("home/beta")
        await fixture.wait(forNames: ["beta"])
        try fixture.home.makeFolder("home/gamma")
        await fixture.wait(forNames: ["beta", "gamma"])
        // The directory is removed with its content and created again.
        try FileManager.default.removeItem(atPath: path)
        await fixture.wait(forNames: nil)

        #expect(rename(aside, path) == 0)

        await fixture.wait(forNames: ["alpha"])
        try fixture.home.makeFolder("home/alpha/.git")
        _ = await fixture.wait { _ in await fixture.folder("alpha")?.hasGit == true }

        #expect(fixture.lines.all.count { $0.message.hasPrefix("cannot list the projects") } == 2)

        await fixture.tearDown()
    }

    /// As in a gateway, the test holds a lock on the directory, so that the kernel does not report the removal of the
    /// directory itself.
    @Test(arguments: ["/home", "/link"])
    func `the removal of a home directory that is open is detected immediately`(folder: String) async throws {
        let fixture = try await CatalogueFixture(projects: ["home/alpha"], folder: folder)
        try fixture.home.makeLink("link", to: "home")
        await fixture.wait(forNames: ["alpha"])
        let descriptor = open("\(fixture.home.path)/home", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        try FileManager.default.removeItem(atPath: "\(fixture.home.path)/home")

        // This needs no timer and no waiting, because pending events are handled before the request.
        await #expect(throws: ProjectListingError.self) { try await fixture.catalogue.folders() }

        try fixture.home.makeFolder("home/beta")
        await fixture.wait(forNames: ["beta"])
        await fixture.tearDown()
    }

    @Test func `the removal of an unwatched home directory is detected by the next request`() async throws {
        let fixture = try await CatalogueFixture(projects: ["home/alpha"], folder: "/home", watcherFailure: EACCES)

        #expect(await fixture.names() == ["alpha"])

        try FileManager.default.removeItem(atPath: "\(fixture.home.path)/home")

        await #expect(throws: ProjectListingError.self) { try await fixture.catalogue.folders() }

        await fixture.tearDown()
    }

    @Test func `the replacement of a home directory's link is detected without an event`() async throws {
        let fixture = try await CatalogueFixture(
            projects: ["one/alpha", "two/beta"], folder: "/home", interval: .milliseconds(20))
        await fixture.wait(forNames: nil)
        try fixture.home.makeLink("home", to: "one")
        await fixture.wait(forNames: ["alpha"])
        try fixture.home.makeLink("next", to: "two")

        #expect(rename("\(fixture.home.path)/next", "\(fixture.home.path)/home") == 0)

        await fixture.wait(forNames: ["beta"])
        await fixture.tearDown()
    }
}

extension ProjectCatalogue {
    /// Runs a closure on the loop.
    func onLoop(_ body: @Sendable () -> Void) { body() }
}
