// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Logging
import Projects
import TemporaryHomes
import Testing

/// Tests two instances that claim the same port. Requests are sent to the instance that listens there, or to neither.
@Suite struct PortClaimTests {
    private func bothOnOnePort(_ fixture: SupervisedFixture) async {
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))
        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        await fixture.supervisor.report(
            .beta, .launched(SupervisedFixture.run("b")), .announced(run: "b", address: .loopback(5000)))
    }

    @Test func `a port that another instance now has is no longer used`() async throws {
        let fixture = try await SupervisedFixture(healthy: [5000: "password of a"])
        // Alpha has ended unnoticed, and its port now belongs to beta.
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        fixture.listen(on: 5000, "password of b")
        await fixture.supervisor.report(
            .beta, .launched(SupervisedFixture.run("b")), .announced(run: "b", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000)), .beta))

        let alpha = try #require(await fixture.registry.status(.alpha))

        #expect(alpha.project.state == .probing(address: .loopback(5000)))
        #expect(alpha.report.lastError != nil)
        #expect(fixture.lines.all.contains { $0.message.hasPrefix("two instances announced the same port") })

        await fixture.tearDown()
    }

    @Test func `a port stays with the instance that proves its ownership by its password`() async throws {
        // Beta prints a banner with alpha's port. Alpha proves with its password that it listens there.
        let fixture = try await SupervisedFixture(healthy: [5000: "password of a"])
        await bothOnOnePort(fixture)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(await fixture.registry.status(.beta)?.project.state == .probing(address: .loopback(5000)))

        await fixture.tearDown()
    }

    @Test func `the later announcement of a port applies if the instances have no passwords`() async throws {
        let fixture = try await SupervisedFixture()
        fixture.listen(on: 5000, "", enforces: false)
        await bothOnOnePort(fixture)

        #expect(await fixture.reaches(.ready(address: .loopback(5000)), .beta))
        #expect(await fixture.registry.status(.alpha)?.project.state == .probing(address: .loopback(5000)))

        // The earlier instance gets the port back after the later instance has ended.
        await fixture.supervisor.report(.beta, .exited("b", .stopped))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.tearDown()
    }
}
