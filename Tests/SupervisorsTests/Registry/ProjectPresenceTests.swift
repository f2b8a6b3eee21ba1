import Addresses
import Foundation
import Glibc
import Homes
import Instances
import OpenCode
import Projects
import Supervisors
import Testing

/// A project's folder and its instance when one of them disappears.
@Suite(.timeLimit(.minutes(5))) struct ProjectPresenceTests {
    @Test func aFolderThatGoesWhileItsInstanceRunsIsShownAsMissing() async throws {
        let rig = try await RegistryRig(projects: ["alpha", "beta", "zeta"])
        #expect(await rig.registry.start(.beta) == .started(address: .loopback(4096)))
        #expect(await rig.registry.status(.beta)?.project.isMissing == false)
        #expect(rename("\(rig.home.path)/beta", "\(rig.home.path)/.beta") == 0)
        _ = await rig.table { !$0.mayBeProject(.beta) || $0.route(to: .beta)?.endpoint != nil }
        let status = try #require(await rig.registry.status(.beta))
        #expect(status.project.isMissing)
        #expect(status.project.state == .ready(address: .loopback(4096)))
        let list = try await rig.registry.projects()
        #expect(list.map(\.folder.name.string) == ["alpha", "beta", "zeta"])
        #expect(list.map(\.isMissing) == [false, true, false])
        // It continues to run and can be stopped; afterwards the project no longer exists.
        #expect(await rig.registry.start(.beta) == .alreadyRunning(address: .loopback(4096)))
        #expect(await rig.registry.stop(.beta) == .stopped)
        #expect(await rig.registry.status(.beta) == nil)
        #expect(await rig.registry.start(.beta) == .notFound)
        #expect(try await rig.registry.projects().map(\.folder.name.string) == ["alpha", "zeta"])
        #expect(await rig.table { !$0.mayBeProject(.beta) && $0.mayBeProject(.alpha) } != nil)
        await rig.end()
    }

    @Test func namesAreUnknownBeforeTheFirstReading() async throws {
        let rig = try await RegistryRig()
        #expect(await rig.table { $0.mayBeProject(.alpha) && !$0.mayBeProject(.beta) } != nil)
        await rig.end()
    }

    @Test func theRoutingTableKnowsAllProjectsThatThereAre() async throws {
        let rig = try await RegistryRig(projects: ["alpha"])
        #expect(await rig.table { $0.mayBeProject(.alpha) && !$0.mayBeProject(.beta) } != nil)
        try rig.home.makeFolder("beta")
        let table = try #require(await rig.table { $0.mayBeProject(.beta) })
        #expect(table.route(to: .beta) == nil)
        #expect(rmdir("\(rig.home.path)/beta") == 0)
        #expect(await rig.table { !$0.mayBeProject(.beta) } != nil)
        await rig.end()
    }

    @Test func aStartedInstancesScopeIsItsFolder() async throws {
        let rig = try await RegistryRig()
        _ = await rig.registry.start(.alpha)
        let table = try #require(await rig.table { $0.route(to: .alpha)?.endpoint != nil })
        let scope = try #require(table.route(to: .alpha)?.scope)
        #expect(scope.holds(Array("\(rig.home.path)/alpha/src".utf8)[...]))
        #expect(!scope.holds(Array("\(rig.home.path)/beta".utf8)[...]))
        await rig.end()
    }
}
