import Testing

@testable import Instances
@testable import Systemd

/// What a unit's signals mean: the manager's words in, events and calls out. The words are those that systemd 252 and 257
/// were heard to say.
@Suite("A unit's life")
struct UnitStateMachineTests {
    typealias Machine = UnitStateMachine

    static let a = String(repeating: "a", count: 32)
    static let b = String(repeating: "b", count: 32)

    /// The properties of a unit in that state.
    static func properties(
        _ active: String, _ sub: String, _ invocation: String = a, pid: UInt32 = 0, result: String = "success",
        code: Int32 = 0, status: Int32 = 0
    ) -> UnitProperties {
        var properties = UnitProperties()
        (properties.activeState, properties.subState, properties.invocation) = (active, sub, invocation)
        (properties.mainProcess, properties.result) = (pid, result)
        (properties.exitCode, properties.exitStatus) = (code, status)
        (properties.mainProcessStarted, properties.restartDelay) = (1_000, 5_000_000)
        return properties
    }

    static func says(
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

    /// What a machine does about the last of these events.
    static func last(_ events: [Machine.Event]) -> [Machine.Action] {
        var machine = Machine()
        var actions: [Machine.Action] = []
        for event in events { actions = machine.handle(event) }
        return actions
    }

    /// What a machine tells about all of these events: without its calls.
    static func told(_ events: [Machine.Event]) -> [Machine.Action] {
        var machine = Machine()
        return events.flatMap { machine.handle($0) }.filter {
            switch $0 {
            case .launched, .launchFailed, .announced, .ending, .exited: true
            default: false
            }
        }
    }

    static let started: [Machine.Event] = [
        .startRequested, .startAccepted(job: "/job/1"), says("activating", "start", pid: 7),
        says("active", "running", pid: 7), .jobEnded(job: "/job/1", result: "done"),
    ]
    static let ready = started + [.announced(run: a, port: 4096)]

    @Test func aStartIsToldOfOnceWithItsProcess() {
        #expect(Self.told(Self.started) == [.launched(Self.run(Self.a, 7))])
        #expect(Self.last(Array(Self.started.prefix(1))) == [.start])
        #expect(
            Self.last(Array(Self.started.prefix(3))) == [
                .launched(Self.run(Self.a, 7)), .seekPort(Self.run(Self.a, 7)),
            ])
    }

