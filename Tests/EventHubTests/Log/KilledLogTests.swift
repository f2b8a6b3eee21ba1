// SPDX-License-Identifier: Apache-2.0

import EventHub
import Glibc
import TestKit
import Testing

@Suite struct KilledLogTests {
    /// Tests four logs, each with a sequence of processes. The sequences run at the same time.
    @Test(.timeLimit(.minutes(2)), arguments: 0..<4)
    func `a log whose process is killed 100 times loses no appended event`(sequence: Int) throws {
        let directory = try TemporaryDirectory()
        let program = try BuiltProducts.path("event-log-writer")
        var random = SeededGenerator(seed: UInt64(15 + sequence))
        var appended = 0
        var generation: UInt64 = 0
        for round in 1...25 {
            // Kill the process at any moment: before anything was written, within a record, or while a segment is
            // created or removed.
            let life = Int.random(in: 0...20_000, using: &random)
            let process = try TestProcess(program, ["append", directory.path, "\(life)"])
            try #require(try process.waitForExit(within: .seconds(30)) == .signalled(SIGKILL))
            let received = process.lines(of: .output)

            let log = EventLog.open(directory.path, project: "demo", limits: LogLimits(bytes: 4 << 20), now: 0)
            try #require(log.warning == nil, "round \(round): \(log.warning ?? "")")
            let all = LogUnderTest.events(log)
            try LogUnderTest.requireOrder(all, "round \(round)")
            if let begun = received.first.flatMap({ UInt64($0.dropFirst(5)) }) {
                try #require(begun > generation, "round \(round)")
                try #require(log.lastGeneration == begun, "round \(round)")
                generation = begun
                appended += received.count - 1
                // The log contains every event that was reported as appended, and at most one more.
                let count = UInt64(received.count - 1)
                let kept = all.compactMap { $0.event?.id }.filter { $0.generation == begun }
                try #require(count == 0 || kept.last.map { $0.sequence - count <= 1 } ?? false, "round \(round)")
            } else {
                generation = max(generation, log.lastGeneration)
            }
        }

        #expect(appended > 250)
    }
}

extension LogUnderTest {
    struct Read {
        var event: StoredEvent?
        var gap: EventGap?
    }

    static func events(_ log: EventLog) -> [Read] {
        var position = log.beginning
        var all: [Read] = []
        while true {
            let items = log.next(&position, atMost: 1 << 20)
            if items.isEmpty { return all }
            for item in items {
                switch item {
                case .event(let event): all.append(Read(event: event))
                case .gap(let gap, _): all.append(Read(gap: gap))
                }
            }
        }
    }

    /// Requires an order without holes or duplicates, whole events, and generations in order with a gap between them.
    ///
    /// Only a failure is an expectation of the testing library, because hundreds of thousands of events are checked.
    static func requireOrder(_ all: [Read], _ comment: String) throws {
        var last: EventID?
        var isGap = false
        for read in all {
            if let gap = read.gap {
                guard gap.from == last || last == nil, [.gatewayRestarted, .upstreamLost].contains(gap.reason) else {
                    throw Disorder(description: "\(comment): \(gap)")
                }
                isGap = true
            }
            guard let event = read.event else { continue }
            if let last {
                let isNext = event.id.generation == last.generation && event.id.sequence == last.sequence + 1
                let isNew = event.id.generation > last.generation && event.id.sequence == 1 && isGap
                guard isNext || isNew else {
                    throw Disorder(description: "\(comment): \(event.id.text) after \(last.text)")
                }
            }
            let text = Array("\(event.id.sequence) ".utf8)
            guard event.withLine({ $0.count >= text.count && $0[0] == text[0] }) else {
                throw Disorder(description: "\(comment): the line of \(event.id.text) is another one")
            }
            last = event.id
            isGap = false
        }
    }

    struct Disorder: Error, CustomStringConvertible {
        let description: String
    }
}
