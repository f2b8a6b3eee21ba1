import Testing

@testable import Gateway

/// The beginning of an OpenCode stream: a client that has read `server.connected` misses no later event.
@Suite struct StreamBeginningTests {
    @Test func itBeginsOnceTheDirectoryIsOpenAndTheInstanceIsHeard() {
        var beginning = StreamBeginning()
        let beforeItIsOpen = beginning.wantsPlace(isHeard: true)
        beginning.isOpen = true
        // The last call returns false, because the position is requested once.
        let asked = [false, true, true].map { beginning.wantsPlace(isHeard: $0) }
        let begins = beginning.begins(isHeard: true)
        #expect(!beforeItIsOpen && asked == [false, true, false] && begins)
    }

    /// The query to the hub came from a loop that did not know yet that the instance's stream is lost.
    @Test func aLossBeforeThePlaceIsSaidHasItWaitForTheNextOne() {
        var beginning = StreamBeginning()
        beginning.isOpen = true
        let asked = beginning.wantsPlace(isHeard: true)
        let begins = beginning.begins(isHeard: false)
        let askedAgain = [false, true].map { beginning.wantsPlace(isHeard: $0) }
        let beginsThen = beginning.begins(isHeard: true)
        #expect(asked && !begins && askedAgain == [false, true] && beginsThen)
    }

    @Test func itBeginsAllTheSameWhenItsTimeIsOver() {
        var beginning = StreamBeginning()
        beginning.isOpen = true
        let inTime = beginning.wantsPlace(isHeard: false)
        beginning.isLate = true
        let late = beginning.wantsPlace(isHeard: false)
        let begins = beginning.begins(isHeard: false)
        #expect(!inTime && late && begins)
    }

    @Test func anInstanceThatIsNotHeardForTenSecondsHoldsUpNobodyElse() {
        let silences: [Int64] = [0, 1_999, 10_000, 10_001, 3_600_000]
        let since: Int64 = 1_795_381_944_461
        let givenUp = silences.map { StreamBeginning.isGivenUp(since: since, now: since + $0) }
        #expect(givenUp == [false, false, false, true, true])
        // The clock was set back in the meantime.
        #expect(!StreamBeginning.isGivenUp(since: since, now: since - 3_600_000))
    }
}
