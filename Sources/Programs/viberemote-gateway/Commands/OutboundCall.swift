// SPDX-License-Identifier: Apache-2.0

import Locking
import Outbound

/// One outgoing request and its complete result, with a blocking wait.
struct OutboundCall {
    let head: OutboundHead?
    let body: [UInt8]
    let arrivals: StreamArrivals
    let failure: OutboundFailure?

    /// Sends the request and blocks until its end, at the latest until its own time-out.
    static func perform(_ request: OutboundRequest, of outbound: Outbound, timing arrivals: StreamArrivals)
        -> OutboundCall
    {
        let wait = OutboundWait(arrivals)
        outbound.start(request) { wait.take($0) }
        return wait.result()
    }
}

/// Collects the events from the transfers' thread.
private final class OutboundWait: Sendable {
    private struct State {
        var head: OutboundHead?
        var body: [UInt8] = []
        var arrivals: StreamArrivals
        var failure: OutboundFailure?
        var hasEnded = false
    }

    private let begun = ContinuousClock.now
    private let state: Monitor<State>

    init(_ arrivals: StreamArrivals) { state = Monitor(State(arrivals: arrivals)) }

    func take(_ event: OutboundEvent) {
        let time = ContinuousClock.now - begun
        state.withLock { state in
            switch event {
            case .head(let head): state.head = head
            case .bytes(let bytes):
                state.body += bytes
                state.arrivals.take(bytes, at: time)
            case .ended(let failure):
                state.failure = failure
                state.hasEnded = true
            }
        }
        state.notifyAll()
    }

    func result() -> OutboundCall {
        state.wait(
            until: { $0.hasEnded },
            then: { state in
                OutboundCall(head: state.head, body: state.body, arrivals: state.arrivals, failure: state.failure)
            })
    }
}
