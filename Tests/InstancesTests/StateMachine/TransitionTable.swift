// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances

/// All transitions: in a state, an event leads to a new state and to actions. An event without a row has no effect.
enum TransitionTable {
    typealias Action = InstanceStateMachine.Action

    struct Row {
        var origin: Origin
        var stimulus: Stimulus
        /// The new state; nil if it does not change.
        var state: InstanceState?
        /// The actions without the initial `publish`, which is implied by a change of state.
        var actions: [Action]

        init(_ origin: Origin, _ stimulus: Stimulus, _ state: InstanceState? = nil, _ actions: [Action] = []) {
            self.origin = origin
            self.stimulus = stimulus
            self.state = state
            self.actions = actions
        }
    }

    static let all = requests + launches + announcements + refusedStops + exits + checks + deadlines

    // MARK: States

    static let ready = InstanceState.ready(address: .loopback(4096))
    static let probing = InstanceState.probing(address: .loopback(4096))
    static let busy = InstanceState.busy(address: .loopback(4096))
    static let unhealthy = InstanceState.unhealthy(address: .loopback(4096), reason: wedged)
    static func failed(_ reason: String) -> InstanceState { .failed(reason: reason) }
    static func restarting(_ reason: String, _ delay: Int? = nil) -> InstanceState {
        .restarting(reason: reason, delay: delay.map { .seconds($0) })
    }

    // MARK: Sentences

    private static let tail = " Its last output:\nboom"
    static let noPort = "OpenCode did not announce its port within 30 s."
    static let noPortWithTail = noPort + " Its last output:\nmigrating"
    static let died = "OpenCode ended with exit status 1." + tail
    static let diedBooting = "OpenCode ended with exit status 1 before it announced its port." + tail
    static let diedProbing = "OpenCode ended with exit status 1 before it was ready." + tail
    static let hangs = "the process did not end within 5 s after SIGKILL, so it hangs in the kernel."
    static let wedged = "The instance responded to no health check and sent no data for 60 s."
    static let elsewhere =
        "OpenCode listens on 0.0.0.0, but the gateway connects only to 127.0.0.1. Remove the host from OpenCode's command "
        + "(--opencode, VIBE_OPENCODE) or configuration."
    static let taken =
        "The instance of project beta announced port 4096 after this instance did. Stop and start this project."

    // MARK: Actions

    static let disarm: [Action] = [.disarm(.start), .disarm(.probe), .disarm(.late), .disarm(.steady)]
    static let end = disarm + [.terminate, .arm(.terminate, .seconds(10))]
    static let over: [Action] = [.disarm(.terminate), .disarm(.kill), .answerStops(.stopped)]
    static let launch: [Action] = [.arm(.start, .seconds(30)), .launch]
    static let wait: [Action] = [.arm(.answer, .seconds(25))]
    static let deadline = Action.arm(.start, .seconds(30))
    static let wasStopped = startFailed("the instance was stopped during its start.")
    static func restart(after seconds: Int) -> [Action] { [.arm(.restart, .seconds(seconds))] }
    static func answer(_ answer: StartAnswer) -> [Action] { [.disarm(.answer), .answerStarts(answer)] }
    static func startFailed(_ reason: String) -> [Action] { answer(.failed("Failed to start service: \(reason)")) }
    static func check(_ number: UInt64, timeout: Int = 5) -> Action {
        .probe(number: number, address: .loopback(4096), timeout: .seconds(timeout))
    }

    // MARK: Requested starts and stops

    /// The actions if the supervisor cannot ask the server to end: the server continues, and its health is checked
    /// again.
    private static let refusedStops: [Row] = [
        Row(.stopping, .stopFailed, probing, stopDenied + [check(2)]),
        Row(.stoppingAndStartingAgain, .stopFailed, probing, stopDenied + [check(2)]),
        Row(.timedOut, .stopFailed, .booting, stopDenied),
    ]
    private static let stopDenied: [Action] = [
        .disarm(.terminate), .disarm(.kill), .answerStops(.failed("Failed to stop service: denied.")), deadline,
    ]

