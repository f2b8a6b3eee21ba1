// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests clients that read slowly or not at all, and events of all sizes.
@Suite(.onTestThreads) struct SlowClientTests {
    private static let text = #","text":"\#(String(repeating: "x", count: 10_000))""#

    /// Sends ten megabytes while the test continues, because a client that must stay connected cannot wait until they
    /// are generated.
    private static func sendEvents(from first: Int, _ fixture: HubFixture) throws -> TestThread {
        try TestThread {
            for start in stride(from: first, to: first + 1_000, by: 100) {
                fixture.sendEvents(start..<(start + 100), more: text)
            }
        }
    }

    @Test func `a client that keeps reading is never disconnected, even if it is slow`() throws {
        let fixture = try HubFixture(flags: ["--stream-stall", "5s"])
        let client = try StreamClient(fixture.gateway, "/projects/demo/api/global/event", receiveBuffer: 4_096)
        try client.connected()
        let sender = try Self.sendEvents(from: 1, fixture)
        defer { sender.join() }
        // This is slower than the kernel's buffers alone would hide in that time.
        for number in 1...8 {
            #expect(try client.nextEvent()?.number == number)
            try client.connection.pause(.milliseconds(800))
        }

        #expect(try client.numbers(992) == Array(9...1_000))
    }

    /// The pause is long enough for a comment on an idle stream. No comment may appear inside an event.
    @Test(arguments: [("/projects/demo/api/global/event", 11), ("/projects/demo/events", 16)])
    func `a client that pauses within an event receives its remainder and all later events`(
        target: String, seconds: Int
    ) throws {
        let fixture = try HubFixture(flags: ["--stream-stall", "120s"])
        let client = try StreamClient(fixture.gateway, target, receiveBuffer: 4_096)
        _ = try client.next()
        let sender = try Self.sendEvents(from: 1, fixture)
        defer { sender.join() }

        #expect(try client.numbers(1) == [1])

        try client.connection.pause(.seconds(seconds))

        #expect(try client.numbers(999) == Array(2...1_000))
    }

    @Test func `a client whose position is no longer retained receives a gap and the later events`() throws {
        let fixture = try HubFixture(flags: ["--event-keep-size", "1MiB", "--stream-stall", "5s"])
        let first = try fixture.open()
        try first.connected()
        fixture.sendEvents(1...1)

        #expect(try first.numbers(1) == [1])

        let id = try #require(first.lastID)
        let sender = try Self.sendEvents(from: 2, fixture)
        defer { sender.join() }
        // The first client may also miss events.
        try fixture.waitUntilReceived(1_001)
        let again = try fixture.open(after: id)
        try again.connected()
        let gap = try #require(try again.nextEvent())

        #expect(gap.gap?["reason"]?.text == "retention")
        #expect(gap.gap?["from"]?.text == id)

        let next = try #require(try again.nextEvent()?.number)

        #expect(gap.gap?["to"]?.text == again.lastID)
        #expect(next > 500)
        #expect(next <= 1_001)
        #expect(try again.numbers(1_001 - next) == Array((next + 1)..<1_002))
    }

    @Test func `a client that reads nothing is disconnected abnormally and can resume`() throws {
        let fixture = try HubFixture(flags: ["--stream-stall", "8s"])
        let client = try StreamClient(fixture.gateway, "/projects/demo/api/global/event", receiveBuffer: 4_096)
        let witness = try fixture.open()
        try client.connected()
        try witness.connected()
        let sender = try Self.sendEvents(from: 1, fixture)
        defer { sender.join() }

        #expect(try witness.numbers(1_000) == Array(1...1_000))

        try fixture.gateway.process.waitForLine(on: .error, within: .seconds(40)) { $0.contains("stalled_stream") }
        var seen: [Int] = []
        while let frame = try client.nextEvent() { seen.append(frame.number ?? -1) }

        #expect(try client.endsAbnormally())
        #expect(!seen.isEmpty)
        #expect(seen.count < 1_000)

        let again = try fixture.open(after: client.lastID)
        try again.connected()
        seen += try again.numbers(1_000 - seen.count)

        #expect(seen == Array(1...1_000))
    }

    @Test(arguments: ["64MiB", "0"])
    func `an event of 16 MiB is forwarded, and a larger event is replaced by a gap`(kept: String) throws {
        let fixture = try HubFixture(flags: ["--event-keep-size", kept])
        let (client, own) = try (fixture.open(), fixture.openGatewayStream())
        try client.connected()
        _ = try own.next()

        let shell = fixture.line(HubFixture.payload(1, more: #","text":"""#)).utf8.count
        fixture.sendEvents(1...1, more: #","text":"\#(String(repeating: "y", count: (16 << 20) - shell))""#)
        let large = try #require(try client.nextEvent(within: .seconds(240)))

        #expect(large.number == 1)
        #expect(large.data?.utf8.count == 16 << 20)
        #expect(try own.nextEvent(within: .seconds(240))?.number == 1)

        fixture.sendEvents(2...2, more: #","text":"\#(String(repeating: "y", count: (16 << 20) - shell + 1))""#)
        fixture.sendEvents(3...3)

        #expect(try client.nextEvent(within: .seconds(240))?.gap?["reason"]?.text == "too-large")
        #expect(try client.numbers(1) == [3])
        #expect(try own.nextEvent(within: .seconds(240))?.json["reason"]?.text == "too-large")
        #expect(try own.numbers(1) == [3])
        #expect(fixture.instance.events.openings.count == 1)
    }

    @Test func `the limit on all projects' events holds with each new segment`() throws {
        let fixture = try HubFixture(flags: ["--event-keep-size", "64MiB", "--event-keep-total", "8MiB"])
        let client = try fixture.openGatewayStream()
        _ = try client.next()

        // These are 24 MiB. If the gateway enforced the limit only once a minute, all events would still be on the
        // disk. The client reads each event before the next one is sent. Otherwise, the gateway may delete an event
        // that the client has not read yet.
        var numbers: [Int] = []
        for number in 1...48 {
            fixture.sendEvents(number...number, more: #","text":"\#(String(repeating: "y", count: 512 << 10))""#)
            numbers += try client.numbers(1)
        }

        let folder = "\(fixture.gateway.stateFolder)/events/demo"
        let bytes = try FileTree.names(in: folder).reduce(0) { sum, name in
            try sum + FileTree.contents("\(folder)/\(name)").count
        }
        #expect(numbers == Array(1...48))
        #expect(bytes <= 8 << 20)
        #expect(bytes > 1 << 20)
    }

    @Test func `the last events are kept only in memory when --event-keep-size is 0`() throws {
        let fixture = try HubFixture(flags: ["--event-keep-size", "0"])
        let first = try fixture.open()
        try first.connected()
        fixture.sendEvents(1...3)

        #expect(try first.numbers(1) == [1])

        let id = try #require(first.lastID)
        first.close()
        let again = try fixture.open(after: id)

        #expect(try again.numbers(2) == [2, 3])

        let folder = "\(fixture.gateway.stateFolder)/events"
        let files = (try? FileTree.names(in: folder)) ?? []
        for name in files { #expect(((try? FileTree.names(in: "\(folder)/\(name)")) ?? []).isEmpty, "\(name)") }
    }
}
