// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Glibc
import Instances
import OpenCodeFamilies
import Projects
import Supervisors
import TemporaryHomes
import Testing

/// Tests a project's folder and its instance when one of the two disappears.
@Suite(.timeLimit(.minutes(5))) struct ProjectPresenceTests {
    @Test func `a running project whose folder has vanished is listed as missing until it is stopped`() async throws {
        let fixture = try await RegistryFixture(projects: ["alpha", "beta", "zeta"])

        #expect(await fixture.registry.start(.beta) == .started(address: .loopback(4096)))
        #expect(await fixture.registry.status(.beta)?.project.isMissing == false)
        #expect(rename("\(fixture.home.path)/beta", "\(fixture.home.path)/.beta") == 0)

        _ = await fixture.table { !$0.mayBeProject(.beta) || $0.route(to: .beta)?.endpoint != nil }
        let status = try #require(await fixture.registry.status(.beta))

        #expect(status.project.isMissing)
        #expect(status.project.state == .ready(address: .loopback(4096)))

        let list = try await fixture.registry.projects()

        #expect(list.map(\.folder.name.string) == ["alpha", "beta", "zeta"])
        #expect(list.map(\.isMissing) == [false, true, false])
        // The instance continues to run and can be stopped. Afterwards, the project no longer exists.
        #expect(await fixture.registry.start(.beta) == .alreadyRunning(address: .loopback(4096)))
        #expect(await fixture.registry.stop(.beta) == .stopped)
        #expect(await fixture.registry.status(.beta) == nil)
        #expect(await fixture.registry.start(.beta) == .notFound)
        #expect(try await fixture.registry.projects().map(\.folder.name.string) == ["alpha", "zeta"])
        #expect(await fixture.table { !$0.mayBeProject(.beta) && $0.mayBeProject(.alpha) } != nil)

        await fixture.tearDown()
    }

    @Test func `the routing table contains an existing project and no missing one`() async throws {
        let fixture = try await RegistryFixture()

        #expect(await fixture.table { $0.mayBeProject(.alpha) && !$0.mayBeProject(.beta) } != nil)

        await fixture.tearDown()
    }

    @Test func `the routing table follows the creation and removal of project folders`() async throws {
        let fixture = try await RegistryFixture(projects: ["alpha"])

        #expect(await fixture.table { $0.mayBeProject(.alpha) && !$0.mayBeProject(.beta) } != nil)

        try fixture.home.makeFolder("beta")
        let table = try #require(await fixture.table { $0.mayBeProject(.beta) })

        #expect(table.route(to: .beta) == nil)
        #expect(rmdir("\(fixture.home.path)/beta") == 0)
        #expect(await fixture.table { !$0.mayBeProject(.beta) } != nil)

        await fixture.tearDown()
    }

    @Test func `the directory scope of a started instance is its folder`() async throws {
        let fixture = try await RegistryFixture()
        _ = await fixture.registry.start(.alpha)
        let table = try #require(await fixture.table { $0.route(to: .alpha)?.endpoint != nil })
        let scope = try #require(table.route(to: .alpha)?.scope)

        #expect(scope.contains(Array("\(fixture.home.path)/alpha/src".utf8)[...]))
        #expect(!scope.contains(Array("\(fixture.home.path)/beta".utf8)[...]))

        await fixture.tearDown()
    }
}
