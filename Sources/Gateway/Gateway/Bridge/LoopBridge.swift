// SPDX-License-Identifier: Apache-2.0

import Dialects
import EventLoop
internal import Instances

/// One loop's part of the bridge, with the requests that are being answered. Confined to its loop.
final class LoopBridge {
    unowned let owner: GatewayLoop
    let threads: BridgeThreads
    private var runs: [Int: BridgeRun] = [:]
    private var count = 0
    /// The requests whose bodies are still arriving.
    private var arriving: [ObjectIdentifier: BridgeExchange] = [:]
    /// The jobs that are sent to the workers at the end of the pass.
    private var thoughts: [BridgeJob] = []

    init(_ owner: GatewayLoop, _ threads: BridgeThreads) {
        self.owner = owner
        self.threads = threads
    }

    /// Registers a run. Returns its number.
    func add(_ run: BridgeRun) -> Int {
        count += 1
        runs[count] = run
        return count
    }

    func remove(_ number: Int) { runs[number] = nil }

    /// Records whether a request's body is still arriving.
    func arrives(_ exchange: BridgeExchange, _ isArriving: Bool) {
        arriving[ObjectIdentifier(exchange)] = isArriving ? exchange : nil
    }

    /// Lets a worker compute the next action of a run. `isLong` is whether other jobs should not have to wait for it.
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

    /// Checks all runs against a new routing table.
    func routesChanged() {
        for run in Array(runs.values) { run.routesChanged() }
    }

    /// Ends all requests after the time limit of the gateway's shutdown.
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
