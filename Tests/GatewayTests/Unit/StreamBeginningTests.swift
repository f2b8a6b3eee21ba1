// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

@testable import EventStreaming

/// Tests the beginning of an OpenCode stream: a client that has read `server.connected` misses no later event.
@Suite(.onTestThreads) struct StreamBeginningTests {
    @Test func `a stream requests its position once its directory is open and the hub receives its events`() {
        var beginning = StreamBeginning()
        let beforeItIsOpen = beginning.needsPosition(receivesEvents: true)
        beginning.isOpen = true
        // The last call returns false, because the position is requested only once.
        let requested = [false, true, true].map { beginning.needsPosition(receivesEvents: $0) }
        let begins = beginning.mayStart(receivesEvents: true)

        #expect(!beforeItIsOpen)
        #expect(requested == [false, true, false])
        #expect(begins)
    }

    /// The query to the hub came from a loop that did not know yet that the instance's stream was lost.
    @Test func `a stream whose subscription ends before its position arrives waits for the next one`() {
        var beginning = StreamBeginning()
        beginning.isOpen = true
        let requested = beginning.needsPosition(receivesEvents: true)
        let begins = beginning.mayStart(receivesEvents: false)
        let askedAgain = [false, true].map { beginning.needsPosition(receivesEvents: $0) }
        let beginsThen = beginning.mayStart(receivesEvents: true)

        #expect(requested)
        #expect(!begins)
        #expect(askedAgain == [false, true])
        #expect(beginsThen)
    }

    @Test func `a stream begins after its deadline even if the hub receives no events`() {
        var beginning = StreamBeginning()
        beginning.isOpen = true
        let inTime = beginning.needsPosition(receivesEvents: false)
        beginning.isLate = true
        let late = beginning.needsPosition(receivesEvents: false)
        let begins = beginning.mayStart(receivesEvents: false)

        #expect(!inTime)
        #expect(late)
        #expect(begins)
    }

    @Test func `a directory stream begins after two deadlines and expires after the third`() {
        var beginning = StreamBeginning(answerTimeout: .seconds(60))

        let first = beginning.timePassed()
        let isOpenAfterFirst = beginning.isOpen
        let second = beginning.timePassed()
        let isOpenAfterSecond = beginning.isOpen
        let third = beginning.timePassed()

        #expect(first == .wait(StreamBeginning.openingPatience))
        #expect(beginning.isLate)
        #expect(!isOpenAfterFirst)
        #expect(second == .wait(.seconds(60)))
        #expect(isOpenAfterSecond)
        #expect(third == .expired)
    }

    @Test func `a stream that needs no data from the instance never expires`() {
        var beginning = StreamBeginning(isOpen: true)

        let decisions = (0..<3).map { _ in beginning.timePassed() }

        #expect(decisions == [.wait(nil), .wait(nil), .wait(nil)])
    }

    @Test func `an instance whose events are not received for over ten seconds delays no stream`() {
        let silences: [Int64] = [0, 1_999, 10_000, 10_001, 3_600_000]
        let since: Int64 = 1_795_381_944_461
        let givenUp = silences.map { StreamBeginning.isGivenUp(since: since, now: since + $0) }

        #expect(givenUp == [false, false, false, true, true])
        // The clock was set back in the meantime.
        #expect(!StreamBeginning.isGivenUp(since: since, now: since - 3_600_000))
    }
}
