// SPDX-License-Identifier: Apache-2.0

import HTTPClient
import HTTPServer
import Testing

@testable import Proxying

/// The states of a forwarded request, and the action after each event.
@Suite struct ProxyExchangeStateTests {
    typealias State = ProxyExchangeState

    private static let length = BodyLength.known(10)
    private static let noBody = BodyLength.none(announced: nil)
    private static let closed = UpstreamFailure.noAnswer("the connection was closed")
    private static let broken = UpstreamFailure.brokenBody("the connection was closed")

    /// Returns the state of a request that was sent.
    private static func awaited(isUploading: Bool = false) -> State {
        var state = State()
        state.start(isUploading: isUploading, mayBeReceived: true)
        return state
    }

    /// Returns the state of a response that is held back.
    private static func held(_ length: BodyLength, isUploading: Bool = false) -> State {
        var state = awaited(isUploading: isUploading)
        _ = state.receiveHead(isEventStream: false, status: 200, length: length, canBegin: true)
        return state
    }

    private static var sending: State {
        var state = held(length)
        _ = state.startHeldAnswer()
        return state
    }

    private static func detached(isStream: Bool) -> State {
        var state = awaited()
        state.recordDetached(isStream: isStream)
        return state
    }

    /// Returns the state of a request whose instance closed the connection.
    private static var lost: State {
        var state = awaited()
        _ = state.recordLoss(closed, isStopKnown: false, isRouted: true)
        return state
    }

    private static var ended: State {
        var state = sending
        _ = state.end()
        return state
    }

    // MARK: The head

    @Test(arguments: [
        (false, false, false, State.HeadVerdict.accept), (true, false, false, .accept), (false, true, false, .accept),
        (true, true, false, .abort), (false, false, true, .reportForeignServer), (true, true, true, .abort),
    ])
    func `a response head is accepted unless its stream would end or another server sent the head`(
        isEventStream: Bool, isDraining: Bool, refusesPassword: Bool, expected: State.HeadVerdict
    ) {
        let verdict = Self.awaited().judgeHead(
            isEventStream: isEventStream, isDraining: isDraining, refusesPassword: refusesPassword)

        #expect(verdict == expected)
    }

    @Test(arguments: [
        // An event stream is sent on the client's socket, whatever libmicrohttpd could do.
        (true, 200, false, true, State.Delivery.stream), (true, 200, true, false, .stream),
        (false, 200, false, true, .hold), (false, 404, false, true, .hold), (false, 200, true, true, .hold),
        (false, 299, true, true, .hold),
        // The remainder of an upload is not needed.
        (false, 300, true, true, .detach), (false, 413, true, true, .detach),
        (false, 200, false, false, .detach),
    ])
    func `the response head determines how the response is sent`(
        isEventStream: Bool, status: Int, isUploading: Bool, canBegin: Bool, expected: State.Delivery
    ) {
        var state = Self.awaited(isUploading: isUploading)

        let delivery = state.receiveHead(
            isEventStream: isEventStream, status: status, length: Self.length, canBegin: canBegin)

        #expect(delivery == expected)
        #expect((state.response == .held(Self.length)) == (expected == .hold))
    }

    // MARK: The body

    @Test(arguments: [
        (awaited(), State.BodySink.nothing), (lost, .nothing), (held(length), .connection), (sending, .connection),
        (detached(isStream: true), .detached), (ended, .nothing),
    ])
    func `each state has exactly one receiver of the body`(state: State, expected: State.BodySink) {
        #expect(state.bodySink == expected)
    }

    @Test func `a held response starts after its settling time`() {
        var state = Self.held(Self.length)

        let started = state.startHeldAnswer()

        #expect(started == Self.length)
        #expect(state.response == .sending)
    }

    @Test func `a held response does not start twice`() {
        var state = Self.sending

        let started = state.startHeldAnswer()

        #expect(started == nil)
    }

    @Test func `a held response starts only after the request's body was sent`() {
        var state = Self.held(Self.length, isUploading: true)

        let early = state.startHeldAnswer()
        state.finishUpload()
        let late = state.startHeldAnswer()

        #expect(early == nil)
        #expect(late == Self.length)
    }

    @Test(arguments: [
        (held(length, isUploading: true), BodyLength.known(10), true),
        (held(length, isUploading: true), .known(9), false),
        (held(noBody, isUploading: true), .known(0), true),
        (held(.unknown, isUploading: true), .known(10), false),
        (held(length), .known(10), false),
        (sending, .known(10), false),
        (awaited(isUploading: true), .known(0), false),
    ])
    func `a response is early if it is complete during the upload`(state: State, buffered: BodyLength, isEarly: Bool) {
        #expect((state.earlyAnswer(buffered: buffered) != nil) == isEarly)
        #expect(state.uploadDeadline(buffered: buffered) == (isEarly ? .earlyAnswer : .answer))
    }

    @Test(arguments: [
        (awaited(), State.Deadline.answer), (held(length), .answer), (detached(isStream: false), .answer),
        (detached(isStream: true), .stream),
    ])
    func `only streams have the time limit of a stream`(state: State, expected: State.Deadline) {
        #expect(state.deadline == expected)
    }

    @Test func `a client receives no bytes of a held response`() {
        #expect(!Self.held(Self.length).isClientReading)
        #expect(Self.sending.isClientReading)
    }

    @Test func `switching protocols makes the exchange a stream`() {
        var state = Self.awaited()

        state.switchProtocols()

        #expect(state.deadline == .stream)
        #expect(state.abortAction == .abortConnection)
    }

