// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Testing

@Suite struct InstanceStateMachineTests {
    typealias Machine = InstanceStateMachine
    typealias Event = Machine.Event
    typealias Action = Machine.Action

    @Test(arguments: Origin.allCases)
    func `each event in each state causes the transition in the table`(from origin: Origin) {
        for stimulus in Stimulus.allCases {
            var machine = origin.machine()
            let before = machine.state
            let actions = machine.handle(stimulus.event(at: origin))
            let rows = TransitionTable.all.filter { $0.origin == origin && $0.stimulus == stimulus }
            #expect(rows.count <= 1)
            let state = rows.first?.state ?? before
            let comment = Comment(rawValue: "\(origin) × \(stimulus)")
            #expect(machine.state == state, comment)
            #expect(actions == (state == before ? [] : [.publish]) + (rows.first?.actions ?? []), comment)
        }
    }

    @Test(arguments: Origin.allCases)
    func `a report about an older run or check changes nothing`(origin: Origin) {
        let events: [Event] = [
            .announced(run: "older", address: .loopback(5000)), .ending(run: "older"),
            .probed(0, .healthy(version: "x")), .probed(77, .unauthorized(reason: "x.")),
        ]
        let late: [Event] =
            origin == .starting || origin == .recovering
            ? [] : [.exited(run: "older", how: "x", tail: [], next: .failed)]

        for event in events + late {
            var machine = origin.machine()
            let before = machine.state
            #expect(machine.handle(event) == [], "\(origin) × \(event)")
            #expect(machine.state == before)
        }
    }

    @Test(arguments: Origin.allCases)
    func `a run that is reported twice is one run`(origin: Origin) {
        var machine = origin.machine()
        guard let run = machine.currentRun else { return }
        let before = machine.state

        #expect(machine.handle(.launched(run: run)) == [])
        #expect(machine.state == before)
    }

    @Test(arguments: [Origin.stopping, .stoppingElsewhere, .stoppingAndStartingAgain])
    func `a second stop that fails returns the instance to probing at its port`(origin: Origin) {
        var machine = origin.machine()
        _ = machine.handle(.stopRequested)
        _ = machine.handle(.stopFailed(reason: "denied."))

        #expect(machine.claimedAddress == .loopback(4096))
        #expect(machine.state == TransitionTable.probing)
    }

    /// How the previous server ended before the following start, and the reason if it ended by itself; nil if it was
    /// stopped.
    @Test(arguments: [
        (Origin.crashedAndStartingAgain, Stimulus.exitedFailed, TransitionTable.died as String?),
        (.crashedAndStartingAgain, .exitedRestarts, TransitionTable.died),
        (.crashedAndStartingAgain, .exitedGaveUp, TransitionTable.died),
        // The next run is reported before it is known how this run has ended.
        (.crashedAndStartingAgain, .launched, "OpenCode exited."),
        // The service manager has ended the server.
        (.crashedAndStartingAgain, .exitedStopped, nil),
        (.stoppingAndStartingAgain, .exitedFailed, nil), (.stoppingAndStartingAgain, .exitedStopped, nil),
    ])
    func `a start that waited for the previous run's end knows whether that run failed`(
        _ origin: Origin, _ stimulus: Stimulus, _ failure: String?
    ) {
        var machine = origin.machine().handled(stimulus.event(at: origin))

        #expect(machine.failureBefore == failure)

        // The reason does not apply to the start after the next end.
        let exit = Event.exited(run: "c", how: "x", tail: [], next: .stopped)
        for event in [.launched(run: "c"), .stopRequested, exit, .startRequested] { _ = machine.handle(event) }

        #expect(machine.state == .starting)
        #expect(machine.failureBefore == nil)
    }

    @Test func `only an instance that was healthy has a port`() {
        for origin in Origin.allCases {
            let hasPort = [.ready, .checking, .slow, .busy, .unhealthy, .foundReady].contains(origin)
            #expect(origin.machine().state.address?.port == (hasPort ? 4096 : nil), "\(origin)")
        }

        #expect(Origin.ready.machine().version == "1.18.33")
        #expect(Origin.ready.machine().handled(.launched(run: "b")).version == nil)
    }

    @Test func `the list of state names is complete`() {
        #expect(Set(Origin.allCases.map { $0.machine().state.name }) == Set(InstanceState.names))
    }

    // MARK: Answers to callers

    @Test func `callers of one start share its time limit and its result`() {
        var machine = Origin.starting.machine()

        #expect(machine.handle(.startRequested) == [])

        _ = machine.handle(.launched(run: "a"))

        #expect(machine.handle(.fired(.answer)) == TransitionTable.answer(.pending(.booting)))
        // A repeated request gets the whole time limit again. The start has already continued.
        #expect(machine.handle(.startRequested) == TransitionTable.wait)

        _ = machine.handle(.announced(run: "a", address: .loopback(4096)))
        let actions = machine.handle(.probed(1, .healthy(version: "1")))

        #expect(actions.contains(.answerStarts(.started(address: .loopback(4096)))))
    }

