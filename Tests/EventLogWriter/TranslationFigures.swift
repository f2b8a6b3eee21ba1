// SPDX-License-Identifier: Apache-2.0

import EventHub
import Glibc
import OpenCodeFamilies

/// Measures the processor time for one text delta of OpenCode 2: appended and sent unchanged, translated and sent to a
/// first client, and sent to another client. The measurement uses a text of 4,000 deltas, ten times. Only the figures
/// of an optimized build are meaningful.
enum TranslationFigures {
    private static let (turns, deltaCount) = (10, 4_000)
    private static let session = "ses_dfd7ba361ffexN0xuLQ5LGHGtU"
    private static let now: Int64 = 1_795_338_600_000

    static func print() {
        var (appending, framing, translating, again) = (0, 0, 0, 0)
        for turn in 0..<turns {
            let log = EventLog.open(nil, project: "figures", limits: LogLimits(bytes: 64 << 20), now: 1)
            log.beginGeneration(now: 5, after: nil)
            let start = log.end
            for line in beginning(turn) { append(line, log) }
            let deltas = (0..<deltaCount).map { delta($0, turn) }
            let after = log.end.last
            appending += time { for line in deltas { append(line, log) } }

            var plain = cursor(after, start)
            framing += time { while !step(&plain, plain.nextBatch(log, atMost: 64 << 10, connected: [])) {} }

            // The measurement excludes the events before the deltas.
            var encodedStreams = EncodedStreams()
            var translated = cursor(nil, start)
            translated.isOpenCode1Compatible = true
            var first = 0
            translating += time { first = readAll(&translated, log, &encodedStreams) }
            var another = cursor(nil, start)
            another.isOpenCode1Compatible = true
            var second = 0
            again += time { second = readAll(&another, log, &encodedStreams) }
            guard first == second, first > deltaCount * 200 else {
                return printLine("error: \(first) bytes, \(second) bytes")
            }
        }
        let count = turns * deltaCount
        printLine("kept: \((appending + framing) / count) ns an event, \(framing / count) of them for its frame")
        printLine("translated: \(translating / count) ns an event")
        printLine("next client: \(again / count) ns an event")
    }

    private static func time(_ body: () -> Void) -> Int {
        let begun = Figures.processorTime()
        body()
        return Figures.processorTime() - begun
    }

    private static func cursor(_ id: EventID?, _ start: LogPosition) -> EventCursor {
        EventCursor(
            id.map { .after($0) } ?? .time(0), now: start, project: "figures", shape: .payload, isChunked: true,
            selector: EventSelector())
    }

    /// Advances the cursor by a batch, and returns whether nothing is left to read.
    private static func step(_ cursor: inout EventCursor, _ batch: EventBatch) -> Bool {
        cursor.sent(batch.bytes.count, of: batch)
        return batch.isAtEnd
    }

    private static func readAll(_ cursor: inout EventCursor, _ log: EventLog, _ encodedStreams: inout EncodedStreams)
        -> Int
    {
        var bytes = 0
        while true {
            let batch = cursor.nextEncodedBatch(log, &encodedStreams, atMost: 64 << 10, connected: [], now: now)
            bytes += batch.bytes.count
            cursor.sent(batch.bytes.count, of: batch)
            if let query = batch.query {
                encodedStreams.resume(
                    for: log, query: query, answer: .defaults(version: "2.0.15", configuration: [], model: []))
            } else if batch.isAtEnd {
                return bytes
            }
        }
    }

    private static func append(_ line: [UInt8], _ log: EventLog) {
        _ = log.append(EventSkeleton(line: line.span, family: .two), line: line.span, time: now)
    }

    /// Returns an event in the format of OpenCode 2.0.15.
    private static func event(_ type: String, _ number: Int, _ data: String) -> [UInt8] {
        let head = #"{"id":"evt_202845f\#(100_000 + number)CVm1ZAuMZoafal","created":1795338559385,"type":"\#(type)""#
        let position = #""location":{"directory":"/home/vibe/demo"}"#
        return Array(#"\#(head),\#(position),"data":{"sessionID":"\#(session)",\#(data)}}"#.utf8)
    }

    private static func delta(_ number: Int, _ turn: Int) -> [UInt8] {
        event(
            "session.text.delta", number,
            #""assistantMessageID":"msg_202845e4d00\#(turn)P39goeNtlySojN","ordinal":0,"#
                + #""delta":"The parser reads one line at a time. It keeps ""#)
    }

    private static func beginning(_ turn: Int) -> [[UInt8]] {
        let message = #""assistantMessageID":"msg_202845e4d00\#(turn)P39goeNtlySojN""#
        let created = #""projectID":"p","location":{"directory":"/home/vibe/demo"}"#
        let step = #"\#(message),"agent":"build","model":{"id":"m","providerID":"p"},"started":5"#
        return [
            event("session.created", 1, created), event("session.execution.started", 2, #""agent":"build""#),
            event("session.step.started", 3, step), event("session.text.started", 4, message + #","ordinal":0"#),
        ]
    }
}