    @Test func theFirstAnnouncementCounts() {
        #expect(Self.last(Self.ready) == [.stopSeeking(Self.a), .announced(run: Self.a, port: 4096, bySockets: false)])
        #expect(Self.last(Self.ready + [.announced(run: Self.a, port: 1)]) == [])
        #expect(
            Self.last(Self.started + [.announced(run: Self.b, port: 1)]) == [], "another run's port is not its port")
    }

    @Test func aUnitThatNobodyAskedForIsFound() {
        let events = [Self.says("active", "running", pid: 7)]
        #expect(Self.told(events) == [.launched(Self.run(Self.a, 7, found: true))])
        #expect(Self.told([.read(Self.properties("active", "running", pid: 7))]).count == 1, "so is one in the list")
    }

    @Test func halfOfTheNewsIsNotJudged() {
        var service = UnitProperties()
        service.mainProcess = 9
        let events = Self.ready + [.changed(service, isComplete: false)]
        #expect(Self.last(events) == [])
    }

    /// How a ready run ends: what is said, and what is told about it.
    static let ends: [(String, [Machine.Event], [Machine.Action])] = [
        (
            "the gateway's stop",
            [
                .stopRequested(kills: false), .stopAccepted(job: "/job/2"),
                says("deactivating", "stop-sigterm", pid: 7),
                says("inactive", "dead", code: 2, status: 15), .jobEnded(job: "/job/2", result: "done"),
            ],
            [.exited(run: a, how: "signal SIGTERM", next: .stopped)]
        ),
        (
            "a stop by hand",
            [says("deactivating", "stop-sigterm", pid: 7), says("inactive", "dead", code: 2, status: 15)],
            [.ending(run: a), .exited(run: a, how: "signal SIGTERM", next: .stopped)]
        ),
        (
            "a stop after which it ends badly",
            [
                says("deactivating", "stop-sigterm", pid: 7),
                says("failed", "failed", result: "exit-code", code: 1, status: 1),
            ],
            [.ending(run: a), .exited(run: a, how: "exit status 1", next: .stopped)]
        ),
        (
            "a stop that it ignores until systemd kills it",
            [
                says("deactivating", "stop-sigterm", pid: 7), says("deactivating", "stop-sigkill", pid: 7),
                says("failed", "failed", result: "timeout", code: 2, status: 9),
            ],
            [.ending(run: a), .exited(run: a, how: "a time-out of systemd (timeout)", next: .stopped)]
        ),
        (
            "a crash, 252",
            [says("activating", "auto-restart", result: "signal", code: 2, status: 11)],
            [.exited(run: a, how: "signal SIGSEGV", next: .restarts(after: .seconds(5)))]
        ),
        (
            "a crash, 257: failed for an instant first",
            [
                says("failed", "failed-before-auto-restart", result: "signal", code: 2, status: 11),
                says("activating", "auto-restart", result: "signal", code: 2, status: 11),
                says("activating", "auto-restart-queued", result: "signal", code: 2, status: 11),
            ],
            [.exited(run: a, how: "signal SIGSEGV", next: .restarts(after: .seconds(5)))]
        ),
        (
            "a crash that leaves processes behind: the port is nobody's at once",
            [
                says("deactivating", "final-sigterm", result: "exit-code", code: 1, status: 1),
                says("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
            ],
            [.ending(run: a), .exited(run: a, how: "exit status 1", next: .restarts(after: .seconds(5)))]
        ),
        (
            "a crash that leaves processes behind, without a restart",
            [
                says("deactivating", "final-sigterm", result: "exit-code", code: 1, status: 1),
                says("failed", "failed", result: "exit-code", code: 1, status: 1),
            ],
            [.ending(run: a), .exited(run: a, how: "exit status 1", next: .gaveUp)]
        ),
        (
            "the kernel's out-of-memory killer",
            [says("activating", "auto-restart", result: "oom-kill", code: 2, status: 9)],
            [
                .exited(
                    run: a,
                    how:
                        "the system's out-of-memory killer (oom-kill): it needed more memory than the unit's MemoryMax= "
                        + "or the machine has", next: .restarts(after: .seconds(5)))
            ]
        ),
        (
            "a core dump",
            [says("activating", "auto-restart", result: "core-dump", code: 3, status: 6)],
            [.exited(run: a, how: "signal SIGABRT (core dumped)", next: .restarts(after: .seconds(5)))]
        ),
        (
            "an end by itself, without an error",
            [says("inactive", "dead", code: 1, status: 0)], [.exited(run: a, how: "exit status 0", next: .stopped)]
        ),
        (
            "a wrong configuration, which systemd does not try again",
            [says("failed", "failed", result: "exit-code", code: 1, status: 78)],
            [.exited(run: a, how: "exit status 78 (the configuration is wrong)", next: .gaveUp)]
        ),
        (
            "a restart by hand, step by step",
            [
                says("deactivating", "stop-sigterm", pid: 7), says("inactive", "dead", code: 2, status: 15),
                says("activating", "start", b, pid: 8), says("active", "running", b, pid: 8),
            ],
            [
                .ending(run: a), .exited(run: a, how: "signal SIGTERM", next: .stopped),
                .launched(run(b, 8, found: true)),
            ]
        ),
        (
            "a restart of which only the outcome is told",
            [says("active", "running", b, pid: 8)],
            [
                .exited(run: a, how: "a restart", next: .restarts(after: nil)), .launched(run(b, 8, found: true)),
            ]
        ),
        (
            "systemd's own restart",
            [
                says("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                says("activating", "start", b, pid: 8), says("active", "running", b, pid: 8),
            ],
            [
                .exited(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .launched(run(b, 8, found: true)),
            ]
        ),
        (
            "a crash loop to its end",
            [
                says("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                says("failed", "failed", result: "start-limit-hit", code: 1, status: 1),
            ],
            [
                .exited(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .exited(
                    run: a,
                    how: "too many starts in a short time (start-limit-hit): systemd does not start it any more",
                    next: .gaveUp),
            ]
        ),
        (
            "a stop by hand while it waits for its restart",
            [
                says("activating", "auto-restart", result: "exit-code", code: 1, status: 1),
                says("inactive", "dead", code: 1, status: 1),
            ],
            [
                .exited(run: a, how: "exit status 1", next: .restarts(after: .seconds(5))),
                .exited(run: a, how: "a restart", next: .stopped),
            ]
        ),
        (
            "a reload that changes nothing",
            [says("active", "running", pid: 7), .read(properties("active", "running", pid: 7))], []
        ),
        (
            "the manager was away, and it is gone",
            [.connectionLost, .read(properties("inactive", "dead"))], [.exited(run: a, how: "a stop", next: .stopped)]
        ),
        (
            "the manager was away, and it runs as before",
            [.connectionLost, .read(properties("active", "running", pid: 7))], []
        ),
    ]

    @Test(arguments: ends)
    func everyEndIsToldOnceAndForWhatItIs(name: String, events: [Machine.Event], told: [Machine.Action]) {
        #expect(Self.told(Self.ready + events) == Self.told(Self.ready) + told, "\(name)")
    }

    /// Starts that come to nothing.
    static let failures: [(String, [Machine.Event], [Machine.Action])] = [
        ("the manager refuses", [.startRequested, .startRefused("no such unit.")], [.launchFailed("no such unit.")]),
        (
            "the program can't be executed, and systemd tries again",
            [
                .startRequested, .startAccepted(job: "/job/1"),
                says("activating", "auto-restart", result: "exit-code", code: 1, status: 203),
                .jobEnded(job: "/job/1", result: "failed"),
            ],
            [
                .launched(run(a, 0)),
                .exited(
                    run: a, how: "exit status 203 (the unit's program can't be executed)",
                    next: .restarts(after: .seconds(5))),
            ]
        ),
        (
            "it fails at once",
            [
                .startRequested, .startAccepted(job: "/job/1"),
                says("failed", "failed", result: "exit-code", code: 1, status: 78),
                .jobEnded(job: "/job/1", result: "failed"),
            ],
            [
                .launched(run(a, 0)),
                .exited(run: a, how: "exit status 78 (the configuration is wrong)", next: .gaveUp),
            ]
        ),
        (
            "a unit that it needs has failed",
            [.startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "dependency")],
            [.launchFailed("a unit that it needs has failed: see `systemctl list-dependencies`.")]
        ),
        (
            "somebody calls it off",
            [.startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "canceled")],
            [.launchFailed("its unit's start was called off: somebody has stopped it meanwhile.")]
        ),
        (
            "it ends at once without an error, before anybody has seen it",
            [
                .startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "done"),
                .read(properties("inactive", "dead", code: 1, status: 0)),
            ],
            [.launched(run(a, 0)), .exited(run: a, how: "exit status 0", next: .stopped)]
        ),
        (
            "nothing at all comes of it",
            [
                .startRequested, .startAccepted(job: "/job/1"), .jobEnded(job: "/job/1", result: "done"),
                .read(properties("inactive", "dead", "")),
            ],
            [.launchFailed(UnitMessage.nothingRuns)]
        ),
        (
            "the manager goes away meanwhile",
            [
                .startRequested, .startAccepted(job: "/job/1"), .connectionLost,
                .read(properties("inactive", "dead", "")),
            ],
            [.launchFailed(UnitMessage.nothingRuns)]
        ),
        (
            "a start is still under way when its state is read",
            [.startRequested, .startAccepted(job: "/job/1"), .read(properties("inactive", "dead"))], []
        ),
        (
            "the gateway itself calls it off",
            [
                .startRequested, .startAccepted(job: "/job/1"), .stopRequested(kills: false),
                .jobEnded(job: "/job/1", result: "canceled"), .stopAccepted(job: "/job/2"),
                .jobEnded(job: "/job/2", result: "done"),
            ],
            [.launchFailed("its unit's start was called off: somebody has stopped it meanwhile.")]
        ),
    ]

    @Test(arguments: failures)
    func aStartThatComesToNothingSaysWhy(name: String, events: [Machine.Event], told: [Machine.Action]) {
        #expect(Self.told(events) == told, "\(name)")
    }

    /// Which calls a start makes of a unit in this state.
    @Test(
        arguments: [
            ([], [.start]),
            ([says("inactive", "dead")], [.start]),
            ([says("failed", "failed", result: "start-limit-hit")], [.resetFailed, .start]),
            ([says("activating", "auto-restart", result: "exit-code")], [.restart]),
            ([says("deactivating", "stop-sigterm", pid: 7)], [.start]),
            (
                [says("active", "running", pid: 7), .announced(run: a, port: 4096)],
                [.launched(run(a, 7, found: true)), .announced(run: a, port: 4096, bySockets: false)]
            ),
        ] as [([Machine.Event], [Machine.Action])])
    func aStartSuitsTheState(events: [Machine.Event], calls: [Machine.Action]) {
        #expect(Self.last(events + [.startRequested]) == calls)
    }

    @Test func aKillStopsTooOrSystemdWouldStartItAgain() {
        #expect(Self.last(Self.ready + [.stopRequested(kills: true)]) == [.stop, .kill])
        #expect(Self.last(Self.ready + [.stopRequested(kills: false), .stopRequested(kills: true)]) == [.kill])
    }

    @Test func aStopOfWhatIsNotThereIsAnsweredToo() {
        let crashed = Self.ready + [Self.says("activating", "auto-restart", result: "exit-code", code: 1, status: 1)]
        #expect(
            Self.last(crashed + [.stopRequested(kills: false), .stopRefused])
                == [.exited(run: Self.a, how: "a stop", next: .stopped)])
    }

    @Test func aUnitThatWasFailedBeforeIsToldOfWithItsReason() {
        let failed = Self.properties("failed", "failed", result: "exit-code", code: 1, status: 1)
        #expect(
            Self.told([.read(failed)]) == [
                .launched(Self.run(Self.a, 0, found: true)),
                .exited(run: Self.a, how: "exit status 1", next: .gaveUp),
            ])
        #expect(Self.told([.read(Self.properties("inactive", "dead", code: 1))]) == [], "a run of long ago is no news")
    }

    @Test func anOverduePortIsLookedForAmongTheSocketsOfThatRunOnly() {
        let run = Self.run(Self.a, 7)
        #expect(Self.last(Self.started + [.portOverdue(run: Self.a)]) == [.searchSockets(run)])
        #expect(Self.last(Self.ready + [.portOverdue(run: Self.a)]) == [], "it is known")
        #expect(Self.last(Self.started + [.portOverdue(run: Self.b)]) == [], "that one is gone")
        let searched = Self.started + [.portOverdue(run: Self.a), .socketsSearched(run: Self.a, port: nil)]
        #expect(Self.last(searched) == [.searchLater(run, times: 1)])
        #expect(
            Self.last(searched + [.socketsSearched(run: Self.a, port: 5000)])
                == [.stopSeeking(Self.a), .announced(run: Self.a, port: 5000, bySockets: true)])
    }
}
