// SPDX-License-Identifier: Apache-2.0

import Locking
import Outbound

/// The complete result of an outgoing request.
struct OutboundCall {
    let head: OutboundHead?
    let body: [UInt8]
    let arrivals: StreamArrivals
    let failure: OutboundFailure?

    /// Sends the request and blocks until the request ends. The request's own time-out limits the wait.
    static func perform(_ request: OutboundRequest, of outbound: Outbound, timing arrivals: StreamArrivals)
        -> OutboundCall
    {
        let wait = OutboundWait(arrivals)
        outbound.start(request) { wait.receive($0) }
        return wait.result()
    }
}

/// A collector of the events that the transfer thread delivers.
private final class OutboundWait: Sendable {
    private struct State {
        var head: OutboundHead?
        var body: [UInt8] = []
        var arrivals: StreamArrivals
        var failure: OutboundFailure?
        var hasEnded = false
    }

    private let startTime = ContinuousClock.now
    private let state: Monitor<State>

    init(_ arrivals: StreamArrivals) { state = Monitor(State(arrivals: arrivals)) }

    func receive(_ event: OutboundEvent) {
        let time = ContinuousClock.now - startTime
        state.withLock { state in
            switch event {
            case .head(let head): state.head = head
            case .bytes(let bytes):
                state.body += bytes
                state.arrivals.record(bytes, at: time)
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
