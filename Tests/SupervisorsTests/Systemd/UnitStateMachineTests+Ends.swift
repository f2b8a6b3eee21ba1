// SPDX-License-Identifier: Apache-2.0

import Instances
import Testing

@testable import Supervisors
@testable import Systemd

extension UnitStateMachineTests {
    /// The ends of a ready run: the manager's reports and the resulting events.
    static let ends: [(String, [Machine.Event], [Machine.Action])] = [
        (
            "the gateway's stop",
            [
                .stopRequested(kills: false), .stopAccepted(job: "/job/2"),
                reports("deactivating", "stop-sigterm", pid: 7),
                reports("inactive", "dead", code: 2, status: 15), .jobEnded(job: "/job/2", result: "done"),
            ],
            [.reportEnd(run: a, how: "signal SIGTERM", next: .stopped)]
        ),
        (
            "a manual stop",
            [reports("deactivating", "stop-sigterm", pid: 7), reports("inactive", "dead", code: 2, status: 15)],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "signal SIGTERM", next: .stopped)]
        ),
        (
            "a stop after which the unit fails",
            [
                reports("deactivating", "stop-sigterm", pid: 7),
                reports("failed", "failed", result: "exit-code", code: 1, status: 1),
                .read(properties("failed", "failed", result: "exit-code", code: 1, status: 1)),
            ],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .stopped)]
        ),
        (
            "a stop that the process ignores until systemd kills it",
            [
                reports("deactivating", "stop-sigterm", pid: 7), reports("deactivating", "stop-sigkill", pid: 7),
                reports("failed", "failed", result: "timeout", code: 2, status: 9),
                .read(properties("failed", "failed", result: "timeout", code: 2, status: 9)),
            ],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "a timeout of systemd (timeout)", next: .stopped)]
        ),
        (
            "a crash, systemd 252",
            [reports("activating", "auto-restart", result: "signal", code: 2, status: 11)],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "signal SIGSEGV", next: .restarts(after: .seconds(5)))]
        ),
        (
            "a crash, systemd 257: failed for an instant first",
            [
                reports("failed", "failed-before-auto-restart", result: "signal", code: 2, status: 11),
                reports("activating", "auto-restart", result: "signal", code: 2, status: 11),
                reports("activating", "auto-restart-queued", result: "signal", code: 2, status: 11),
            ],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "signal SIGSEGV", next: .restarts(after: .seconds(5)))]
        ),
        (
            "a crash after which processes remain: the port is released immediately",
            [
                reports("deactivating", "final-sigterm", result: "exit-code", code: 1, status: 1),
                reports("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
            ],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .restarts(after: .seconds(5)))]
        ),
        (
            "a crash after which processes remain, without a restart",
            [
                reports("deactivating", "final-sigterm", result: "exit-code", code: 1, status: 1),
                reports("failed", "failed", result: "exit-code", code: 1, status: 1),
                .read(properties("failed", "failed", result: "exit-code", code: 1, status: 1)),
            ],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .gaveUp)]
        ),
        (
            "the kernel's out-of-memory killer",
            [reports("activating", "auto-restart", result: "oom-kill", code: 2, status: 9)],
            [
                .report(.ending(run: a)),
                .reportEnd(
                    run: a,
                    how:
                        "the system's out-of-memory killer (oom-kill), because the unit needed more memory than its "
                        + "MemoryMax= or the machine has", next: .restarts(after: .seconds(5))),
            ]
        ),
        (
            "a core dump",
            [reports("activating", "auto-restart", result: "core-dump", code: 3, status: 6)],
            [
                .report(.ending(run: a)),
                .reportEnd(run: a, how: "signal SIGABRT (core dumped)", next: .restarts(after: .seconds(5))),
            ]
        ),
        (
            "an exit without an error",
            [
                reports("inactive", "dead", code: 1, status: 0),
                .read(properties("inactive", "dead", code: 1, status: 0)),
            ],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "exit status 0", next: .stopped)]
        ),
        (
            "a wrong configuration, which systemd does not try again",
            [
                reports("failed", "failed", result: "exit-code", code: 1, status: 78),
                .read(properties("failed", "failed", result: "exit-code", code: 1, status: 78)),
            ],
            [
                .report(.ending(run: a)),
                .reportEnd(run: a, how: "exit status 78 (the configuration is wrong)", next: .gaveUp),
            ]
        ),
        (
            "a manual restart, step by step",
            [
                reports("deactivating", "stop-sigterm", pid: 7), reports("inactive", "dead", code: 2, status: 15),
                reports("activating", "start", b, pid: 8), reports("active", "running", b, pid: 8),
            ],
            [
                .report(.ending(run: a)), .reportEnd(run: a, how: "signal SIGTERM", next: .stopped),
                .reportLaunch(run(b, 8, found: true)),
            ]
        ),
        (
            "a restart of which only the result is reported",
            [reports("active", "running", b, pid: 8)],
            [
                .report(.ending(run: a)), .reportEnd(run: a, how: "a restart", next: .restarts(after: nil)),
                .reportLaunch(run(b, 8, found: true)),
            ]
        ),
        (
            "systemd's own restart, systemd 252: inactive for an instant, already with the next invocation",
            [
                reports("failed", "failed", result: "exit-code", code: 1, status: 1),
                .read(properties("activating", "auto-restart", result: "exit-code", code: 1, status: 1)),
                reports("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                reports("inactive", "dead", b, code: 1, status: 1),
                .read(properties("activating", "start", b, pid: 8)),
                reports("activating", "start", b, pid: 8), reports("active", "running", b, pid: 8),
            ],
            [
                .report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .reportLaunch(run(b, 8, found: true)),
            ]
        ),
        (
            "systemd's own restart, systemd 257: queued, already with the next invocation",
            [
                reports("failed", "failed-before-auto-restart", result: "exit-code", code: 1, status: 1),
                reports("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                reports("activating", "auto-restart-queued", result: "exit-code", code: 1, status: 1),
                reports("activating", "auto-restart-queued", b), reports("activating", "start", b, pid: 8),
                reports("active", "running", b, pid: 8),
            ],
            [
                .report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .reportLaunch(run(b, 8, found: true)),
            ]
        ),
        (
            "a crash loop until the start limit",
            [
                reports("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                reports("failed", "failed", result: "exit-code", code: 1, status: 1),
                .read(properties("failed", "failed", result: "exit-code", code: 1, status: 1)),
            ],
            [
                .report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .reportEnd(
                    run: a,
                    how:
                        "exit status 1, and then with too many starts in a short time (start-limit-hit), so systemd does "
                        + "not restart the unit", next: .gaveUp),
            ]
        ),
        (
            "a crash loop until the start limit, which systemd reports as the result",
            [
                reports("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                .read(properties("failed", "failed", result: "start-limit-hit", code: 1, status: 1)),
            ],
            [
                .report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .reportEnd(
                    run: a,
                    how: "too many starts in a short time (start-limit-hit), so systemd does not restart the unit",
                    next: .gaveUp),
            ]
        ),
        (
            "a crash, systemd 252: failed for an instant first",
            [
                reports("failed", "failed", result: "signal", code: 2, status: 11),
                .read(properties("activating", "auto-restart", result: "signal", code: 2, status: 11)),
            ],
            [.report(.ending(run: a)), .reportEnd(run: a, how: "signal SIGSEGV", next: .restarts(after: .seconds(5)))]
        ),
        (
            "a manual stop while the unit waits for its restart",
            [
                reports("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                reports("inactive", "dead", code: 1, status: 1),
                .read(properties("inactive", "dead", code: 1, status: 1)),
            ],
            [
                .report(.ending(run: a)), .reportEnd(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .reportEnd(run: a, how: "a stop", next: .stopped),
            ]
        ),
        (
            "a reload that changes nothing",
            [reports("active", "running", pid: 7), .read(properties("active", "running", pid: 7))], []
        ),
        (
            "the connection to the manager is restored, and the unit has ended",
            [.connectionLost, .read(properties("inactive", "dead"))],
            [.reportEnd(run: a, how: "a stop", next: .stopped)]
        ),
        (
            "the connection to the manager is restored, and the unit still runs",
            [.connectionLost, .read(properties("active", "running", pid: 7))], []
        ),
    ]

    @Test(arguments: ends)
    func `each end of a run is reported with its cause and the state that follows`(
        name: String, events: [Machine.Event], reported: [Machine.Action]
    ) {
        #expect(Self.reported(Self.ready + events) == Self.reported(Self.ready) + reported, "\(name)")
    }
}
