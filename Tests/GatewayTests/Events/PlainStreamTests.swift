import TestKit
import Testing

@testable import opencode_twin

/// OpenCode's own streams as the hub serves them: the same events, in the same order, byte for byte.
@Suite struct PlainStreamTests {
    @Test func firstComesWhenToRetryThenServerConnectedThenWhatWasMissedThenWhatIsLive() throws {
        let rig = try HubRig()
        let before = try rig.open()
        try before.connected()
        rig.say(1...1)
        #expect(try before.numbers(1) == [1])
        before.close()
        rig.say(2...3)
        try rig.waitUntilHeard(3)
        let client = try rig.open(behind: before.lastID)
        let first = try #require(try client.next())
        #expect(try (500...1_500).contains(#require(first.retry)))
        #expect(first.data == SpeakingInstance.connected)
        #expect(first.id == nil)
        #expect(try client.numbers(2) == [2, 3])
        rig.say(4...4)
        let live = try #require(try client.next())
        #expect(live.number == 4 && live.retry == nil)
    }

    @Test func idsCountWithoutHolesAndWhatIsFilteredIsNoGap() throws {
        let rig = try HubRig()
        let client = try rig.open()
        try client.connected()
        var frames: [StreamFrame] = []
        // Who is just reading what is kept may miss some of those that have no id.
        for number in 1...10 {
            rig.say(number...number)
            while frames.last?.number != number { frames.append(try #require(try client.next())) }
            rig.instance.say(": a comment\n\n")
            rig.instance.say("data: {\"payload\":{\"type\":\"server.heartbeat\",\"properties\":{}}}\n\n")
            rig.say(payload: HubRig.payload(99), in: "\(rig.gateway.home.path)/other")
        }
        #expect(frames.compactMap(\.number) == Array(1...10))
        let ids = frames.compactMap(\.id).map { $0.split(separator: "-").compactMap { UInt64($0) } }
        #expect(ids.count == 10)
        #expect(Set(ids.map { $0[0] }).count == 1)
        #expect(ids.map { $0[1] - ids[0][1] } == Array(0...9))
        // Comments and heartbeats are passed, and have no id.
        #expect(frames.contains { $0.comments == ["a comment"] && $0.id == nil })
        #expect(frames.contains { $0.type == "server.heartbeat" && $0.id == nil })
        #expect(frames.allSatisfy { $0.gap == nil && $0.others.isEmpty })
    }

    @Test func eachLineOfDataIsTheInstancesByteForByte() throws {
        let rig = try HubRig()
        let everything = try rig.open()
        let here = try rig.open("/event")
        try everything.connected()
        #expect(try here.connected().data == SpeakingInstance.connectedHere)
        let odd =
            #"{"type" : "odd.\u0031",  "properties":{"x":1.0e5,"é":"\/ \ud83d\ude00","nested":{"payload":{"type":"no"}}} }"#
        let lines = [
            #"{"directory":"\#(rig.folder)", "payload":\#(odd)}"#,
            #"{ "payload":\#(odd),"directory":"\#(rig.folder)","project":"p" }"#,
        ]
        for line in lines { rig.instance.say("data: \(line)\n\n") }
        for line in lines {
            #expect(try everything.nextEvent()?.data == line)
            #expect(try here.nextEvent()?.data == odd)
        }
    }

    @Test func aDirectorysStreamHasExactlyItsEventsAndNoSync() throws {
        let rig = try HubRig()
        let sub = try rig.gateway.home.makeDirectory("demo/sub")
        let own = try rig.open("/event")
        let other = try rig.open("/event?directory=\(sub)")
        let named = try rig.open("/event", headers: [("x-opencode-directory", sub)])
        let everything = try rig.open()
        for client in [own, other, named, everything] { try client.connected() }
        rig.say(1...1)
        rig.say(payload: HubRig.payload(2), in: sub)
        rig.say(payload: HubRig.payload(3, "sync"))
        rig.say(payload: HubRig.payload(4), in: "\(sub)/deeper")
        rig.say(payload: HubRig.payload(5), in: sub)
        rig.say(6...6)
        #expect(try own.numbers(2) == [1, 6])
        #expect(try other.numbers(2) == [2, 5])
        #expect(try named.numbers(2) == [2, 5])
        #expect(try everything.numbers(6) == [1, 2, 3, 4, 5, 6])
    }

    @Test func withoutPinningEveryDirectorysEventsAreServed() throws {
        let rig = try HubRig(flags: ["--no-directory-pinning"])
        let everything = try rig.open()
        let elsewhere = try rig.open("/event?directory=/srv/elsewhere")
        try everything.connected()
        try elsewhere.connected()
        rig.say(payload: HubRig.payload(1), in: "/srv/elsewhere")
        rig.say(2...2)
        #expect(try everything.numbers(2) == [1, 2])
        #expect(try elsewhere.numbers(1) == [1])
    }

    @Test func theFirstStreamOfADirectoryOpensItAtTheInstanceAndNoOther() throws {
        let rig = try HubRig()
        // By itself the hub opens none.
        try rig.open().connected()
        #expect(rig.instance.openings.count == 0)
        try rig.open("/event").connected()
        try rig.open("/event").connected()
        #expect(rig.instance.openings.values.map(\.target) == ["/event"])
        let sub = try rig.gateway.home.makeDirectory("demo/sub")
        try rig.open("/event?directory=\(sub)").connected()
        try rig.open("/event?directory=\(sub)").connected()
        #expect(rig.instance.openings.values.map(\.target) == ["/event", "/event?directory=\(sub)"])
        #expect(rig.instance.subscriptions.count == 1)
    }

    @Test func anInstanceThatDoesNotSayThatItsStreamHasBegunDelaysAClientByTwoSecondsAtMost() throws {
        let instance = try SpeakingInstance()
        instance.beSilent(true)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance.fake)
        let start = ContinuousClock.now
        let client = try StreamClient(gateway, "/projects/demo/api/global/event")
        try client.connected()
        let time = start.duration(to: .now)
        #expect(time > .milliseconds(1_500) && time < .seconds(15))
    }

    @Test func aRefusedStreamIsAWarningInStatusUntilItIsGiven() throws {
        let instance = try SpeakingInstance()
        instance.refuse(true)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance.fake)
        try gateway.waitForLog("does not give the gateway its events")
        func warnings() throws -> [JSON] {
            try gateway.request("GET", "/projects/demo/status").json["warnings"]?.elements ?? []
        }
        #expect(try warnings().contains { $0.text?.contains("it answers 500") == true })
        instance.refuse(false)
        try instance.subscriptions.wait(forCount: 1)
        try StreamClient(gateway, "/projects/demo/api/global/event").connected()
        // What else it warns of is another test's.
        #expect(try !warnings().contains { $0.text?.contains("does not give the gateway its events") == true })
    }

