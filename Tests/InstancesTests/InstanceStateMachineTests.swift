import Instances
import Testing

/// The transitions as a table: from a state, an event leads to a state and actions.
@Suite struct InstanceStateMachineTests {
    typealias Machine = InstanceStateMachine
    typealias Event = Machine.Event
    typealias Action = Machine.Action

    /// A way to a state, from stopped.
    enum Origin: CaseIterable {
        case stopped, starting, booting, probing, ready, stopping, stoppingAndStartingAgain, timedOut, failed, stuck

        var events: [Event] {
            switch self {
            case .stopped: []
            case .starting: [.startRequested]
            case .booting: Origin.starting.events + [.spawned(generation: 1)]
            case .probing: Origin.booting.events + [.announced(generation: 1, port: 4096)]
            case .ready: Origin.probing.events + [.probed(generation: 1, .healthy(version: "1.18.33"))]
            case .stopping: Origin.ready.events + [.stopRequested]
            case .stoppingAndStartingAgain: Origin.stopping.events + [.startRequested]
            case .timedOut: Origin.booting.events + [.fired(.start)]
            case .failed: Origin.ready.events + [Self.exit]
            case .stuck: Origin.stopping.events + [.fired(.terminate), .fired(.kill)]
            }
        }

        static var exit: Event { .exited(generation: 1, how: "exit status 1", tail: ["boom"]) }
    }

    struct Row: Sendable {
        var origin: Origin
        var event: Event
        var state: InstanceState
        var actions: [Action]
        init(_ origin: Origin, _ event: Event, _ state: InstanceState, _ actions: [Action]) {
            (self.origin, self.event, self.state, self.actions) = (origin, event, state, actions)
        }
    }

    static let limits = InstanceLimits()
    private static let ready = InstanceState.ready(port: 4096)
    private static let probing = InstanceState.probing(port: 4096)
    private static let noPort = "OpenCode did not announce its port within 30 s."
    private static let died = "OpenCode ended with exit status 1. Its last output:\nboom"
    private static let diedEarly =
        "OpenCode ended with exit status 1 before it announced its port. Its last output:\nboom"
    private static let hangs = "its process did not end within 5 s after SIGKILL: it hangs in the kernel."
    private static let disarm: [Action] = [.disarm(.start), .disarm(.probe)]
    private static let gentleEnd = disarm + [.terminate, .arm(.terminate, .seconds(10))]
    private static let hardEnd = disarm + [.kill, .arm(.kill, .seconds(5))]
    private static let ended: [Action] = [.disarm(.terminate), .disarm(.kill), .answerStops(.stopped)]
    private static let wasStopped = Action.answerStarts(
        .failed("Failed to start service: it was stopped while it was starting."))
    private static func spawn(_ generation: UInt64) -> [Action] {
        [.arm(.start, .seconds(30)), .spawn(generation: generation)]
    }
    private static func startFailed(_ reason: String) -> Action {
        .answerStarts(.failed("Failed to start service: \(reason)"))
    }

    static var table: [Row] {
        [
            // A start.
            Row(.stopped, .startRequested, .starting, [.publish] + spawn(1)),
            Row(.starting, .startRequested, .starting, []),
            Row(.booting, .startRequested, .booting, []),
            Row(.probing, .startRequested, probing, []),
            Row(.ready, .startRequested, ready, [.answerStarts(.alreadyRunning(port: 4096))]),
            Row(.failed, .startRequested, .starting, [.publish] + spawn(2)),
            Row(.stopping, .startRequested, .starting, [.publish]),
            Row(.timedOut, .startRequested, .starting, [.publish]),
            Row(.stuck, .startRequested, .failed(reason: hangs), [startFailed(hangs)]),
            // On the way to ready.
            Row(.starting, .spawned(generation: 1), .booting, [.publish]),
            Row(
                .starting, .spawnFailed(generation: 1, reason: "no."), .failed(reason: "no."),
                [.publish, .disarm(.start), startFailed("no.")]),
            Row(
                .booting, .announced(generation: 1, port: 4096), probing,
                [.publish, .probe(generation: 1, port: 4096)]),
            Row(.probing, .announced(generation: 1, port: 5000), probing, []),
            Row(
                .probing, .probed(generation: 1, .healthy(version: "1")), ready,
                [.publish] + disarm + [.answerStarts(.started(port: 4096))]),
            Row(
                .probing, .probed(generation: 1, .unhealthy(reason: "x.")), probing, [.arm(.probe, .milliseconds(50))]),
            Row(.probing, .fired(.probe), probing, [.probe(generation: 1, port: 4096)]),
            Row(.ready, .announced(generation: 1, port: 5000), ready, []),
            Row(.ready, .probed(generation: 1, .unhealthy(reason: "x.")), ready, []),
            Row(.ready, .fired(.start), ready, []),
            // Too late.
            Row(
                .booting, .fired(.start, tail: ["migrating"]), .failed(reason: noPort + " Its last output:\nmigrating"),
                [
                    .publish,
                    .answerStarts(
                        .failed("Service started but failed to get port. \(noPort) Its last output:\nmigrating")),
                ] + hardEnd),
            Row(
                .probing, .fired(.start),
                .failed(reason: "OpenCode announced port 4096 but was not healthy within 30 s: it did not answer."),
                [
                    .publish,
                    startFailed("OpenCode announced port 4096 but was not healthy within 30 s: it did not answer."),
                ] + hardEnd),
            Row(.timedOut, Origin.exit, .failed(reason: noPort), ended),
            // It ends by itself.
            Row(.booting, Origin.exit, .failed(reason: diedEarly), [.publish] + disarm + [startFailed(diedEarly)]),
            Row(.ready, Origin.exit, .failed(reason: died), [.publish] + disarm),
            // A stop.
            Row(.stopped, .stopRequested, .stopped, [.answerStops(.stopped)]),
            Row(.failed, .stopRequested, .stopped, [.publish, .answerStops(.stopped)]),
            Row(.starting, .stopRequested, .stopping, [.publish, wasStopped] + gentleEnd),
            Row(.booting, .stopRequested, .stopping, [.publish, wasStopped] + gentleEnd),
            Row(.probing, .stopRequested, .stopping, [.publish, wasStopped] + gentleEnd),
            Row(.ready, .stopRequested, .stopping, [.publish] + gentleEnd),
            Row(.stopping, .stopRequested, .stopping, []),
            Row(.stoppingAndStartingAgain, .stopRequested, .stopping, [.publish, wasStopped]),
            Row(.timedOut, .stopRequested, .stopping, [.publish]),
            Row(.stopping, .fired(.terminate), .stopping, [.kill, .arm(.kill, .seconds(5))]),
            Row(.stopping, Origin.exit, .stopped, [.publish] + ended),
            Row(.stoppingAndStartingAgain, Origin.exit, .starting, ended + spawn(2)),
            // Not even SIGKILL helps.
            Row(
                .stopping, .fired(.kill), .failed(reason: hangs),
                [.publish, .answerStops(.failed("Failed to stop service: \(hangs)"))]),
            Row(.stuck, .stopRequested, .stopping, [.publish] + hardEnd),
            Row(.stuck, Origin.exit, .stopped, [.publish]),
        ]
    }

