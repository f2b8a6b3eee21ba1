// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Testing

@testable import Supervisors
@testable import Systemd

/// Tests how the machine interprets a unit's signals. The input consists of reports of the manager, and the output
/// consists of events and calls. The reports were observed with systemd 252 and 257.
@Suite("The state machine of a unit")
struct UnitStateMachineTests {
    typealias Machine = UnitStateMachine

    static let a = String(repeating: "a", count: 32)
    static let b = String(repeating: "b", count: 32)

    /// Returns the properties of a unit in the given state.
    static func properties(
        _ active: String, _ sub: String, _ invocation: String = a, pid: UInt32 = 0, result: String = "success",
        code: Int32 = 0, status: Int32 = 0
    ) -> UnitProperties {
        var properties = UnitProperties()
        properties.activeState = active
        properties.subState = sub
        properties.invocation = invocation
        properties.mainProcess = pid
        properties.result = result
        properties.exitCode = code
        properties.exitStatus = status
        properties.mainProcessStarted = 1_000
        properties.restartDelay = 5_000_000
        return properties
    }

    static func reports(
        _ active: String, _ sub: String, _ invocation: String = a, pid: UInt32 = 0, result: String = "success",
        code: Int32 = 0, status: Int32 = 0
    ) -> Machine.Event {
        .changed(
            properties(active, sub, invocation, pid: pid, result: result, code: code, status: status),
            isComplete: true)
    }

    static func run(_ id: String, _ process: Int32, found: Bool = false) -> UnitRun {
        UnitRun(id: id, process: process, started: 1_000, isFound: found)
    }

    /// Returns the actions of a machine for the last of these events.
    static func last(_ events: [Machine.Event]) -> [Machine.Action] {
        var machine = Machine()
        var actions: [Machine.Action] = []
        for event in events { actions = machine.handle(event) }
        return actions
    }

    /// Returns what a machine reports for all of these events, without the machine's calls.
    static func reported(_ events: [Machine.Event]) -> [Machine.Action] {
        var machine = Machine()
        return events.flatMap { machine.handle($0) }.filter {
            switch $0 {
            case .report, .reportLaunch, .reportPort, .reportEnd: true
            default: false
            }
        }
    }

    static let started: [Machine.Event] = [
        .startRequested, .startAccepted(job: "/job/1"), reports("activating", "start", pid: 7),
        reports("active", "running", pid: 7), .jobEnded(job: "/job/1", result: "done"),
    ]
    static let ready = started + [.portNamed(run: a, address: .loopback(4096))]

    @Test func `a start is reported once, with its process`() {
        #expect(Self.reported(Self.started) == [.reportLaunch(Self.run(Self.a, 7))])
        #expect(Self.last(Array(Self.started.prefix(1))) == [.start])
        #expect(
            Self.last(Array(Self.started.prefix(3))) == [
                .reportLaunch(Self.run(Self.a, 7)), .seekPort(Self.run(Self.a, 7)),
            ])
    }

    @Test func `only the first port announcement of a run is reported`() {
        #expect(
            Self.last(Self.ready) == [
                .stopSeeking(Self.a), .reportPort(run: Self.a, address: .loopback(4096), bySockets: false),
            ])
        #expect(Self.last(Self.ready + [.portNamed(run: Self.a, address: .loopback(1))]) == [])
        #expect(
            Self.last(Self.started + [.portNamed(run: Self.b, address: .loopback(1))]) == [],
            "another run's port is not its port")
    }

    @Test func `a running unit that the gateway did not start is reported as found`() {
        let events = [Self.reports("active", "running", pid: 7)]

        #expect(Self.reported(events) == [.reportLaunch(Self.run(Self.a, 7, found: true))])
        #expect(
            Self.reported([.read(Self.properties("active", "running", pid: 7))]).count == 1, "so is one in the list")
    }

    @Test func `an incomplete change of a unit's properties causes no action`() {
        var service = UnitProperties()
        service.mainProcess = 9
        let events = Self.ready + [.changed(service, isComplete: false)]

        #expect(Self.last(events) == [])
    }

    /// The calls of a start for a unit in the given state.
    @Test(
        arguments: [
            ([], [.start]),
            ([reports("inactive", "dead")], [.start]),
            ([reports("failed", "failed", result: "start-limit-hit")], [.resetFailed, .start]),
            ([reports("activating", "auto-restart", result: "exit-code")], [.restart]),
            ([reports("deactivating", "stop-sigterm", pid: 7)], [.start]),
            (
                [reports("active", "running", pid: 7), .portNamed(run: a, address: .loopback(4096))],
                [
                    .reportLaunch(run(a, 7, found: true)),
                    .reportPort(run: a, address: .loopback(4096), bySockets: false),
                ]
            ),
        ] as [([Machine.Event], [Machine.Action])])
    func `a requested start makes the calls that fit the unit's state`(events: [Machine.Event], calls: [Machine.Action])
    {
        #expect(Self.last(events + [.startRequested]) == calls)
    }

    @Test func `a kill also stops the unit, so that systemd does not restart it`() {
        #expect(Self.last(Self.ready + [.stopRequested(kills: true)]) == [.stop, .kill])
        #expect(Self.last(Self.ready + [.stopRequested(kills: false), .stopRequested(kills: true)]) == [.kill])
    }

    @Test func `a stop that systemd rejects for a crashed unit is reported as the end of its run`() {
        let crashed = Self.ready + [Self.reports("activating", "auto-restart", result: "exit-code", code: 1, status: 1)]

        #expect(
            Self.last(crashed + [.stopRequested(kills: false), .stopRefused])
                == [.reportEnd(run: Self.a, how: "a stop", next: .stopped)])
    }

    @Test func `a denied stop is reported once, and the run continues`() {
        let asked = Self.ready + [.stopRequested(kills: false)]

        #expect(Self.last(asked + [.stopDenied("no.")]) == [.report(.stopFailed(reason: "no."))])
        #expect(Self.last(asked + [.stopDenied("no."), .stopDenied("no.")]) == [])
        #expect(Self.last(asked + [.stopDenied("no."), .stopRequested(kills: true)]) == [.stop, .kill])
    }

    @Test func `a unit that has failed before is reported with its reason`() {
        let failed = Self.properties("failed", "failed", result: "exit-code", code: 1, status: 1)

        #expect(
            Self.reported([.read(failed)]) == [
                .reportLaunch(Self.run(Self.a, 0, found: true)),
                .reportEnd(run: Self.a, how: "exit status 1", next: .gaveUp),
            ])
        #expect(
            Self.reported([.read(Self.properties("inactive", "dead", code: 1))]) == [], "a run of long ago is no news")
    }

    @Test func `an overdue port is searched only among the sockets of the current run`() {
        let run = Self.run(Self.a, 7)

        #expect(Self.last(Self.started + [.portOverdue(run: Self.a)]) == [.searchSockets(run)])
        #expect(Self.last(Self.ready + [.portOverdue(run: Self.a)]) == [], "it is known")
        #expect(Self.last(Self.started + [.portOverdue(run: Self.b)]) == [], "that one is gone")

        let searched = Self.started + [.portOverdue(run: Self.a), .socketsSearched(run: Self.a, address: nil)]

        #expect(Self.last(searched) == [.searchLater(run, times: 1)])
        #expect(
            Self.last(searched + [.socketsSearched(run: Self.a, address: .loopback(5000))])
                == [.stopSeeking(Self.a), .reportPort(run: Self.a, address: .loopback(5000), bySockets: true)])
    }
}
