/// One instance's life as a pure value: it takes what happened and returns what is to be done.
///
///     stopped → starting → booting → probing → ready → stopping → stopped
///                   ↘ failed ← whenever it ends, or is not ready in time, without having been asked to end
///
/// At most one process exists at any time: a start that comes while an old one still ends waits for its end. Events
/// of an older process than the current one are ignored by their generation.
package struct InstanceStateMachine: Sendable {
    private enum Phase: Equatable {
        case stopped
        case failed(reason: String)
        case starting
        case booting
        case probing(port: UInt16, delay: Duration, lastReason: String)
        case ready(port: UInt16)
        /// It is on its way out. With `failure` it was not asked to end and counts as failed already.
        case ending(failure: String?, startsAgain: Bool)
        /// Not even SIGKILL ended it. Nothing else is started for its folder before it is gone.
        case stuck(reason: String)
    }

    private let limits: InstanceLimits
    private var phase = Phase.stopped
    /// The number of the current or last process; a new one for each start.
    package private(set) var generation: UInt64 = 0
    /// OpenCode's version, as the current process said it.
    package private(set) var version: String?

    /// The machine of an instance that does not run.
    package init(limits: InstanceLimits) { self.limits = limits }

    /// The state as others see it.
    package var state: InstanceState {
        switch phase {
        case .stopped: .stopped
        case .failed(let reason), .stuck(let reason), .ending(let reason?, startsAgain: false): .failed(reason: reason)
        case .starting, .ending(_, startsAgain: true): .starting
        case .booting: .booting
        case .probing(let port, _, _): .probing(port: port)
        case .ready(let port): .ready(port: port)
        case .ending(nil, startsAgain: false): .stopping
        }
    }

    /// Whether a process of it exists, or is about to.
    package var isActive: Bool {
        switch phase {
        case .stopped, .failed: false
        default: true
        }
    }

    /// Takes one event; returns what to do about it. `nextGeneration` is used when that is to spawn.
    package mutating func handle(_ event: Event, nextGeneration: UInt64) -> [Action] {
        let before = state
        var actions: [Action]
        switch event {
        case .startRequested: actions = requestStart(nextGeneration)
        case .stopRequested: actions = requestStop()
        case .fired(let timer, let tail): actions = fire(timer, tail)
        case .spawned(generation), .spawnFailed(generation, _), .announced(generation, _), .probed(generation, _),
            .exited(generation, _, _):
            actions = observe(event, nextGeneration)
        default: actions = []
        }
        // Others see the new state before anybody acts on an answer.
        if state != before { actions.insert(.publish, at: 0) }
        return actions
    }

    // MARK: Requests

    private mutating func requestStart(_ next: UInt64) -> [Action] {
        switch phase {
        case .stopped, .failed: return spawn(next)
        case .starting, .booting, .probing: return []
        case .ready(let port): return [.answerStarts(.alreadyRunning(port: port))]
        case .ending(let failure, _):
            phase = .ending(failure: failure, startsAgain: true)
            return []
        case .stuck(let reason): return [.answerStarts(.failed(InstanceMessage.startFailed(reason)))]
        }
    }

    private mutating func spawn(_ next: UInt64) -> [Action] {
        generation = next
        version = nil
        phase = .starting
        return [.arm(.start, limits.start), .spawn(generation: next)]
    }

    private mutating func requestStop() -> [Action] {
        let stopped = StartAnswer.failed(InstanceMessage.startFailed("it was stopped while it was starting."))
        switch phase {
        case .stopped, .failed:
            phase = .stopped
            return [.answerStops(.stopped)]
        case .starting, .booting, .probing:
            return [.answerStarts(stopped)] + end(failure: nil, gently: true)
        case .ready: return end(failure: nil, gently: true)
        case .ending(_, let startsAgain):
            phase = .ending(failure: nil, startsAgain: false)
            return startsAgain ? [.answerStarts(stopped)] : []
        case .stuck: return end(failure: nil, gently: false)
        }
    }

    /// The way out of every phase with a process.
    private mutating func end(failure: String?, gently: Bool) -> [Action] {
        phase = .ending(failure: failure, startsAgain: false)
        let signal: [Action] =
            gently ? [.terminate, .arm(.terminate, limits.stop)] : [.kill, .arm(.kill, limits.kill)]
        return [.disarm(.start), .disarm(.probe)] + signal
    }

    // MARK: The process

    private mutating func observe(_ event: Event, _ next: UInt64) -> [Action] {
        switch (event, phase) {
        case (.spawned, .starting):
            phase = .booting
            return []
        case (.spawnFailed(_, let reason), .starting):
            phase = .failed(reason: reason)
            return [.disarm(.start), .answerStarts(.failed(InstanceMessage.startFailed(reason)))]
        case (.spawnFailed, .ending): return ended(next)
        case (.announced(let generation, let port), .booting):
            phase = .probing(port: port, delay: limits.firstProbeDelay, lastReason: "it did not answer.")
            return [.probe(generation: generation, port: port)]
        case (.probed(_, .healthy(let version)), .probing(let port, _, _)):
            self.version = version
            phase = .ready(port: port)
            return [.disarm(.start), .disarm(.probe), .answerStarts(.started(port: port))]
        case (.probed(_, .unhealthy(let reason)), .probing(let port, let delay, _)):
            phase = .probing(port: port, delay: min(delay * 2, limits.longestProbeDelay), lastReason: reason)
            return [.arm(.probe, delay)]
        case (.exited(_, let how, let tail), _): return exit(how, tail, next)
        default: return []
        }
    }

    private mutating func exit(_ how: String, _ tail: [String], _ next: UInt64) -> [Action] {
        let reason: String
        switch phase {
        case .ending: return ended(next)
        case .stuck:
            phase = .stopped
            return []
        case .starting, .booting: reason = "OpenCode ended with \(how) before it announced its port."
        case .probing: reason = "OpenCode ended with \(how) before it was ready."
        case .ready: reason = "OpenCode ended with \(how)."
        case .stopped, .failed: return []
        }
        let withTail = Self.append(tail, to: reason)
        let wasReady = state.port != nil
        phase = .failed(reason: withTail)
        let answer: [Action] = wasReady ? [] : [.answerStarts(.failed(InstanceMessage.startFailed(withTail)))]
        return [.disarm(.start), .disarm(.probe)] + answer
    }

    private mutating func ended(_ next: UInt64) -> [Action] {
        guard case .ending(let failure, let startsAgain) = phase else { return [] }
        phase = failure.map { .failed(reason: $0) } ?? .stopped
        let over: [Action] = [.disarm(.terminate), .disarm(.kill), .answerStops(.stopped)]
        return startsAgain ? over + spawn(next) : over
    }

    // MARK: Time

    private mutating func fire(_ timer: Timer, _ tail: [String]) -> [Action] {
        switch (timer, phase) {
        case (.start, .starting), (.start, .booting):
            let reason = Self.append(tail, to: "OpenCode did not announce its port within \(limits.start.inWords).")
            return [.answerStarts(.failed(InstanceMessage.noPort(reason)))] + end(failure: reason, gently: false)
        case (.start, .probing(let port, _, let last)):
            let reason = Self.append(
                tail, to: "OpenCode announced port \(port) but was not healthy within \(limits.start.inWords): \(last)")
            return [.answerStarts(.failed(InstanceMessage.startFailed(reason)))] + end(failure: reason, gently: false)
        case (.probe, .probing(let port, _, _)): return [.probe(generation: generation, port: port)]
        case (.terminate, .ending): return [.kill, .arm(.kill, limits.kill)]
        case (.kill, .ending(_, let startsAgain)):
            let reason = "its process did not end within \(limits.kill.inWords) after SIGKILL: it hangs in the kernel."
            phase = .stuck(reason: reason)
            let stops = Action.answerStops(.failed(InstanceMessage.stopFailed(reason)))
            return startsAgain ? [stops, .answerStarts(.failed(InstanceMessage.startFailed(reason)))] : [stops]
        default: return []
        }
    }

    private static func append(_ tail: [String], to reason: String) -> String {
        tail.isEmpty ? reason : "\(reason) Its last output:\n" + tail.joined(separator: "\n")
    }
}

extension Duration {
    /// Seconds as a person writes them: `30 s`, `0.5 s`.
    fileprivate var inWords: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