    @Test func `a start of a found instance is answered as already running`() {
        var machine = Origin.foundBooting.machine()
        _ = machine.handle(.startRequested)
        _ = machine.handle(.announced(run: "a", address: .loopback(4096)))
        let actions = machine.handle(.probed(1, .healthy(version: "1")))

        #expect(actions.contains(.answerStarts(.alreadyRunning(address: .loopback(4096)))))
    }

    @Test func `the error of a start without a port has the supervisor's log command`() {
        var machine = Origin.booting.machine(logCommand: "journalctl --user -u opencode@demo")
        let actions = machine.handle(.fired(.start, tail: ["migrating"]))

        #expect(
            actions.contains(
                .answerStarts(
                    .failed(
                        "Service started but failed to get port. "
                            + "Check logs with: journalctl --user -u opencode@demo"))))
        #expect(machine.lastError == TransitionTable.noPortWithTail)
    }

    // MARK: Health checks of a start

    @Test func `health checks of a start are sent at growing intervals`() {
        var machine = Origin.probing.machine()
        var delays: [Duration] = []
        for number in 1...6 {
            for case .arm(.probe, let delay) in machine.handle(.probed(UInt64(number), .silent(reason: "x."))) {
                delays.append(delay)
            }
            #expect(machine.handle(.fired(.probe)) == [TransitionTable.check(UInt64(number + 1))])
        }

        #expect(delays == [50, 100, 200, 400, 500, 500].map { .milliseconds($0) })
    }

    @Test(arguments: [
        HealthFinding.unhealthy(reason: "It says 500."), .unauthorized(reason: "It says 401."),
        .silent(reason: "It hangs."),
    ])
    func `the last reason of the health check is reported`(outcome: HealthFinding) {
        let reason =
            switch outcome {
            case .unhealthy(let reason), .unauthorized(let reason), .silent(let reason): reason
            case .healthy: ""
            }
        var machine = Origin.probing.machine()
        _ = machine.handle(.probed(1, outcome))

        #expect(machine.lastError == reason)

        _ = machine.handle(.fired(.start))

        #expect(
            machine.state
                == .failed(reason: "OpenCode announced port 4096 but was not healthy within 30 s: \(reason)"))
        // A problem during the start is forgotten when the start succeeds.
        #expect(Origin.ready.machine().lastError == nil)
    }

    /// No order of events leads to a second server beside a running one, and every caller receives an answer.
    @Test func `no order of events starts two servers, and every caller receives an answer`() {
        var generator = SystemRandomNumberGenerator()

        for _ in 0..<2_000 {
            var machine = Machine(limits: .tested)
            var living: String?
            var count = 0
            var callers = (starts: 0, stops: 0)
            for _ in 0..<40 {
                var events: [Event] = [.startRequested, .stopRequested] + Machine.Timer.allCases.map { .fired($0) }
                if let living {
                    events += [
                        .announced(run: living, address: .loopback(1)),
                        .probed(machine.checkNumber, .healthy(version: "1")),
                        .probed(machine.checkNumber, .unauthorized(reason: "x")), .displaced(by: "beta"),
                        .exited(run: living, how: "x", tail: [], next: .failed),
                        .exited(run: living, how: "x", tail: [], next: .stopped),
                        .measured(quiet: .seconds(60), progressed: false),
                    ]
                }
                var event: Event? = events.randomElement(using: &generator)
                while let current = event {
                    event = nil
                    if current == .startRequested { callers.starts += 1 }
                    if current == .stopRequested { callers.stops += 1 }
                    if case .supervised(.exited) = current { living = nil }
                    for action in machine.handle(current) {
                        switch action {
                        case .launch:
                            #expect(living == nil)
                            count += 1
                            living = "\(count)"
                            event = .launched(run: "\(count)")
                        case .answerStarts: callers.starts = 0
                        case .answerStops: callers.stops = 0
                        default: break
                        }
                    }
                }
                #expect((machine.currentRun != nil) == (living != nil))
                switch machine.state {
                case .stopped: #expect(callers == (0, 0))
                case .failed: if !machine.isActive { #expect(callers == (0, 0)) }
                case .ready, .busy, .unhealthy: #expect(callers.starts == 0)
                default: break
                }
            }
        }
    }
}

extension InstanceStateMachine {
    /// Returns the machine after this event.
    func handled(_ event: Event) -> InstanceStateMachine {
        var machine = self
        _ = machine.handle(event)
        return machine
    }

    /// The number of the health check whose result is pending; 0 if no result is pending.
    var checkNumber: UInt64 {
        // In a debug build, this loop takes a tenth of the time of `first(where:)`.
        var number: UInt64 = 1
        while number <= 100 {
            if isWaiting(for: number) { return number }
            number += 1
        }
        return 0
    }
}
