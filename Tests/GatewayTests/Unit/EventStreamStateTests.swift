// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import TestThreads
import Testing

@testable import EventStreaming

@Suite("The state of an event stream", .onTestThreads) struct EventStreamStateTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func state(
        isPlain: Bool = false, isTranslated: Bool = false, maxRate: Int? = nil, stall: Duration = .seconds(60)
    ) -> EventStreamState {
        EventStreamState(isPlain: isPlain, isTranslated: isTranslated, maxRate: maxRate, stallLimit: stall, at: start)
    }

    @Test func `new events are read at once by an idle stream and later by a stream that is reading`() {
        var state = state()

        let first = (state.recordUpdate(), state.wantsRead(at: start))
        let second = (state.recordUpdate(), state.wantsRead(at: start))

        #expect(first == (true, .read))
        #expect(second == (false, .no))
        #expect(state.hasPendingUpdate)
        #expect(state.continues(isAtEnd: true))
    }

    @Test func `a blocked stream reads only after its client accepts bytes again`() {
        var state = state()
        state.block(unacknowledged: 1, at: start)

        let whileBlocked = (state.recordUpdate(), state.wantsRead(at: start))
        let isUnblocked = state.unblock()
        let isUnblockedAgain = state.unblock()
        let afterwards = state.wantsRead(at: start)

        #expect(whileBlocked == (false, .no))
        #expect(isUnblocked)
        #expect(!isUnblockedAgain)
        #expect(afterwards == .read)
    }

    @Test func `an ended stream does nothing`() {
        var state = state()

        let ends = [state.finish(), state.finish()]
        let readsNews = state.recordUpdate()
        let read = state.wantsRead(at: start)
        let isUnblocked = state.unblock()

        #expect(ends == [true, false])
        #expect(!readsNews)
        #expect(read == .no)
        #expect(!isUnblocked)
    }

    @Test func `a stream with a rate reads once in each interval`() {
        var state = state(maxRate: 10)

        let first = state.wantsRead(at: start)
        state.recordRead()
        let early = state.wantsRead(at: start + .milliseconds(99))
        let due = state.deadline(at: start + .milliseconds(99))
        let later = state.wantsRead(at: start + .milliseconds(100))

        #expect(first == .read)
        #expect(early == .later)
        #expect(due == start + .milliseconds(100))
        #expect(later == .read)
    }

    /// The stream's state and the expected actions. Each row contains whether the stream is one of OpenCode's own,
    /// whether it is translated, whether it reads the log, the silent time in seconds, and the actions.
    @Test(arguments: [
        (false, false, false, 14, []), (false, false, false, 15, [EventStreamState.TimeAction.sendComment]),
        (true, false, false, 10, []), (true, false, true, 10, [.sendComment]),
        (true, true, false, 9, []), (true, true, false, 10, [.sendHeartbeat]),
    ])
    func `a silent stream sends a comment or a heartbeat in each interval`(
        isPlain: Bool, isTranslated: Bool, reads: Bool, seconds: Int, actions: [EventStreamState.TimeAction]
    ) {
        var state = state(isPlain: isPlain, isTranslated: isTranslated)
        if reads { _ = state.wantsRead(at: start) }
        let now = start + .seconds(seconds)

        let due = state.timePassed(at: now, unacknowledged: 0)
        let again = state.timePassed(at: now, unacknowledged: 0)

        #expect(due == actions)
        #expect(again == [])
    }

    @Test func `a wake-up reads the log even if no event has arrived`() {
        var state = state()
        state.wait(until: start + .milliseconds(5))

        let early = state.timePassed(at: start + .milliseconds(4), unacknowledged: 0)
        let due = state.deadline(at: start)
        let onTime = state.timePassed(at: start + .milliseconds(5), unacknowledged: 0)

        #expect(early == [])
        #expect(due == start + .milliseconds(5))
        #expect(onTime == [.read])
        #expect(state.isReading)
    }

    @Test func `a client that accepts no bytes within the limit is disconnected`() {
        var state = state(stall: .seconds(60))
        state.block(unacknowledged: 100, at: start)

        let early = state.timePassed(at: start + .seconds(59), unacknowledged: 100)
        let readSome = state.timePassed(at: start + .seconds(60), unacknowledged: 50)
        let stalled = state.timePassed(at: start + .seconds(120), unacknowledged: 50)

        #expect(early == [])
        #expect(readSome == [])
        #expect(stalled == [.endStalled])
    }

    @Test func `a stream is live only after everything was sent and before its last event is known`() {
        var state = state()
        let log = EventLog.open(nil, project: "demo", limits: LogLimits(bytes: 1 << 20, time: .seconds(60)), now: 0)
        let position = log.end
        let before = state.isLive(at: position)
        _ = state.wantsRead(at: start)
        state.recordRead()
        state.recordSent(10, at: position, now: start)

        let live = state.isLive(at: position)
        state.recordLastEvent()

        #expect(!before)
        #expect(live)
        #expect(!state.isLive(at: position))
        #expect(state.isLive)
    }
}
