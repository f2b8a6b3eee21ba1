// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

/// Tests the end of a response that is written to the socket directly.
@Suite struct DetachedStateTests {
    typealias State = DetachedState

    private static func state(_ phase: State.Phase, handsBack: Bool = false, endsByClosing: Bool = false) -> State {
        var state = State()
        state.isReusable = handsBack
        state.endsByClosing = endsByClosing
        switch phase {
        case .open: break
        case .ending: _ = state.on(.finish)
        case .breaking: _ = state.on(.abort)
        case .lingering:
            _ = state.on(.finish)
            _ = state.on(.written, isDraining: true)
        case .closed: _ = state.on(.close)
        }
        #expect(state.phase == phase)
        return state
    }

    @Test(arguments: State.Phase.allCases)
    func `each event has its defined effect in each phase of a detached connection`(phase: State.Phase) {
        let effects: [State.Phase: [State.Event: State.Effect]] = [
            .open: [
                .finish: .writeRemainder, .abort: .writeRemainder, .clientDisconnected: .close, .timedOut: .close,
                .close: .close,
            ],
            .ending: [
                .written: .linger, .input: .discardInput, .clientDisconnected: .close, .timedOut: .close,
                .close: .close,
            ],
            .breaking: [.written: .linger, .clientDisconnected: .close, .timedOut: .close, .close: .close],
            .lingering: [.input: .discardInput, .clientDisconnected: .close, .timedOut: .close, .close: .close],
            .closed: [:],
        ]

        for event in State.Event.allCases {
            var state = Self.state(phase)
            #expect(state.on(event) == effects[phase]?[event] ?? .nothing, "\(event) in \(phase)")
        }
    }

    @Test func `the connection is returned for the next request once after a whole response`() {
        var state = Self.state(.ending, handsBack: true)

        // The first bytes of the next request remain in the socket's buffer.
        #expect(state.on(.input) == .nothing)
        #expect(state.on(.written) == .returnSocket)
        #expect(state.phase == .closed)
        #expect(state.on(.written) == .nothing)
        #expect(state.on(.close) == .nothing)
    }

    @Test func `no connection is returned for another request while the server drains`() {
        var state = Self.state(.ending, handsBack: true)

        #expect(state.on(.written, isDraining: true) == .linger)
    }

    @Test func `a connection with a broken response lingers or is reset and is never reused`() {
        var state = Self.state(.breaking, handsBack: true)

        #expect(state.on(.written) == .linger)
        #expect(!Self.state(.breaking, handsBack: true).isWhole)

        var reset = Self.state(.breaking, endsByClosing: true)

        #expect(reset.on(.written) == .reset)
        #expect(reset.on(.timedOut) == .reset)
        #expect(reset.on(.close) == .close)
    }
}
