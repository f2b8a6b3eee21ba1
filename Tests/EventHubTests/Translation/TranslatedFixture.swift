// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import Glibc
import OpenCodeFamilies
import Testing

/// A log of OpenCode 2's events, with readers of translated streams (OpenCode 1's API).
final class TranslatedFixture {
    let log: EventLog
    var encodedStreams = EncodedStreams()
    /// The queries that were sent, in order.
    private(set) var queries: [TranslationQuery] = []
    private var count = 0
    var answer: (TranslationQuery) -> TranslationAnswer = TranslatedFixture.usual

    /// Creates a log.
    ///
    /// - Parameter folder: The folder of the log; nil to keep a small part of it in memory.
    init(_ folder: String? = nil) {
        log = EventLog.open(
            folder, project: "demo", limits: LogLimits(bytes: 64 << 20, time: .seconds(86_400)), now: 1)
        log.beginGeneration(now: 5, after: nil)
    }

    static let instanceDefaults = TranslationAnswer.defaults(version: "2.0.15", configuration: [], model: [])

    static func usual(_ query: TranslationQuery) -> TranslationAnswer {
        guard case .session(let id) = query else { return instanceDefaults }
        let session = #"""
            {"data":{"id":"\#(id)","projectID":"p","title":"t","location":{"directory":"/d"},"time":{"created":1,"updated":1}}}
            """#
        return .session(Array(session.utf8), messages: [], inbox: [], active: [])
    }

    func append(_ line: String, family: APIFamily = .two, time: Int64 = 0) {
        count += 1
        let bytes = Array(line.utf8)
        _ = log.append(EventSkeleton(line: bytes.span, family: family), line: bytes.span, time: time + Int64(count))
    }

    /// Appends an event of this session.
    func appendEvent(_ type: String, _ session: String = "ses_1", _ members: String = "", directory: String = "/d") {
        append(
            #"{"id":"evt_\#(count)","created":\#(1_000 + count),"type":"\#(type)","location":{"directory":"\#(directory)"},"#
                + #""data":{"sessionID":"\#(session)"\#(members.isEmpty ? "" : "," + members)}}"#)
    }

    func created(_ session: String = "ses_1") {
        appendEvent("session.created", session, #""projectID":"p","location":{"directory":"/d"}"#)
    }

    /// Appends a turn with this number of text deltas.
    func turn(_ fragments: Int, _ session: String = "ses_1", number: Int = 1) {
        appendEvent("session.execution.started", session)
        appendEvent(
            "session.step.started", session,
            #""assistantMessageID":"msg_\#(number)","agent":"build","model":{"id":"m","providerID":"p"},"started":5"#)
        let text = #""assistantMessageID":"msg_\#(number)","ordinal":0"#
        appendEvent("session.text.started", session, text)
        for fragment in 0..<fragments {
            appendEvent("session.text.delta", session, text + #","delta":"\#(fragment) ""#)
        }
        appendEvent("session.text.ended", session, text + #","text":"all""#)
        appendEvent("session.step.ended", session, #""assistantMessageID":"msg_\#(number)","finish":"stop","cost":0"#)
        appendEvent("session.execution.succeeded", session)
    }

    func cursor(_ start: EventCursor.Start, _ encoding: EventEncoding = .raw, shape: EventShape = .payload)
        -> EventCursor
    {
        var cursor = EventCursor(
            start, now: log.end, project: "demo", shape: shape, isChunked: false, selector: EventSelector())
        cursor.isOpenCode1Compatible = true
        cursor.encoding = encoding
        return cursor
    }

    /// Reads to the end of the log, or to the end of a turn that is held back, and supplies the results of all queries.
    func readBatch(
        _ cursor: inout EventCursor, limit: Int = 700, now: Int64 = 1_000_000,
        isHeld: (_ session: [UInt8], _ frame: EventID) -> Bool = { _, _ in false },
        added: (_ session: [UInt8], _ frame: EventID) -> [[UInt8]] = { _, _ in [] }
    ) -> String {
        var bytes: [UInt8] = []
        for _ in 0..<100_000 {
            let batch = cursor.nextEncodedBatch(
                log, &encodedStreams, atMost: limit, connected: Array("data: connected\n\n".utf8), now: now,
                isBlocked: isHeld, added: added)
            bytes += batch.bytes
            cursor.sent(batch.bytes.count, of: batch)
            if let query = batch.query {
                queries.append(query)
                encodedStreams.resume(for: log, query: query, answer: answer(query))
            } else if batch.isAtEnd {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        Issue.record("no end")
        return ""
    }

    /// Reads values to the end, and supplies the results of all queries.
    func events(_ reader: inout TranslatedEventReader, limit: Int = 300) -> [TranslatedEvent] {
        var events: [TranslatedEvent] = []
        for _ in 0..<100_000 {
            let batch = reader.nextBatch(atMost: limit)
            events += batch.events
            if let query = batch.query {
                queries.append(query)
                reader.resume(answer(query))
            } else if batch.isAtEnd {
                return events
            }
        }
        Issue.record("no end")
        return []
    }

    func text(_ start: EventCursor.Start = .time(0), _ encoding: EventEncoding = .raw, shape: EventShape = .payload)
        -> String
    {
        var cursor = cursor(start, encoding, shape: shape)
        return readBatch(&cursor)
    }
}

extension String {
    var ids: [String] { Array(utf8).ids }
    var frames: [String] { components(separatedBy: "\n\n").filter { !$0.isEmpty } }
}

extension [UInt8] {
    /// The values of the `id: …` lines.
    var ids: [String] {
        parts(separatedBy: "\n").filter { $0.starts(with: Array("id: ".utf8)) }
            .map { String(decoding: $0.dropFirst(4), as: UTF8.self) }
    }

    /// Returns the non-empty parts between separators. The C library finds them, because a loop over bytes is slow
    /// without optimization.
    func parts(separatedBy separator: String) -> [ArraySlice<UInt8>] {
        let separator = Array(separator.utf8)
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return [] }
            var parts: [ArraySlice<UInt8>] = []
            var (start, position) = (0, 0)
            while let found = memchr(base + position, Int32(separator[0]), bytes.count - position) {
                let end = UnsafeRawPointer(found) - base
                guard end + separator.count <= bytes.count, memcmp(found, separator, separator.count) == 0 else {
                    position = end + 1
                    continue
                }
                if end > start { parts.append(self[start..<end]) }
                start = end + separator.count
                position = start
            }
            if start < bytes.count { parts.append(self[start...]) }
            return parts
        }
    }
}
