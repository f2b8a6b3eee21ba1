// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests reconnections at random moments and killed gateways. No event is duplicated, and no received event is lost.
@Suite(.onTestThreads) struct NothingLostTests {
    @Test(arguments: [
        "/projects/demo/api/global/event", "/projects/demo/api/event", "/projects/demo/events", "/events",
    ])
    func `reconnections at random times neither lose nor duplicate an event`(target: String) throws {
        let fixture = try HubFixture()
        let speaker = try Speaker(fixture.instance, fixture.folder)
        let failures = Recorded<String>("a client's failure")
        let clients = try (0..<5).map { number in
            try TestThread {
                do {
                    try Self.reconnect(
                        times: 50, to: fixture.gateway, target, speaker: speaker,
                        generator: SeededGenerator(seed: UInt64(number) + 1))
                } catch {
                    failures.append("client \(number): \(error)")
                }
            }
        }
        for client in clients { client.join() }
        speaker.stop()

        #expect(failures.values == [])
    }

    /// Connects and disconnects one client `times` times, and checks that every number arrives once, in order.
    private static func reconnect(
        times: Int, to gateway: GatewayUnderTest, _ target: String, speaker: Speaker,
        generator: SeededGenerator
    ) throws {
        var generator = generator
        var expected: Int?
        var id: String?
        for round in 0..<times {
            let client = try StreamClient(gateway, target, headers: id.map { [("Last-Event-ID", $0)] } ?? [])
            for _ in 0..<Int.random(in: round == 0 ? 1...5 : 0...40, using: &generator) {
                let frame = try #require(try client.nextEvent())
                let number = try #require(frame.number, "\(frame)")
                if let expected, number != expected { throw TestFailure("\(number) came in place of \(expected)") }
                expected = number + 1
            }
            id = client.lastID ?? id
            if Bool.random(using: &generator) { client.connection.reset() } else { client.close() }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `killed gateways neither lose nor duplicate an event that a client has received`() throws {
        let tools = try TemporaryDirectory()
        let opencode = try GatewayUnderTest.outlivingCommand(in: tools)
        let instance = try FakeOpenCode().events().start()
        var gateway = try GatewayUnderTest(opencode: opencode)
        try gateway.start(instance)
        try instance.events.openings.wait(forCount: 1)
        let speaker = try Speaker(instance, "\(gateway.home.path)/demo")
        defer { speaker.stop() }
        var generator = SeededGenerator(seed: 7)
        var seen: [String] = []
        var gaps = 0
        var id: String?
        let kills = 100
        for kill in 0...kills {
            let client = try StreamClient(
                gateway, "/projects/demo/events", headers: id.map { [("Last-Event-ID", $0)] } ?? [])
            var gapsNow = 0
            var events = Int.random(in: 1...30, using: &generator)
            while events > 0 {
                let frame = try #require(try client.nextEvent(within: .seconds(30)))
                if let gap = frame.gap {
                    #expect(gap["reason"]?.text == "gateway-restarted")
                    gapsNow += 1
                } else {
                    events -= 1
                    seen.append("\(frame.number ?? -1)")
                }
            }
            gaps += gapsNow
            // If a gateway is killed before the client reaches its gap, the next gateway sends that gap with its own.
            #expect(gaps <= kill)
            if kill < kills {
                gateway.process.terminate(SIGKILL)
                try gateway.process.waitForExit()
                // Frames that left the gateway before the kill also count.
                while let frame = try? client.nextEvent() {
                    if let number = frame.number { seen.append("\(number)") }
                }
                id = client.lastID
                gateway = try GatewayUnderTest(opencode: opencode, after: gateway)
            } else {
                id = client.lastID
                client.close()
            }
        }
        let numbers = seen.compactMap { Int($0) }

        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(gaps <= kills)

        // Every event that a client received is still in the log, once, in the same order, and with a gap wherever
        // numbers are missing.
        let replay = try StreamClient(gateway, "/projects/demo/events?since=2000-01-01T00:00:00Z")
        var kept: [Int] = []
        var isGap = false
        while kept.last != numbers.last {
            let frame = try #require(try replay.nextEvent())
            guard let number = frame.number else {
                isGap = true
                continue
            }
            if let last = kept.last { #expect(number == last + 1 || isGap && number > last) }
            kept.append(number)
            isGap = false
        }

        #expect(Set(kept).count == kept.count)
        #expect(numbers.allSatisfy(Set(kept).contains))
        // The log has a gap wherever a client's numbers have one.
        #expect(kept.drop { $0 < numbers[0] }.elementsEqual(numbers))

        try gateway.terminate()
    }
}

/// Makes an instance send numbered events continuously, a few in a millisecond.
final class Speaker: Sendable {
    private let isStopped = Latch("the sender to be stopped")
    private let thread: TestThread

    init(_ instance: FakeOpenCode.Server, _ folder: String) throws {
        let isStopped = isStopped
        thread = try TestThread {
            var number = 0
            while !isStopped.isOpened(within: .milliseconds(5)) {
                let frames = (0..<Int.random(in: 1...5)).map { _ in
                    number += 1
                    return "data: {\"directory\":\"\(folder)\",\"payload\":\(HubFixture.payload(number))}\n\n"
                }
                instance.events.send(frames.joined())
            }
        }
    }

    func stop() {
        isStopped.open()
        thread.join()
    }
}