    // MARK: The end of the response

    @Test(arguments: [
        (held(length), false, State.EndAction.startWhole(length, isLengthBuffered: false)),
        (held(.unknown), false, .startWhole(.unknown, isLengthBuffered: true)),
        // A length that the instance did not announce must not be announced beside trailers.
        (held(.unknown), true, .startWhole(.unknown, isLengthBuffered: false)),
        (held(length, isUploading: true), false, .detachWhole(length)),
        (sending, false, .finishConnection),
        (detached(isStream: true), false, .finishDetached),
        (awaited(), false, .nothing), (lost, false, .nothing), (ended, false, .nothing),
    ])
    func `the end of the response is reported to the part that sends it`(
        state: State, hasTrailers: Bool, expected: State.EndAction
    ) {
        #expect(state.endAction(hasTrailers: hasTrailers) == expected)
    }

    @Test(arguments: [
        (held(length), broken, BodyLength.known(9), State.FailureAction.startPart(length)),
        (held(length, isUploading: true), broken, .known(9), .detachPart(length)),
        (held(.unknown), broken, .known(9), .startPart(.unknown)),
        // The client could mistake these for complete responses.
        (held(length), broken, .known(10), .reportLoss), (held(noBody), broken, .known(0), .reportLoss),
        (held(length), closed, .known(9), .reportLoss), (awaited(), closed, .known(0), .reportLoss),
        (sending, broken, .known(0), .abortConnection), (detached(isStream: true), broken, .known(0), .abortDetached),
        (ended, broken, .known(0), .nothing),
    ])
    func `a failed response never appears complete`(
        state: State, failure: UpstreamFailure, buffered: BodyLength, expected: State.FailureAction
    ) {
        #expect(state.failureAction(for: failure, buffered: buffered) == expected)
    }

    // MARK: The loss of the instance

    @Test(arguments: [
        (UpstreamFailure.badAnswer("x"), true, true, State.LossAction.report(.badAnswer("x"))),
        (.outOfDescriptors, true, true, .report(.outOfDescriptors)),
        (.refused, true, true, .reportStop), (.refused, false, true, .report(.refused)),
        (broken, true, false, .reportStop), (broken, false, true, .report(broken)),
        (closed, true, true, .reportStop), (closed, false, false, .report(closed)), (closed, false, true, .wait),
    ])
    func `the loss of an instance is reported with the reason for its stop`(
        failure: UpstreamFailure, isStopKnown: Bool, isRouted: Bool, expected: State.LossAction
    ) {
        var state = Self.awaited()

        let action = state.recordLoss(failure, isStopKnown: isStopKnown, isRouted: isRouted)

        #expect(action == expected)
        #expect((state.response == .lost) == (expected == .wait))
    }

    @Test(arguments: [(UpstreamFailure.refused, false), (.outOfDescriptors, false), (closed, true), (broken, true)])
    func `a request that reached no server can be repeated`(failure: UpstreamFailure, mayBeReceived: Bool) {
        var state = Self.awaited()

        _ = state.recordLoss(failure, isStopKnown: false, isRouted: true)

        #expect(state.mayBeReceived == mayBeReceived)
    }

    @Test(arguments: [
        (awaited(), true, false, true, State.LossAction.reportStop), (awaited(), false, false, false, .nothing),
        // The instance still runs while the gateway shuts down.
        (awaited(), true, true, true, .nothing),
        (lost, true, false, true, .reportStop), (lost, true, true, true, .reportStop),
        (lost, false, false, false, .report(closed)), (lost, false, false, true, .nothing),
        (held(length), true, false, false, .nothing), (sending, true, false, false, .nothing),
        (detached(isStream: true), true, false, false, .nothing),
    ])
    func `a change of the routing table ends the requests that wait for a stopped instance`(
        state: State, isStopKnown: Bool, isDraining: Bool, isRouted: Bool, expected: State.LossAction
    ) {
        let action = state.routesAction(isStopKnown: isStopKnown, isDraining: isDraining, isRouted: isRouted)

        #expect(action == expected)
    }

    // MARK: The end

    @Test(arguments: [
        (awaited(), State.AbortAction.refuse), (lost, .refuse), (held(length), .refuse), (sending, .abortConnection),
        (detached(isStream: true), .abortDetached), (ended, .nothing),
    ])
    func `the gateway aborts a response in the part that sends it`(state: State, expected: State.AbortAction) {
        #expect(state.abortAction == expected)
    }

    @Test(arguments: [
        (awaited(), BodyLength.known(0), State.TimeAction.reportTimeout), (held(length), .known(9), .reportTimeout),
        (held(length, isUploading: true), .known(10), .sendEarlyAnswer(length)),
        (held(length, isUploading: true), .known(9), .reportTimeout),
        (lost, .known(0), .report(closed)), (sending, .known(0), .abort),
        (detached(isStream: true), .known(0), .abort), (ended, .known(0), .nothing),
    ])
    func `a time limit has its defined effect in each state`(
        state: State, buffered: BodyLength, expected: State.TimeAction
    ) {
        #expect(state.timeAction(buffered: buffered) == expected)
    }

    @Test func `the end of an exchange reports whether the exchange was a stream`() {
        var stream = Self.detached(isStream: true)
        var answer = Self.sending

        #expect(stream.end() == (true, false))
        #expect(stream.end() == (false, false))
        #expect(answer.end() == (false, false))
    }

    @Test func `the end of an exchange reports whether the instance was lost`() {
        var state = Self.lost

        #expect(state.end() == (false, true))
        #expect(state.end() == (false, false))
    }
}
