// SPDX-License-Identifier: Apache-2.0

import EventHub
import Glibc
import OpenCodeFamilies

/// A process that keeps events in a log. Tests kill it or remove its disk, and benchmarks measure it. The process
/// reports its progress on standard output, one line for each step.
@main enum EventLogWriter {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["translation"] { return TranslationFigures.print() }
        guard arguments.count >= 2 else { exit(2) }
        let folder = arguments[1]
        switch arguments[0] {
        case "append": append(folder, microseconds: arguments.count > 2 ? Int(arguments[2]) : nil)
        case "fill": fill(folder)
        case "figures": Figures.print(folder)
        default: exit(2)
        }
    }

    /// Appends events of all sizes, and gaps, until it is killed. Prints the id of each event after appending it.
    private static func append(_ folder: String, microseconds: Int?) {
        let log = EventLog.open(folder, project: "demo", limits: LogLimits(bytes: 4 << 20), now: milliseconds())
        if let microseconds { dieAfter(microseconds: microseconds) }
        log.beginGeneration(now: milliseconds(), after: log.lastGeneration == 0 ? nil : .gatewayRestarted)
        printLine("open \(log.lastGeneration)")
        var number = 0
        while true {
            number += 1
            let size = number % 50 == 0 ? 100_000 : number % 7 * 300
            let event = append(log, number, size: size)
            printLine(event.id.text)
            if number % 40 == 0 { log.append(gap: .upstreamLost, time: milliseconds()) }
        }
    }

    /// Appends events until the disk is full, and then more events. Then removes the file `ballast` next to the folder,
    /// and prints nothing more until the disk is used again.
    private static func fill(_ folder: String) {
        let log = EventLog.open(folder, project: "demo", limits: LogLimits(), now: 1)
        log.beginGeneration(now: 1, after: nil)
        var number = 0
        while log.warning == nil, number < 100_000 {
            number += 1
            append(log, number, size: 1_000)
        }
        printLine("full: \(log.warning ?? "never")")
        let onDisk = log.segments.filter(\.isFile).count
        for _ in 0..<10_000 {
            number += 1
            append(log, number, size: 1_000)
        }
        let segments = log.segments
        let inMemory = segments.filter { !$0.isFile }.reduce(0) { $0 + $1.bytes }
        printLine("in memory: \(segments.filter(\.isFile).count == onDisk && inMemory <= LogLimits.memoryBytes)")
        var position = log.beginning
        var items = 0
        var gaps: [String] = []
        while true {
            let batch = log.next(&position, atMost: 1 << 20)
            if batch.isEmpty { break }
            for item in batch {
                items += 1
                if case .gap(let gap, _) = item { gaps.append(gap.reason.rawValue) }
            }
        }
        printLine("gaps: \(gaps.joined(separator: " "))")
        log.retryDisk(now: 1)
        printLine("still full: \(log.isWaitingForDisk)")
        unlink("\(folder)/ballast")
        log.retryDisk(now: 1)
        printLine("again: \(log.warning ?? "on disk") \(log.segments.allSatisfy(\.isFile))")
        // Reading continues after the events that were kept in memory.
        let event = append(log, number + 1, size: 1_000)
        printLine("next: \(ids(log, from: position) == [event.id.text])")
        let next = EventLog.open(folder, project: "demo", limits: LogLimits(), now: 1)
        printLine("found: \(ids(next, from: next.beginning) == ids(log, from: log.beginning))")
    }

    /// Returns the ids of all events after a position. A gap is represented by its reason.
    private static func ids(_ log: EventLog, from start: LogPosition) -> [String] {
        var position = start
        var ids: [String] = []
        while true {
            let items = log.next(&position, atMost: 1 << 20)
            if items.isEmpty { return ids }
            for item in items {
                switch item {
                case .event(let event): ids.append(event.id.text)
                case .gap(let gap, _): ids.append(gap.reason.rawValue)
                }
            }
        }
    }

    @discardableResult static func append(_ log: EventLog, _ number: Int, size: Int) -> StoredEvent {
        let line = Array("\(number) ".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
        var skeleton = EventSkeleton()
        skeleton.type = Array("message.part.delta".utf8)
        skeleton.session = Array("ses_\(number % 3)".utf8)
        return log.append(skeleton, line: line.span, time: milliseconds())
    }

    static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Makes the kernel send SIGKILL, however busy the machine and this process are.
    private static func dieAfter(microseconds: Int) {
        var event = sigevent()
        event.sigev_notify = Int32(SIGEV_SIGNAL)
        event.sigev_signo = SIGKILL
        var timer: timer_t?
        var time = itimerspec()
        time.it_value = timespec(tv_sec: 0, tv_nsec: 1 + microseconds * 1_000)
        guard timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, timer_settime(timer, 0, &time, nil) == 0 else {
            printLine("error: timer_create \(errno)")
            exit(2)
        }
    }
}

/// Writes a line without buffering, so that it is printed even if the process is killed right after.
func printLine(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
