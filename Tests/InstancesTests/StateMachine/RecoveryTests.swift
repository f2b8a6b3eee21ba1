// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Testing

/// Tests restarts after an instance has ended by itself, and instances that no longer respond.
@Suite struct RecoveryTests {
    typealias Machine = InstanceStateMachine

    /// Lets the instance become ready, remain ready for some time, and end.
    private func crash(_ machine: inout Machine, _ number: Int, steady: Int = 0) -> Duration? {
        let run = "run \(number)"
        _ = machine.handle(.launched(run: run))
        _ = machine.handle(.announced(run: run, address: .loopback(4096)))
        _ = machine.handle(.probed(machine.checkNumber, .healthy(version: "1")))
        for _ in 0..<steady { _ = machine.handle(.fired(.steady)) }
        var delay: Duration?
        for case .arm(.restart, let value) in machine.handle(
            .exited(run: run, how: "signal SIGSEGV", tail: ["boom \(number)"], next: .failed))
        { delay = value }
        if delay != nil { #expect(machine.handle(.fired(.restart)).contains(.launch)) }
        return delay
    }

    @Test func `an instance is failed after five quick failures in a row`() {
        var machine = Origin.starting.machine()
        let delays = (1...5).map { crash(&machine, $0) }

        #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), nil])
        #expect(machine.restarts == 4)

        let reason =
            "The gateway does not restart the instance after 5 quick failures in a row. "
            + "OpenCode ended with signal SIGSEGV. Its last output:\nboom 5"

        #expect(machine.state == .failed(reason: reason))
        #expect(machine.lastError == reason)

        // A requested start resets all counters.
        _ = machine.handle(.startRequested)

        #expect(machine.restarts == 0)
        #expect(machine.lastError == nil)
        #expect(crash(&machine, 6) == .seconds(1))
    }

    @Test func `the restart delay doubles up to its maximum`() {
        var machine = Origin.starting.machine()
        // Each time, the instance is ready for longer than a quick failure, but never long enough to count as steady.
        let delays = (1...9).map { crash(&machine, $0, steady: 1) }

        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(machine.restarts == 9)
    }

    @Test func `the restart delay starts over after the instance has been ready for a while`() {
        var machine = Origin.starting.machine()
        _ = (1...4).map { crash(&machine, $0) }

        #expect(crash(&machine, 5, steady: 2) == .seconds(1))

        let delays = (6...9).map { crash(&machine, $0) }

        #expect(delays == [.seconds(2), .seconds(4), .seconds(8), .seconds(16)])
        #expect(crash(&machine, 10) == nil)
    }

    @Test func `a restart that fails to launch counts as a quick failure`() {
        var machine = Origin.recovering.machine()
        for number in 1...3 {
            _ = machine.handle(.launchFailed(reason: "no."))
            #expect(machine.state.name == "restarting", "\(number)")
            _ = machine.handle(.fired(.restart))
        }
        _ = machine.handle(.launchFailed(reason: "no."))

        #expect(
            machine.state
                == .failed(reason: "The gateway does not restart the instance after 5 quick failures in a row. no."))
    }

    @Test func `an instance with one allowed failure is never restarted`() {
        var limits = InstanceLimits.tested
        limits.quickFailures = 1

        #expect(Origin.restarting.machine(limits).state.name == "failed")
    }

    @Test func `a restart that becomes ready is counted and keeps the last error`() {
        var machine = Origin.recovering.machine()
        _ = machine.handle(.launched(run: "b"))
        _ = machine.handle(.announced(run: "b", address: .loopback(5000)))
        _ = machine.handle(.probed(machine.checkNumber, .healthy(version: "1")))

        #expect(machine.state == .ready(address: .loopback(5000)))
        #expect(machine.restarts == 1)
        #expect(machine.lastError == TransitionTable.died)
    }

    @Test func `restarts by the supervisor are counted`() {
        var machine = Origin.restartingBySupervisor.machine()
        _ = machine.handle(.launched(run: "b", isFound: true))

        #expect(machine.state == .booting)
        #expect(machine.restarts == 1)
        #expect(machine.lastError == TransitionTable.died)
    }

    // MARK: Unhealthy instances

    @Test func `an unhealthy instance is restarted only if that is enabled`() {
        #expect(
            Origin.slow.machine().handled(.measured(quiet: .seconds(60), progressed: false)).state.address?.port == 4096
        )

        var limits = InstanceLimits.tested
        limits.restartsUnhealthy = true
        var machine = Origin.slow.machine(limits)
        let actions = machine.handle(.measured(quiet: .seconds(60), progressed: false))

        #expect(machine.state == .restarting(reason: TransitionTable.wedged, delay: nil))
        #expect(actions == [.publish] + TransitionTable.end)
        #expect(
            machine.handle(Origin.exit(.stopped))
                == [.publish] + TransitionTable.over + [.arm(.restart, .seconds(1))])
        #expect(machine.lastError == TransitionTable.wedged)
    }

    @Test func `an instance that loses its port is ready again after its next healthy response`() {
        var machine = Origin.ready.machine()
        _ = machine.handle(.displaced(by: "beta"))

        #expect(machine.lastError == TransitionTable.taken)

        _ = machine.handle(.fired(.probe))
        _ = machine.handle(.probed(2, .healthy(version: "1.18.33")))

        #expect(machine.state == .ready(address: .loopback(4096)))
    }

    @Test func `an instance that lost its port for good is ended only if that is enabled`() {
        var machine = Origin.ready.machine().handled(.displaced(by: "beta"))

        #expect(machine.handle(.fired(.start)) == [])
        #expect(machine.state == .probing(address: .loopback(4096)))

        // The instance is also checked less often.
        _ = machine.handle(.fired(.probe))

        #expect(machine.handle(.probed(2, .unauthorized(reason: "x."))) == [.arm(.probe, .seconds(10))])

        var limits = InstanceLimits.tested
        limits.restartsUnhealthy = true
        let ending = Origin.ready.machine(limits).handled(.displaced(by: "beta")).handled(.fired(.start))

        #expect(ending.state.name == "restarting")
    }

    @Test func `a slow health check without progress does not make an instance busy`() {
        let machine = Origin.slow.machine().handled(.measured(quiet: .seconds(3), progressed: false))

        #expect(machine.state == .ready(address: .loopback(4096)))
    }

    @Test func `a timely health response makes a busy or unhealthy instance ready again`() {
        for origin in [Origin.busy, .unhealthy] {
            var machine = origin.machine()
            _ = machine.handle(.probed(2, .healthy(version: "1")))
            _ = machine.handle(.fired(.probe))
            _ = machine.handle(.probed(3, .healthy(version: "1")))
            #expect(machine.state == .ready(address: .loopback(4096)), "\(origin)")
        }
    }
}
