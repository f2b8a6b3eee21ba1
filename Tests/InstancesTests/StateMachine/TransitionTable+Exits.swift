// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances

/// The transitions for ends and health checks.
extension TransitionTable {
    private static let running: [Origin] = [.ready, .checking, .slow, .busy, .unhealthy, .foundReady]

    // MARK: Exits

    static let exits: [Row] =
        running.flatMap {
            [
                Row($0, .endsElsewhere, .stopping, disarm),
                Row($0, .mainProcessExited, restarting("OpenCode exited."), disarm),
                Row($0, .exitedStopped, .stopped, disarm),
                Row($0, .exitedFailed, restarting(died, 1), disarm + restart(after: 1)),
                Row($0, .exitedRestarts, restarting(died, 5), disarm),
                Row($0, .exitedGaveUp, failed(died), disarm),
            ]
        } + [
            // The gateway reports that a requested start has failed. It does not retry the start.
            Row(.booting, .endsElsewhere, .stopping, disarm),
            Row(.booting, .exitedStopped, .stopped, disarm + wasStopped),
            Row(.booting, .exitedFailed, failed(diedBooting), disarm + startFailed(diedBooting)),
            Row(.booting, .exitedRestarts, restarting(diedBooting, 5), disarm + startFailed(diedBooting)),
            Row(.booting, .exitedGaveUp, failed(diedBooting), disarm + startFailed(diedBooting)),
            Row(.probing, .endsElsewhere, .stopping, disarm),
            Row(.probing, .exitedStopped, .stopped, disarm + wasStopped),
            Row(.probing, .exitedFailed, failed(diedProbing), disarm + startFailed(diedProbing)),
            Row(.probing, .exitedRestarts, restarting(diedProbing, 5), disarm + startFailed(diedProbing)),
            Row(.probing, .exitedGaveUp, failed(diedProbing), disarm + startFailed(diedProbing)),
            // The run was so short that its launch was never reported.
            Row(.starting, .exitedStopped, .stopped, disarm + wasStopped),
            Row(.starting, .exitedFailed, failed(diedBooting), disarm + startFailed(diedBooting)),
            Row(.starting, .exitedRestarts, restarting(diedBooting, 5), disarm + startFailed(diedBooting)),
            Row(.starting, .exitedGaveUp, failed(diedBooting), disarm + startFailed(diedBooting)),
            // A server that was found running is kept running.
            Row(.foundBooting, .endsElsewhere, .stopping, disarm),
            Row(.foundBooting, .exitedStopped, .stopped, disarm),
            Row(.foundBooting, .exitedFailed, restarting(diedBooting, 1), disarm + restart(after: 1)),
            Row(.foundBooting, .exitedRestarts, restarting(diedBooting, 5), disarm),
            Row(.foundBooting, .exitedGaveUp, failed(diedBooting), disarm),
            Row(.overdue, .endsElsewhere, .stopping, disarm),
            Row(.overdue, .exitedStopped, .stopped, disarm),
            Row(.overdue, .exitedFailed, restarting(diedProbing, 1), disarm + restart(after: 1)),
            Row(.overdue, .exitedRestarts, restarting(diedProbing, 5), disarm),
            Row(.overdue, .exitedGaveUp, failed(diedProbing), disarm),
            // The supervisor cancels the restart.
            Row(.restartingBySupervisor, .exitedStopped, .stopped, disarm),
            Row(.restartingBySupervisor, .exitedFailed, restarting(died, 1), disarm + restart(after: 1)),
            Row(.restartingBySupervisor, .exitedRestarts, nil, disarm),
            Row(.restartingBySupervisor, .exitedGaveUp, failed(died), disarm),
            // The server was stopped or restarted from outside the gateway.
            Row(.stoppingElsewhere, .exitedStopped, .stopped, over),
            Row(.stoppingElsewhere, .exitedFailed, restarting(died, 1), disarm + restart(after: 1)),
            Row(.stoppingElsewhere, .exitedRestarts, restarting(died, 5), disarm),
            Row(.stoppingElsewhere, .exitedGaveUp, failed(died), disarm),
            // The main process ended before, and its descendants have ended now.
            Row(.mainProcessGone, .exitedStopped, .stopped, over),
            Row(.mainProcessGone, .exitedFailed, restarting(died, 1), disarm + restart(after: 1)),
            Row(.mainProcessGone, .exitedRestarts, restarting(died, 5), disarm),
            Row(.mainProcessGone, .exitedGaveUp, failed(died), disarm),
        ]
        + [Stimulus.exitedStopped, .exitedFailed, .exitedRestarts, .exitedGaveUp].flatMap {
            [
                Row(.stopping, $0, .stopped, over),
                Row(.stoppingAndStartingAgain, $0, nil, over + launch),
                Row(.crashedAndStartingAgain, $0, nil, over + launch),
                Row(.timedOut, $0, nil, over),
                Row(.stuck, $0, .stopped, [.disarm(.kill)]),
            ]
        }

