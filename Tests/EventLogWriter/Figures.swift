// SPDX-License-Identifier: Apache-2.0

import EventHub
import Glibc
import OpenCodeFamilies

/// Measures the cost of appending and reading 100,000 events of 1 KiB. Only the figures of an optimized build are
/// meaningful.
enum Figures {
    private static let count = 100_000

    static func print(_ folder: String) {
        let log = EventLog.open(folder, project: "figures", limits: LogLimits(bytes: 256 << 20), now: 1)
        log.beginGeneration(now: EventLogWriter.milliseconds(), after: nil)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1024)
        var skeleton = EventSkeleton()
        skeleton.type = Array("message.part.delta".utf8)
        skeleton.directory = Array("/home/vibe/projects/demo".utf8)
        skeleton.session = Array("ses_e03ff0fb1ffe2jP7lXoQWsI2LR".utf8)
        skeleton.message = Array("msg_e03ff0fb1ffe2jP7lXoQWsI2LR".utf8)
        skeleton.part = Array("prt_e03ff0fb1ffe2jP7lXoQWsI2LR".utf8)
        skeleton.payload = 0..<line.count
        var times: [Int] = []
        times.reserveCapacity(count)
        // The figures include the cost of reading the clock, which is a system call.
        let begun = processorTime()
        for _ in 0..<count {
            let before = processorTime()
            _ = log.append(skeleton, line: line.span, time: 1)
            times.append(processorTime() - before)
        }
        let all = processorTime() - begun
        var remaining = (0..<1_000).map { _ in
            let before = processorTime()
            return processorTime() - before
        }
        times.sort()
        remaining.sort()
        printLine(
            "append: median \(times[count / 2] - remaining[500]) ns, 99 % \(times[count * 99 / 100] - remaining[500]) ns"
        )
        printLine("append: mean with two questions for the time \(all / count) ns, a question \(remaining[500]) ns")

        var position = log.beginning
        var bytes = 0
        var sum = 0
        let reading = processorTime()
        while true {
            let items = log.next(&position, atMost: 256 << 10)
            if items.isEmpty { break }
            for case .event(let event) in items {
                bytes += event.size
                sum += event.withLine { Int($0[0]) + Int($0[$0.count - 1]) }
            }
        }
        let read = processorTime() - reading
        let speed = bytes * 1_000 / max(read, 1)
        printLine("read: \(count) events, \(bytes) bytes in \(read / 1_000) µs, \(speed) MB/s (\(sum & 1))")

        let finding = processorTime()
        for index in 1...1_000 {
            _ = log.position(after: EventID(generation: log.lastGeneration, sequence: UInt64(index * 97)))
        }
        printLine("find: \((processorTime() - finding) / 1_000_000) µs each of 1,000")

        let opening = processorTime()
        let again = EventLog.open(folder, project: "figures", limits: LogLimits(bytes: 256 << 20), now: 1)
        printLine("open: \(again.summary.bytes >> 20) MiB in \((processorTime() - opening) / 1_000) µs")
    }

    /// Returns the processor time of this thread in nanoseconds.
    static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