    @Test(arguments: [SpeakingInstance.Refusal.close, .hang])
    func `a subscription that gets no head is a warning in status within five seconds`(
        refusal: SpeakingInstance.Refusal
    ) throws {
        let instance = try SpeakingInstance()
        instance.refuse(refusal)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance.fake)
        let start = ContinuousClock.now

        try gateway.waitForLog("does not begin the event stream")

        #expect(start.duration(to: .now) < .seconds(5))
        let warnings = try gateway.request("GET", "/projects/demo/status").json["warnings"]?.elements ?? []
        #expect(warnings.contains { $0.text?.contains("does not begin the event stream") == true })
    }

    @Test func `a client of a directory that the instance does not open gets its head within five seconds`() throws {
        let instance = try SpeakingInstance()
        instance.refuse(.hang)
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.start(instance.fake)
        let start = ContinuousClock.now

        try StreamClient(gateway, "/projects/demo/api/event").connected()

        #expect(start.duration(to: .now) < .seconds(6))
    }

    @Test func fiveHundredClientsAreOneStreamToTheInstance() throws {
        let rig = try HubRig()
        func upstreamBytes() -> [[UInt8]] { rig.instance.subscriptions.values.map(\.raw) }
        let one = try rig.open()
        try one.connected()
        rig.say(1...100)
        #expect(try one.numbers(100) == Array(1...100))
        let before = upstreamBytes()
        let clients = try (0..<500).map { _ in try rig.open() }
        for client in clients { try client.connected() }
        rig.say(101...200)
        for client in clients { #expect(try client.numbers(100) == Array(101...200)) }
        #expect(before.count == 1)
        #expect(upstreamBytes() == before)
        #expect(rig.instance.openings.count == 0 && rig.instance.requests.count == 0)
        #expect(try rig.state()["subscribers"] == .integer(501))
    }
}