    // MARK: Health

    private static let nextCheck: [Action] = [.disarm(.late), .arm(.probe, .seconds(10))]
    private static let fallBack: [Action] = [
        .disarm(.late), .disarm(.steady), deadline, .arm(.probe, .milliseconds(50)),
    ]
    private static let becameReady: [Action] = [
        .disarm(.start), .arm(.probe, .seconds(10)), .arm(.steady, .seconds(10)),
    ]
    private static let failing = InstanceState.unhealthy(address: .loopback(4096), reason: "It says 500.")

    static let checks: [Row] =
        [
            Row(.probing, .healthy, ready, becameReady + answer(.started(address: .loopback(4096)))),
            Row(.probing, .unhealthyAnswer, nil, [.arm(.probe, .milliseconds(50))]),
            Row(.probing, .unauthorized, nil, [.arm(.probe, .milliseconds(50))]),
            Row(.probing, .silent, nil, [.arm(.probe, .milliseconds(50))]),
            // No check is pending, so the next one is due.
            Row(.overdue, .probeTimer, nil, [check(2)]),
            Row(.ready, .probeTimer, nil, [check(2, timeout: 60), .arm(.late, .seconds(2))]),
            Row(.foundReady, .probeTimer, nil, [check(2, timeout: 60), .arm(.late, .seconds(2))]),

            Row(.checking, .healthy, nil, nextCheck),
            Row(.slow, .healthy, busy, nextCheck),
            Row(.busy, .healthy, nil, nextCheck),
            Row(.unhealthy, .healthy, busy, nextCheck),
        ]
        + [Origin.checking, .slow, .busy, .unhealthy].flatMap {
            [
                Row($0, .unhealthyAnswer, failing, nextCheck + [.measure]),
                // The server accepted this password before, so a different server may be listening there now.
                Row($0, .unauthorized, probing, fallBack),
                Row($0, .silent, nil, nextCheck + [.measure]),
                Row($0, .lateTimer, nil, [.measure, .arm(.late, .seconds(2))]),
            ]
        }
        + [Origin.ready, .checking, .slow, .busy, .foundReady].map { Row($0, .quiet, unhealthy) }
        + [
            Row(.slow, .progressed, busy),
            Row(.unhealthy, .progressed, busy),
        ]

    // MARK: Time

    static let deadlines: [Row] =
        [
            Row(.starting, .answerTimer, nil, answer(.pending(.starting))),
            Row(.booting, .answerTimer, nil, answer(.pending(.booting))),
            Row(.probing, .answerTimer, nil, answer(.pending(probing))),
            Row(.stoppingAndStartingAgain, .answerTimer, nil, answer(.pending(.starting))),
            Row(.crashedAndStartingAgain, .answerTimer, nil, answer(.pending(.starting))),

            Row(
                .starting, .startTimer, failed(noPortWithTail),
                answer(.failed("Service started but failed to get port. \(noPortWithTail)")) + end),
            Row(
                .booting, .startTimer, failed(noPortWithTail),
                answer(.failed("Service started but failed to get port. \(noPortWithTail)")) + end),
            Row(.probing, .startTimer, failed(notHealthy), startFailed(notHealthy) + end),
            Row(.recovering, .startTimer, restarting(noPortWithTail), end),
            // The gateway must not end a server that it found.
            Row(.foundBooting, .startTimer), Row(.overdue, .startTimer),

            Row(.restarting, .restartTimer, .starting, launch),
        ]
        + running.map { Row($0, .steadyTimer, nil, [.arm(.steady, .seconds(50))]) }
        + [
            Origin.stopping, .stoppingAndStartingAgain, .stoppingElsewhere, .mainProcessGone, .crashedAndStartingAgain,
            .timedOut,
        ].map { Row($0, .terminateTimer, nil, [.kill, .arm(.kill, .seconds(5))]) }
        + [
            Row(.stopping, .killTimer, failed(hangs), stopFailed),
            Row(.stoppingElsewhere, .killTimer, failed(hangs), stopFailed),
            Row(.mainProcessGone, .killTimer, failed(hangs), stopFailed),
            Row(.timedOut, .killTimer, failed(hangs), stopFailed),
            Row(.stoppingAndStartingAgain, .killTimer, failed(hangs), stopFailed + startFailed(hangs)),
            Row(.crashedAndStartingAgain, .killTimer, failed(hangs), stopFailed + startFailed(hangs)),
        ]

    private static let notHealthy =
        "OpenCode announced port 4096 but was not healthy within 30 s: The instance has not responded to a health check yet. "
        + "Its last output:\nmigrating"
    private static let stopFailed: [Action] = [.answerStops(.failed("Failed to stop service: \(hangs)"))]
}
