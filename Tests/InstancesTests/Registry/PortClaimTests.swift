import Addresses
import Homes
import Instances
import Logging
import Projects
import Testing

/// Two instances claim the same port. Requests are sent to the one that listens there, or to neither.
@Suite struct PortClaimTests {
    private func bothOnOnePort(_ rig: SupervisedRig) async {
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("a")), .announced(run: "a", address: .loopback(5000)))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        await rig.supervisor.tell(
            .beta, .launched(SupervisedRig.run("b")), .announced(run: "b", address: .loopback(5000)))
    }

    @Test func aPortThatAnotherInstanceHasNowIsNotUsedAnyMore() async throws {
        let rig = try await SupervisedRig(healthy: [5000: "password of a"])
        // Alpha has ended unnoticed, and its port belongs to beta.
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("a")), .announced(run: "a", address: .loopback(5000)))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        rig.listen(on: 5000, "password of b")
        await rig.supervisor.tell(
            .beta, .launched(SupervisedRig.run("b")), .announced(run: "b", address: .loopback(5000)))
        #expect(await rig.reaches(.ready(address: .loopback(5000)), .beta))
        let alpha = try #require(await rig.registry.status(.alpha))
        #expect(alpha.project.state == .probing(address: .loopback(5000)))
        #expect(alpha.report.lastError != nil)
        #expect(rig.lines.all.contains { $0.message.hasPrefix("Two instances say that a port is theirs") })
        await rig.end()
    }

    @Test func whoOnlySaysSoDoesNotKeepThePort() async throws {
        // Beta prints a banner with alpha's port. Alpha proves with its password that it is the one that listens.
        let rig = try await SupervisedRig(healthy: [5000: "password of a"])
        await bothOnOnePort(rig)
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        #expect(await rig.registry.status(.beta)?.project.state == .probing(address: .loopback(5000)))
        await rig.end()
    }

    @Test func withoutPasswordsTheLaterAnnouncementCounts() async throws {
        let rig = try await SupervisedRig()
        rig.listen(on: 5000, "", enforces: false)
        await bothOnOnePort(rig)
        #expect(await rig.reaches(.ready(address: .loopback(5000)), .beta))
        #expect(await rig.registry.status(.alpha)?.project.state == .probing(address: .loopback(5000)))
        // The earlier instance gets the port back when the later one has ended.
        await rig.supervisor.tell(.beta, .exited("b", .stopped))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        await rig.end()
    }
}
