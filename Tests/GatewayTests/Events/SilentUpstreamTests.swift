import TestKit
import Testing

@testable import opencode_twin

/// An instance's stream that falls silent: three heartbeats are missing after 30 s (1.2.7 and later).
@Suite struct SilentUpstreamTests {
    @Test func aStreamThatSpeaksAgainIsKeptAndWhatBothSayIsToldOnce() throws {
        let rig = try HubRig(version: "1.18.33")
        let client = try rig.open()
        try client.connected()
        rig.say(1...1)
        #expect(try client.numbers(1) == [1])
        try rig.instance.subscriptions.wait(forCount: 2, within: .seconds(60))
        rig.say(2...3)
        #expect(try client.numbers(2) == [2, 3])
        rig.say(4...4)
        #expect(try client.numbers(1) == [4])
        #expect(try rig.state()["gaps"] == .integer(0))
        #expect(rig.instance.subscriptions.count == 2)
    }

    @Test func aStreamThatStaysSilentIsGivenUpAndThatIsALoss() throws {
        let rig = try HubRig(version: "1.18.33")
        let client = try rig.open()
        try client.connected()
        let start = ContinuousClock.now
        rig.say(1...1)
        #expect(try client.numbers(1) == [1])
        rig.instance.mute()
        #expect(try client.next(within: .seconds(60)) == nil)
        #expect(start.duration(to: .now) > .seconds(25))
        #expect(rig.instance.subscriptions.count == 2)
        let again = try rig.open(behind: client.lastID)
        try again.connected()
        #expect(try again.nextEvent()?.gap?["reason"]?.text == "upstream-lost")
        rig.say(2...2)
        #expect(try again.numbers(1) == [2])
    }
}
