// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

/// Tests the progress of a client's request, and the valid calls of each phase, directly on the state table.
@Suite struct RequestStateTests {
    typealias State = RequestState

    /// Returns a request that has reached this phase in the ordinary way. From `handedOver` on, its body is complete
    /// unless `isUpload` is set.
    private static func state(_ phase: State.Phase, isUpload: Bool = false) -> State {
        var state = State()
        guard phase != .idle else { return state }
        _ = state.on(.lineRead)
        _ = state.on(.headAccepted)
        guard phase != .receiving else { return state }
        _ = state.on(isUpload ? .bodyOutgrown : .bodyEnded)
        switch phase {
        case .decided: _ = state.call(.startResponse)
        case .answering:
            _ = state.call(.startResponse)
            _ = state.on(.answerQueued)
        case .detached: _ = state.on(.socketDetached)
        case .idle, .receiving, .handedOver: break
        }
        return state
    }

    @Test func `an ordinary request is handed over, answered and recorded`() {
        var state = State()
        for (event, phase, effect) in [
            (.lineRead, .idle, .nothing), (.headAccepted, .receiving, .nothing), (.bodyEnded, .handedOver, .handOver),
        ] as [(State.Event, State.Phase, State.Effect)] {
            #expect(state.on(event) == effect)
            #expect(state.phase == phase)
        }

        #expect(state.call(.respond) == .accepted)
        #expect(state.phase == .decided)
        #expect(state.on(.answerQueued) == .nothing)
        #expect(state.phase == .answering)
        #expect(state.on(.completed) == .record)
        #expect(state.phase == .idle)

        _ = state.on(.lineRead)

        #expect(!state.isBodyComplete)
        #expect(state.answerBody == .open)
    }

    @Test(arguments: State.Phase.allCases) func `each call is accepted only in its phases once the body is complete`(
        phase: State.Phase
    ) {
        let legal: [State.Phase: Set<State.Call>] = [
            .handedOver: Set(State.Call.allCases), .decided: [.write, .finish, .abort],
            .answering: [.write, .finish, .abort],
        ]

        for call in State.Call.allCases {
            var state = Self.state(phase)
            let isLegal = legal[phase]?.contains(call) ?? false
            #expect(state.call(call) == (isLegal ? .accepted : .ignored), "\(call) in \(phase)")
            if !isLegal { #expect(state == Self.state(phase), "\(call) in \(phase) changes nothing") }
        }
    }

    @Test(arguments: State.Phase.allCases)
    func `every call is ignored after the connection is aborted`(phase: State.Phase) {
        for call in State.Call.allCases {
            var state = Self.state(phase)
            #expect(state.on(.cut) == .abandon)
            #expect(state.isClosing)
            #expect(state.answerBody == .broken)
            #expect(state.call(call) == .ignored, "\(call) in \(phase)")
        }
    }

    @Test func `a response before the request's end requires the socket`() {
        var state = Self.state(.handedOver, isUpload: true)

        #expect(state.call(.respond) == .needsSocket)
        #expect(state.phase == .handedOver)
        #expect(state.call(.detach) == .accepted)
        #expect(state.on(.socketDetached) == .nothing)
        #expect(state.phase == .detached)
        // The library's placeholder for the connection is cleaned up. The new owner of the socket records the request.
        #expect(state.on(.completed) == .nothing)
        #expect(state.on(.clientEnded) == .nothing)
    }

    @Test func `a request is answered at most once`() {
        for first in [State.Call.respond, .startResponse, .upgrade] {
            for second in [State.Call.respond, .startResponse, .upgrade, .detach, .dropWaitingAnswer] {
                var state = Self.state(.handedOver)
                #expect(state.call(first) == .accepted)
                #expect(state.call(second) == .ignored, "\(first), \(second)")
                #expect(state.phase == .decided)
            }
        }
    }

    @Test func `a response that is finished before it begins is sent whole`() {
        var state = Self.state(.handedOver)

        #expect(state.call(.write) == .accepted)
        #expect(state.call(.finish) == .accepted)
        #expect(state.answerBody == .ended)
        #expect(state.call(.startResponse) == .accepted)

        for late in [State.Call.write, .finish, .abort] { #expect(state.call(late) == .ignored) }

        #expect(state.answerBody == .ended)
    }

    @Test func `the first end of a response's body is final`() {
        for (first, second, body) in [
            (.finish, .abort, .ended), (.abort, .finish, .broken), (.abort, .write, .broken),
        ] as [(State.Call, State.Call, State.AnswerBody)] {
            var state = Self.state(.answering)
            #expect(state.call(first) == .accepted)
            #expect(state.call(second) == .ignored)
            #expect(state.answerBody == body)
        }
    }

    @Test func `a waiting response is discarded with its end before another response`() {
        var state = Self.state(.handedOver)
        _ = state.call(.write)
        _ = state.call(.finish)

        #expect(state.call(.dropWaitingAnswer) == .accepted)
        #expect(state.answerBody == .open)
        #expect(state.call(.respond) == .accepted)
    }

    @Test(arguments: State.Phase.allCases) func `the client's end abandons a request only while it is with its handler`(
        phase: State.Phase
    ) {
        let effects: [State.Phase: State.Effect] = [.idle: .hurry, .receiving: .hurry, .detached: .nothing]
        var state = Self.state(phase)

        #expect(state.on(.clientEnded) == effects[phase] ?? .abandon)
        #expect(state.isClosing == (effects[phase] == nil))
    }

    @Test(arguments: State.Phase.allCases)
    func `a completed request is recorded unless there was none or its socket was handed over`(phase: State.Phase) {
        let effects: [State.Phase: State.Effect] = [.idle: .noRequest, .detached: .nothing]
        var state = Self.state(phase)

        #expect(state.on(.completed) == effects[phase] ?? .record)
        #expect(state.phase == (phase == .detached ? .detached : .idle))
    }

    @Test func `a long body is handed over before its end, and later parts notify the exchange`() {
        var state = Self.state(.receiving)

        #expect(state.on(.bodyOutgrown) == .handOver)
        #expect(!state.isBodyComplete)
        #expect(state.on(.bodyOutgrown) == .notifyExchange)
        #expect(state.on(.bodyEnded) == .notifyExchange)
        #expect(state.isBodyComplete)
    }

    @Test func `a rejected head is answered on the socket`() {
        var state = State()
        _ = state.on(.lineRead)

        #expect(state.on(.headRefused) == .nothing)
        #expect(state.call(.respond) == .needsSocket)
        #expect(state.call(.detach) == .accepted)
    }

    @Test(arguments: Deadline.allCases, [false, true])
    func `each expired deadline has its own effect, and after the client's end it closes the connection`(
        deadline: Deadline, hasInput: Bool
    ) {
        let expected: Deadline.Expiry =
            switch deadline {
            case .none: .nothing
            case .head: hasInput ? .requestTimeout : .cut
            case .idle: .cut
            case .body: .requestTimeout
            case .send: .sendTimeout
            case .refusedBody: .earlyRefusal
            }

        #expect(deadline.expiry(hasInput: hasInput, peerClosed: false) == expected)
        #expect(deadline.expiry(hasInput: hasInput, peerClosed: true) == .cut)
    }
}
