// SPDX-License-Identifier: Apache-2.0

import EventHub
import Glibc
import Locking
import Testing

@Suite struct LogThreadTests {
    /// One thread appends while the oldest segments are removed. Readers that miss events must receive a gap.
    @Test(.timeLimit(.minutes(2)), arguments: [true, false])
    func `concurrent readers receive each event in order or a gap`(inMemory: Bool) throws {
        let test = try LogUnderTest(LogLimits(bytes: 1 << 20), inMemory: inMemory)
        let log = test.log
        log.beginGeneration(now: 5, after: nil)
        let count: UInt64 = 20_000
        let faults = Locked<[String]>([])
        let readers = try (0..<3).map { reader in
            try WorkerThread(name: "reader-\(reader)") {
                let fault = LogThreadTests.readEvents(log, until: count, slowly: reader == 2)
                faults.withLock { $0 += fault.map { ["\(reader): \($0)"] } ?? [] }
            }
        }
        let finder = try WorkerThread(name: "finder") {
            var known: UInt64 = 1
            while log.summary.last == nil {}
            while known < count {
                if case .gap(let gap, _) = log.position(after: id(5, known)), gap.reason != .retention {
                    faults.withLock { $0.append("\(known): \(gap)") }
                }
                known = log.summary.last?.sequence ?? 1
            }
        }
        let writer = try WorkerThread(name: "writer") {
            for number in 1...Int(count) {
                log.add(number, size: number % 900)
                if number % 1_000 == 0 { log.trim(now: 0) }
            }
        }
        for thread in [writer, finder] + readers { thread.join() }

        #expect(faults.withLock { $0 } == [])
    }

    /// One thread appends while the disk becomes available and unavailable. Readers must lose nothing without a gap.
    @Test(.timeLimit(.minutes(2))) func `readers continue while segments move between memory and the disk`() throws {
        let test = try LogUnderTest(LogLimits(bytes: 8 << 20))
        let log = test.log
        log.beginGeneration(now: 5, after: nil)
        let count: UInt64 = 20_000
        let faults = Locked<[String]>([])
        let readers = try (0..<3).map { reader in
            try WorkerThread(name: "reader-\(reader)") {
                let fault = LogThreadTests.readEvents(log, until: count, slowly: reader == 2)
                faults.withLock { $0 += fault.map { ["\(reader): \($0)"] } ?? [] }
            }
        }
        let moves = Locked(0)
        let writer = try WorkerThread(name: "writer") {
            for number in 1...Int(count) {
                log.add(number, size: number % 900)
                switch number % 2_000 {
                case 500:
                    rename(test.folder, test.folder + "-")
                    close(open(test.folder, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
                case 1_500:
                    unlink(test.folder)
                    rename(test.folder + "-", test.folder)
                    if log.isWaitingForDisk { moves.withLock { $0 += 1 } }
                    log.retryDisk(now: 0)
                default: break
                }
            }
        }
        for thread in [writer] + readers { thread.join() }

        #expect(faults.withLock { $0 } == [])
        #expect(moves.withLock { $0 } > 0)
    }

    /// Reads up to an event; returns a description of the first error, or nil.
    private static func readEvents(_ log: EventLog, until count: UInt64, slowly: Bool) -> String? {
        var position = log.beginning
        var last: UInt64 = 0
        var missing = false
        while last < count {
            for item in log.next(&position, atMost: slowly ? 1 : 100_000) {
                switch item {
                case .gap(let gap, _):
                    guard gap.reason == .retention, gap.from?.sequence ?? 0 == last else {
                        return "\(gap) after \(last)"
                    }
                    missing = true
                case .event(let event):
                    let sequence = event.id.sequence
                    guard sequence == last + 1 || (missing || last == 0) && sequence > last else {
                        return "\(sequence) after \(last)"
                    }
                    let number = Int(sequence)
                    guard event.line == EventLog.line(number, size: number % 900) else { return "line of \(sequence)" }
                    last = sequence
                    missing = false
                }
            }
        }
        return nil
    }
}