    private func machine(_ origin: Origin) -> Machine {
        var machine = Machine(limits: Self.limits)
        for event in origin.events { _ = machine.handle(event, nextGeneration: machine.generation + 1) }
        return machine
    }

    @Test(arguments: table)
    func transition(row: Row) {
        var machine = machine(row.origin)
        let actions = machine.handle(row.event, nextGeneration: machine.generation + 1)
        #expect(machine.state == row.state)
        #expect(actions == row.actions)
    }

    @Test(arguments: Origin.allCases)
    func eventsOfAnOlderProcessChangeNothing(origin: Origin) {
        let generation: UInt64 = 77
        let events: [Event] = [
            .spawned(generation: generation), .spawnFailed(generation: generation, reason: "x"),
            .announced(generation: generation, port: 5000), .probed(generation: generation, .healthy(version: "x")),
            .exited(generation: generation, how: "x", tail: []),
        ]
        for event in events {
            var machine = machine(origin)
            let before = machine.state
            #expect(machine.handle(event, nextGeneration: 100) == [])
            #expect(machine.state == before)
        }
    }

    @Test func healthChecksComeAtGrowingDistances() {
        var machine = machine(.probing)
        var delays: [Duration] = []
        for _ in 0..<6 {
            for case .arm(.probe, let delay) in machine.handle(
                .probed(generation: 1, .unhealthy(reason: "x.")), nextGeneration: 2)
            { delays.append(delay) }
        }
        #expect(delays == [50, 100, 200, 400, 500, 500].map { .milliseconds($0) })
    }

    @Test func theLastReasonOfTheHealthCheckIsTold() {
        var machine = machine(.probing)
        _ = machine.handle(.probed(generation: 1, .unhealthy(reason: "It says 500.")), nextGeneration: 2)
        _ = machine.handle(.fired(.start), nextGeneration: 2)
        #expect(
            machine.state
                == .failed(reason: "OpenCode announced port 4096 but was not healthy within 30 s: It says 500."))
    }

    @Test func onlyAReadyInstanceHasAPortAndAVersion() {
        for origin in Origin.allCases {
            #expect(machine(origin).state.port == (origin == .ready ? 4096 : nil), "\(origin)")
        }
        #expect(machine(.ready).version == "1.18.33")
    }

    /// Whatever happens in whatever order: never a second process beside a living one, and nobody is left without an
    /// answer.
    @Test func noOrderOfEventsStartsTwoProcesses() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var machine = Machine(limits: Self.limits)
            var living: UInt64?
            var starts = 0
            var stops = 0
            for _ in 0..<30 {
                let generation = machine.generation
                var events: [Event] = [.startRequested, .stopRequested] + Machine.Timer.allCases.map { .fired($0) }
                if living == generation {
                    events += [
                        .announced(generation: generation, port: 1),
                        .probed(generation: generation, .healthy(version: "1")),
                        .probed(generation: generation, .unhealthy(reason: "x")),
                        .exited(generation: generation, how: "x", tail: []),
                    ]
                }
                var event: Event? = events.randomElement(using: &generator)
                while let current = event {
                    event = nil
                    if current == .startRequested { starts += 1 }
                    if current == .stopRequested { stops += 1 }
                    if case .exited = current { living = nil }
                    for action in machine.handle(current, nextGeneration: machine.generation + 1) {
                        switch action {
                        case .spawn(let generation):
                            #expect(living == nil)
                            living = generation
                            event = .spawned(generation: generation)
                        case .answerStarts: starts = 0
                        case .answerStops: stops = 0
                        default: break
                        }
                    }
                }
                #expect(machine.isActive == (living != nil))
                if case .stopped = machine.state { #expect(starts == 0 && stops == 0) }
            }
        }
    }
}
