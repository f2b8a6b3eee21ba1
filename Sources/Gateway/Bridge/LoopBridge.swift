import Dialects
import EventLoop
internal import Instances

/// One loop's side of the bridge: the requests that are answered at this moment. Confined to its loop.
final class LoopBridge {
    unowned let owner: GatewayLoop
    let threads: BridgeThreads
    private var runs: [Int: BridgeRun] = [:]
    private var count = 0
    /// Requests whose bodies are still on their way.
    private var arriving: [ObjectIdentifier: BridgeExchange] = [:]
    /// What the workers are asked for at the end of the pass.
    private var thoughts: [BridgeJob] = []

    init(_ owner: GatewayLoop, _ threads: BridgeThreads) { (self.owner, self.threads) = (owner, threads) }

    /// A run begins; its number.
    func add(_ run: BridgeRun) -> Int {
        count += 1
        runs[count] = run
        return count
    }

    func remove(_ number: Int) { runs[number] = nil }

    /// A request's body is still on its way, or not any more.
    func arrives(_ exchange: BridgeExchange, _ isArriving: Bool) {
        arriving[ObjectIdentifier(exchange)] = isArriving ? exchange : nil
    }

    /// Has a worker find out what is next for a run; `isLong`: others should not have to wait for it.
    func think(_ number: Int, isLong: Bool, _ next: @escaping BridgeAction.Next) {
        guard let mailbox = owner.mailbox else { return }
        if thoughts.isEmpty { owner.loop.atEndOfPass(self) }
        thoughts.append(BridgeJob(run: number, loop: mailbox, isLong: isLong, next: next))
    }

    func receive(_ message: BridgeMessage) {
        switch message {
        case .steps(let steps): for step in steps { runs[step.run]?.take(step.action) }
        case .streamed(let number): runs[number]?.streamed()
        case .turn(let number, let session):
            if let run = runs[number] { run.takeTurn(of: session) } else { threads.turns.give(session) }
        }
    }

    /// Instances are others perhaps.
    func routesChanged() {
        for run in Array(runs.values) { run.routesChanged() }
    }

    /// The time for what still runs is over.
    func breakOff() {
        for run in Array(runs.values) { run.failAtTheEnd() }
        for exchange in Array(arriving.values) { exchange.giveUp() }
    }
}

extension LoopBridge: PassHandler {
    func passEnded() {
        threads.think(thoughts)
        thoughts.removeAll(keepingCapacity: true)
    }
}
