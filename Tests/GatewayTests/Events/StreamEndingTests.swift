import Glibc
import TestKit
import Testing

@testable import opencode_twin

/// What ends a stream from the hub: what would end it without one, and in the same manner.
@Suite struct StreamEndingTests {
    @Test(arguments: [SpeakingInstance.End.close, .reset, .clean])
    func aBreakOfTheInstancesStreamEndsClientsAbnormallyAndTheirIDsGoOn(end: SpeakingInstance.End) throws {
        let rig = try HubRig()
        let clients = try [rig.open(), rig.open("/event")]
        for client in clients { try client.connected() }
        rig.say(1...2)
        for client in clients { #expect(try client.numbers(2) == [1, 2]) }
        rig.instance.endStreams(end)
        for client in clients { #expect(try client.endsAbnormally()) }
        try rig.instance.subscriptions.wait(forCount: 2)
        for (client, path) in zip(clients, ["/global/event", "/event"]) {
            let again = try rig.open(path, behind: client.lastID)
            try again.connected()
            // What was said meanwhile nobody knows.
            #expect(try again.nextEvent()?.gap?["reason"]?.text == "upstream-lost")
            again.close()
        }
        let live = try rig.open()
        try live.connected()
        rig.say(3...3)
        #expect(try live.numbers(1) == [3])
        // The generation stays, and the sequence goes on.
        let ids = try [clients[0], live].map { try #require($0.lastID).split(separator: "-").compactMap { UInt64($0) } }
        #expect(ids[0][0] == ids[1][0])
        #expect(ids[1][1] == ids[0][1] + 1)
    }

    /// Who begins on a loop that has not heard of the loss yet would miss what is said until the hub is back.
    @Test func whoComesBackAtOnceBeginsWhenTheInstanceIsHeardAgain() throws {
        let (clients, rounds) = (8, 25)
        let rig = try HubRig()
        let begun = Recorded<Void>("a stream that has begun")
        let gaps = Recorded<String>("a gap")
        let threads = try (0..<clients).map { _ in
            try TestThread {
                for _ in 0..<rounds {
                    guard let client = try? rig.open(), (try? client.connected()) != nil else { return }
                    begun.append(())
                    while let frame = try? client.nextEvent() {
                        if let gap = frame.gap { gaps.append("\(gap)") }
                    }
                }
            }
        }
        for round in 1...rounds {
            try begun.wait(forCount: clients * round)
            rig.instance.endStreams(.reset)
        }
        for thread in threads { thread.join() }
        #expect(gaps.values.isEmpty)
    }

    @Test func aStopEndsThemAbnormallyAndThenThereIsNoneAtOnce() throws {
        let rig = try HubRig()
        let clients = try [rig.open(), rig.open("/event")]
        for client in clients { try client.connected() }
        #expect(try rig.gateway.request("DELETE", "/projects/demo/stop").status == 200)
        for client in clients { #expect(try client.endsAbnormally()) }
        let start = ContinuousClock.now
        let answer = try rig.gateway.request("GET", "/projects/demo/api/event")
        #expect(answer.status == 503)
        #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test func aCrashEndsThemAbnormallyAndTheNextRunHasItsOwnGeneration() throws {
        let rig = try TwinRig(flags: ["--restart-delay", "10ms"], environment: ["TWIN_ENDS_WITH_PARENT": "1"])
        #expect(try rig.start().status == 200)
        let client = try StreamClient(rig.gateway, "/projects/demo/api/global/event")
        try client.connected()
        _ = try rig.gateway.request("POST", "/projects/demo/api/session", body: Array("{}".utf8))
        while try #require(try client.nextEvent()).type != "session.created" {}
        kill(try #require(try rig.status().pid), SIGKILL)
        #expect(try client.endsAbnormally())
        let old = try #require(client.lastID)
        // It is being started again: a stream waits for that.
        let again = try StreamClient(
            rig.gateway, "/projects/demo/api/global/event", headers: [("Last-Event-ID", old)])
        #expect(try again.reader.response.readHead(within: .seconds(30)).status == 200)
        try again.connected()
        var gap: JSON?
        while gap == nil { gap = try #require(try again.nextEvent()).gap }
        #expect(gap?["reason"]?.text == "instance-restarted")
        _ = try rig.gateway.request("POST", "/projects/demo/api/session", body: Array("{}".utf8))
        while try #require(try again.nextEvent()).type != "session.created" {}
        let generations = try [old, #require(again.lastID)].compactMap { UInt64($0.prefix { $0 != "-" }) }
        #expect(generations[0] < generations[1])
    }

    @Test func aDisposeEndsThatDirectorysStreamsCleanlyAndNoOther() throws {
        let rig = try HubRig()
        let sub = try rig.gateway.home.makeDirectory("demo/sub")
        let here = try rig.open("/event")
        try here.connected()
        let other = try rig.open("/event?directory=\(sub)")
        let everything = try rig.open()
        for client in [other, everything] { try client.connected() }
        rig.say(1...1)
        rig.say(payload: Self.disposed(rig.folder))
        // OpenCode says nothing on that stream behind this.
        #expect(try here.numbers(1) == [1])
        #expect(try here.nextEvent()?.type == "server.instance.disposed")
        #expect(try here.readToEnd() == .complete)
        // Not only after --idle-timeout.
        #expect(try here.connection.waitForEnd(within: .seconds(5)) == .closed)
        rig.say(2...2)
        rig.say(payload: HubRig.payload(3), in: sub)
        #expect(try other.numbers(1) == [3])
        #expect(try everything.numbers(4) == [1, -1, 2, 3])
        // The next stream of it opens it again.
        try rig.open("/event").connected()
        #expect(rig.instance.openings.values.map(\.target) == ["/event", "/event?directory=\(sub)", "/event"])
    }

    @Test func aDisposeFromBeforeIsShownAndTheStreamGoesOn() throws {
        let rig = try HubRig()
        let first = try rig.open("/event")
        try first.connected()
        rig.say(1...1)
        #expect(try first.numbers(1) == [1])
        let id = try #require(first.lastID)
        rig.say(payload: Self.disposed(rig.folder))
        #expect(try first.nextEvent()?.type == "server.instance.disposed")
        #expect(try first.readToEnd() == .complete)
        let again = try rig.open("/event", behind: id)
        try again.connected()
        #expect(try again.nextEvent()?.type == "server.instance.disposed")
        rig.say(2...2)
        #expect(try again.numbers(1) == [2])
        rig.say(payload: Self.disposed(rig.folder))
        #expect(try again.nextEvent()?.type == "server.instance.disposed")
        #expect(try again.readToEnd() == .complete)
    }

    private static func disposed(_ directory: String) -> String {
        #"{"type":"server.instance.disposed","properties":{"directory":"\#(directory)"}}"#
    }

    @Test func noStreamAnnouncesThatItsConnectionEnds() throws {
        let rig = try HubRig()
        for client in [try rig.open(), try rig.open("/event"), try rig.openOwn()] {
            let head = try client.reader.response.readHead()
            #expect(head.status == 200)
            #expect(head.value(of: "Content-Type") == "text/event-stream")
            #expect(head.value(of: "Connection") != "close")
        }
    }

    @Test func aStreamOfAnInstanceThatStartsWaitsUntilItIsReady() throws {
        let rig = try TwinRig("banner-late=1200", environment: ["TWIN_ENDS_WITH_PARENT": "1"])
        let start = try rig.gateway.connect()
        try start.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
        try rig.waitForLog("starting")
        let client = try StreamClient(rig.gateway, "/projects/demo/api/event")
        #expect(try client.reader.response.readHead(within: .seconds(30)).status == 200)
        try client.connected()
    }

    @Test func itWaitsNoLongerThanAStartsAnswer() throws {
        let rig = try TwinRig(
            "banner-late=60000", flags: ["--start-answer-timeout", "300ms", "--start-timeout", "60s"],
            environment: ["TWIN_ENDS_WITH_PARENT": "1"])
        #expect(try rig.start().status == 504)
        let begin = ContinuousClock.now
        #expect(try rig.request("/event").status == 503)
        #expect(begin.duration(to: .now) < .seconds(15))
    }

    @Test func withoutAHubStreamsPassThroughAndThereAreNoneOfTheGatewaysOwn() throws {
        let rig = try TwinRig(flags: ["--event-hub", "off"], environment: ["TWIN_ENDS_WITH_PARENT": "1"])
        #expect(try rig.start().status == 200)
        let client = try StreamClient(rig.gateway, "/projects/demo/api/event")
        let first = try client.connected()
        #expect(first.retry == nil)
        for path in ["/projects/demo/events", "/events", "/projects/demo/events/state"] {
            let answer = try rig.gateway.request("GET", path)
            #expect(answer.status == 404)
            #expect(answer.text.contains("--event-hub"), "\(answer.text)")
        }
    }

    @Test func hubZeroPassesOneStreamThrough() throws {
        let rig = try HubRig()
        let client = try rig.open("/global/event?hub=0")
        #expect(try client.connected().retry == nil)
        #expect(rig.instance.subscriptions.values.map(\.target) == ["/global/event", "/global/event"])
        rig.say(1...1)
        let frame = try #require(try client.nextEvent())
        #expect(frame.number == 1 && frame.id == nil)
    }
}
