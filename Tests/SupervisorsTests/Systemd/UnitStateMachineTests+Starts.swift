// SPDX-License-Identifier: Apache-2.0

import Instances
import Testing

@testable import Supervisors
@testable import Systemd

extension UnitStateMachineTests {
    /// Starts that fail, with the resulting actions.
    static let failures: [(String, [Machine.Event], [Machine.Action])] = [
        (
            "the manager refuses", [.startRequested, .startRefused("no such unit.")],
            [.report(.launchFailed(reason: "no such unit."))]
        ),
        (
            "the program is not executable, and systemd tries again",
            [
                .startRequested, .startAccepted(job: "/job/1"),
                reports("activating", "auto-restart", result: "exit-code", code: 1, status: 203),
                .jobEnded(job: "/job/1", result: "failed"),
            ],
            [
                .reportLaunch(run(a, 0)),
                .reportEnd(
                    run: a, how: "exit status 203 (the unit's program is not executable)",
                    next: .restarts(after: .seconds(5))),
            ]
        ),
        (
            "the start fails immediately",
            [
                .startRequested, .startAccepted(job: "/job/1"),
                reports("failed", "failed", result: "exit-code", code: 1, status: 78),
                .jobEnded(job: "/job/1", result: "failed"),
                .read(properties("failed", "failed", result: "exit-code", code: 1, status: 78)),
            ],
            [
                .reportLaunch(run(a, 0)),
                .reportEnd(run: a, how: "exit status 78 (the configuration is wrong)", next: .gaveUp),
            ]
        ),
        (
            "a required unit has failed",
            [
                .startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "dependency"),
                .read(properties("inactive", "dead", "")),
            ],
            [
                .report(
                    .launchFailed(
                        reason: "a unit that this unit requires has failed. See `systemctl list-dependencies`."))
            ]
        ),
        (
            "another program cancels the start",
            [
                .startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "canceled"),
                .read(properties("inactive", "dead", "")),
            ],
            [.report(.launchFailed(reason: "the unit was stopped during its start."))]
        ),
        (
            "the process exits without an error before the gateway has seen it",
            [
                .startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "done"),
                .read(properties("inactive", "dead", code: 1, status: 0)),
            ],
            [.reportLaunch(run(a, 0)), .reportEnd(run: a, how: "exit status 0", next: .stopped)]
        ),
        (
            "the start has no effect",
            [
                .startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "done"),
                .read(properties("inactive", "dead", "")),
            ],
            [.report(.launchFailed(reason: UnitMessage.startFailed(nil, UnitProperties())))]
        ),
        (
            "the connection to the manager is lost during the start",
            [
                .startRequested, .startAccepted(job: "/job/1"), .connectionLost,
                .read(properties("inactive", "dead", "")),
            ],
            [.report(.launchFailed(reason: UnitMessage.startFailed(nil, UnitProperties())))]
        ),
        (
            "the state is read while the start is in progress",
            [.startRequested, .startAccepted(job: "/job/1"), .read(properties("inactive", "dead"))], []
        ),
        (
            "the gateway cancels the start",
            [
                .startRequested, .startAccepted(job: "/job/1"), .stopRequested(kills: false),
                .jobEnded(job: "/job/1", result: "canceled"), .stopAccepted(job: "/job/2"),
                .read(properties("inactive", "dead", "")), .jobEnded(job: "/job/2", result: "done"),
            ],
            [.report(.launchFailed(reason: "the unit was stopped during its start."))]
        ),
    ]

    @Test(arguments: failures)
    func `each failed start is reported with its reason`(
        name: String, events: [Machine.Event], reported: [Machine.Action]
    ) {
        #expect(Self.reported(events) == reported, "\(name)")
    }
}
