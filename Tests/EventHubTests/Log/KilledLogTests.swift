// SPDX-License-Identifier: Apache-2.0

import EventHub
import Glibc
import TestKit
import Testing

@Suite struct KilledLogTests {
    @Test(.timeLimit(.minutes(2))) func `a log loses no appended event when its process is killed 100 times`() throws {
        let directory = try TemporaryDirectory()
        let program = try BuiltProducts.path("event-log-writer")
        var random = SeededGenerator(seed: 15)
        var appended = 0
        var generation: UInt64 = 0
        for round in 1...100 {
            // Kill the process at any moment: before anything was written, within a record, while a segment is created
            // or removed.
            let life = Int.random(in: 0...20_000, using: &random)
            let process = try TestProcess(program, ["append", directory.path, "\(life)"])
            try #require(try process.waitForExit(within: .seconds(30)) == .signalled(SIGKILL))
            let said = process.lines(of: .output)

            let log = EventLog.open(directory.path, project: "demo", limits: LogLimits(bytes: 4 << 20), now: 0)
            try #require(log.warning == nil, "round \(round): \(log.warning ?? "")")
            let all = LogUnderTest.events(log)
            try LogUnderTest.requireOrder(all, "round \(round)")
            if let begun = said.first.flatMap({ UInt64($0.dropFirst(5)) }) {
                try #require(begun > generation && log.lastGeneration == begun, "round \(round)")
                generation = begun
                appended += said.count - 1
                // Every event that was reported as appended is there, and at most one more.
                let count = UInt64(said.count - 1)
                let kept = all.compactMap { $0.event?.id }.filter { $0.generation == begun }
                try #require(count == 0 || kept.last.map { $0.sequence - count <= 1 } ?? false, "round \(round)")
            } else {
                generation = max(generation, log.lastGeneration)
            }
        }

        #expect(appended > 1_000)
    }
}

extension LogUnderTest {
    struct Read {
        var event: StoredEvent?
        var gap: EventGap?
    }

    static func events(_ log: EventLog) -> [Read] {
        var place = log.beginning
        var all: [Read] = []
        while true {
            let items = log.next(&place, atMost: 1 << 20)
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
    static func requireOrder(_ all: [Read], _ comment: Comment) throws {
        var last: EventID?
        var isGap = false
        for read in all {
            if let gap = read.gap {
                try #require(gap.from == last || last == nil, comment)
                try #require([.gatewayRestarted, .upstreamLost].contains(gap.reason), "\(comment): \(gap)")
                isGap = true
            }
            guard let event = read.event else { continue }
            if let last {
                let isNext = event.id.generation == last.generation && event.id.sequence == last.sequence + 1
                let isNew = event.id.generation > last.generation && event.id.sequence == 1 && isGap
                try #require(isNext || isNew, "\(comment): \(event.id.text) after \(last.text)")
            }
            let text = "\(event.id.sequence) "
            try #require(event.withLine { $0.count >= text.utf8.count && $0[0] == Array(text.utf8)[0] }, comment)
            last = event.id
            isGap = false
        }
    }
}