    private static let requests: [Row] = [
        Row(.stopped, .startRequested, .starting, wait + launch),
        Row(.failed, .startRequested, .starting, wait + launch),
        Row(.restarting, .startRequested, .starting, wait + [.disarm(.restart)] + launch),
        Row(.restartingBySupervisor, .startRequested, .starting, wait + [.disarm(.restart)] + launch),
        // In these states, callers are already waiting or can be added.
        Row(.recovering, .startRequested, nil, wait),
        Row(.foundBooting, .startRequested, nil, wait),
        Row(.stopping, .startRequested, .starting, wait),
        Row(.stoppingElsewhere, .startRequested, .starting, wait),
        Row(.mainProcessGone, .startRequested, .starting, wait),
        Row(.timedOut, .startRequested, .starting, wait),
        Row(
            .overdue, .startRequested, nil,
            [
                .answerStarts(
                    .failed("Failed to start service: It says 500."))
            ]),
        Row(.ready, .startRequested, nil, [.answerStarts(.alreadyRunning(address: .loopback(4096)))]),
        Row(.checking, .startRequested, nil, [.answerStarts(.alreadyRunning(address: .loopback(4096)))]),
        Row(.slow, .startRequested, nil, [.answerStarts(.alreadyRunning(address: .loopback(4096)))]),
        Row(.busy, .startRequested, nil, [.answerStarts(.alreadyRunning(address: .loopback(4096)))]),
        Row(.unhealthy, .startRequested, nil, [.answerStarts(.alreadyRunning(address: .loopback(4096)))]),
        Row(.foundReady, .startRequested, nil, [.answerStarts(.alreadyRunning(address: .loopback(4096)))]),
        Row(.stuck, .startRequested, nil, [.answerStarts(.failed("Failed to start service: \(hangs)"))]),

        Row(.stopped, .stopRequested, nil, [.answerStops(.stopped)]),
        Row(.failed, .stopRequested, .stopped, [.answerStops(.stopped)]),
        Row(.restarting, .stopRequested, .stopped, [.disarm(.restart), .answerStops(.stopped)]),
        Row(.restartingBySupervisor, .stopRequested, .stopping, end),
        Row(.starting, .stopRequested, .stopping, wasStopped + end),
        Row(.booting, .stopRequested, .stopping, wasStopped + end),
        Row(.probing, .stopRequested, .stopping, wasStopped + end),
        Row(.recovering, .stopRequested, .stopping, end),
        Row(.foundBooting, .stopRequested, .stopping, end),
        Row(.overdue, .stopRequested, .stopping, end),
        Row(.ready, .stopRequested, .stopping, end),
        Row(.checking, .stopRequested, .stopping, end),
        Row(.slow, .stopRequested, .stopping, end),
        Row(.busy, .stopRequested, .stopping, end),
        Row(.unhealthy, .stopRequested, .stopping, end),
        Row(.foundReady, .stopRequested, .stopping, end),
        Row(.stoppingAndStartingAgain, .stopRequested, .stopping, wasStopped),
        Row(.stoppingElsewhere, .stopRequested, nil, [.terminate, .arm(.terminate, .seconds(10))]),
        Row(.mainProcessGone, .stopRequested, .stopping, [.terminate, .arm(.terminate, .seconds(10))]),
        Row(
            .crashedAndStartingAgain, .stopRequested, .stopping,
            wasStopped + [.terminate, .arm(.terminate, .seconds(10))]),
        Row(.timedOut, .stopRequested, .stopping),
        Row(.stuck, .stopRequested, .stopping, [.kill, .arm(.kill, .seconds(5))]),
    ]

    // MARK: Launches

    private static let launches: [Row] = [
        Row(.starting, .launched, .booting),
        Row(.recovering, .launched, .booting),
        // The server was started from outside the gateway.
        Row(.stopped, .launched, .booting, [.disarm(.kill), deadline]),
        Row(.failed, .launched, .booting, [.disarm(.kill), deadline]),
        Row(.stuck, .launched, .booting, [.disarm(.kill), deadline]),
        Row(.restarting, .launched, .booting, [.disarm(.restart), deadline]),
        Row(.restartingBySupervisor, .launched, .booting, [.disarm(.restart), deadline]),
        // The end of the previous run was not reported, but its port is invalid.
        Row(.booting, .launched, nil, disarm + [deadline]),
        Row(.foundBooting, .launched, nil, disarm + [deadline]),
        Row(.probing, .launched, .booting, disarm + [deadline]),
        Row(.overdue, .launched, .booting, disarm + [deadline]),
        Row(.ready, .launched, .booting, disarm + [deadline]),
        Row(.checking, .launched, .booting, disarm + [deadline]),
        Row(.slow, .launched, .booting, disarm + [deadline]),
        Row(.busy, .launched, .booting, disarm + [deadline]),
        Row(.unhealthy, .launched, .booting, disarm + [deadline]),
        Row(.foundReady, .launched, .booting, disarm + [deadline]),
        // The most recent request to the gateway takes precedence.
        Row(.stopping, .launched, nil, [.terminate]),
        Row(.timedOut, .launched, nil, [.terminate]),
        Row(.stoppingAndStartingAgain, .launched, .booting, over + [deadline]),
        Row(.stoppingElsewhere, .launched, .booting, over + [deadline]),
        Row(.mainProcessGone, .launched, .booting, over + [deadline]),
        Row(.crashedAndStartingAgain, .launched, .booting, over + [deadline]),

        Row(.starting, .launchFailed, failed("no."), [.disarm(.start)] + startFailed("no.")),
        Row(.recovering, .launchFailed, restarting("no.", 2), [.disarm(.start)] + restart(after: 2)),
        Row(.stopping, .launchFailed, .stopped, over),
        Row(.stoppingElsewhere, .launchFailed, .stopped, over),
        Row(.mainProcessGone, .launchFailed, .stopped, over),
        Row(.timedOut, .launchFailed, nil, over),
        Row(.stoppingAndStartingAgain, .launchFailed, nil, over + launch),
        Row(.crashedAndStartingAgain, .launchFailed, nil, over + launch),
    ]

    // MARK: Ports and their owners

    private static let announcements: [Row] =
        [
            Row(.booting, .announced, probing, [check(1)]),
            Row(.foundBooting, .announced, probing, [check(1)]),
            Row(.booting, .announcedElsewhere, failed(elsewhere), startFailed(elsewhere) + end),
            // The gateway never ends a server that it did not start.
            Row(.foundBooting, .announcedElsewhere),
            Row(.probing, .displaced), Row(.overdue, .displaced),
        ]
        + [Origin.ready, .checking, .slow, .busy, .unhealthy, .foundReady].map {
            Row(
                $0, .displaced, probing,
                [.disarm(.late), .disarm(.steady), deadline, .arm(.probe, .milliseconds(50))])
        }
}
