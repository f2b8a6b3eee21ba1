// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import Foundation
import OpenCodeFamilies
import TestKit

/// A log in its own folder. Its contents are written in short form: `5-1` is an event, and `gap retention 5-1..6-1` is
/// a gap.
struct LogUnderTest {
    let directory: TemporaryDirectory
    let limits: LogLimits
    var log: EventLog
    static let now: Int64 = 1_000_000

    init(_ limits: LogLimits = LogLimits(), inMemory: Bool = false) throws {
        directory = try TemporaryDirectory()
        self.limits = limits
        log = EventLog.open(inMemory ? nil : directory.path, project: "demo", limits: limits, now: Self.now)
    }

    var folder: String { "\(directory.path)/events/demo" }

    /// The files of the segments, in order.
    var files: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return (names ?? []).sorted()
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Opens the log as the next process finds it. The previous log must not be used afterwards.
    mutating func reopen(now: Int64 = Self.now, _ limits: LogLimits? = nil) {
        log = EventLog.open(directory.path, project: "demo", limits: limits ?? self.limits, now: now)
    }

    /// The items that the log keeps.
    var all: [String] { Self.all(log) }

    static func all(_ log: EventLog) -> [String] {
        var position = log.beginning
        return remainingItems(log, &position)
    }

    /// Returns the items after a position.
    static func remainingItems(_ log: EventLog, _ position: inout LogPosition, atMost bytes: Int = 1 << 20) -> [String]
    {
        var all: [String] = []
        while true {
            let items = log.next(&position, atMost: bytes)
            if items.isEmpty { return all }
            all += items.map(text)
        }
    }

    static func text(_ item: LogItem) -> String {
        switch item {
        case .event(let event): event.id.text
        case .gap(let gap, _): text(gap)
        }
    }

    static func text(_ gap: EventGap) -> String {
        "gap \(gap.reason.rawValue) \(gap.from?.text ?? "")..\(gap.to?.text ?? "")"
    }

    /// Returns everything that a client receives from this position: first the gap if there is one, and then the
    /// events.
    static func found(_ log: EventLog, _ search: LogSearch) -> [String] {
        switch search {
        case .position(var position): return remainingItems(log, &position)
        case .gap(let gap, var position): return [text(gap)] + remainingItems(log, &position)
        }
    }
}

extension EventLog {
    /// Appends an event whose line contains its number and has at least `size` bytes.
    @discardableResult func add(_ number: Int = 0, size: Int = 40, time: Int64 = LogUnderTest.now) -> StoredEvent {
        let line = Self.line(number, size: size)
        return append(EventLog.skeleton(line.count), line: line.span, time: time)
    }

    func add(_ numbers: ClosedRange<Int>, size: Int = 40, time: Int64 = LogUnderTest.now) {
        for number in numbers { add(number, size: size, time: time) }
    }

    static func line(_ number: Int, size: Int) -> [UInt8] {
        let head = Array(#"{"number":\#(number),"text":""#.utf8)
        return head + [UInt8](repeating: UInt8(ascii: "x"), count: max(0, size - head.count - 2)) + Array(#""}"#.utf8)
    }

    static func skeleton(_ count: Int) -> EventSkeleton {
        var skeleton = EventSkeleton()
        skeleton.type = Array("message.part.delta".utf8)
        skeleton.directory = Array("/home/vibe/demo".utf8)
        skeleton.session = Array("ses_1".utf8)
        skeleton.part = []
        skeleton.payload = 1..<count - 1
        return skeleton
    }
}

extension StoredEvent {
    var line: [UInt8] { withLine { [UInt8](copying: $0) } }
}

func id(_ generation: UInt64, _ sequence: UInt64) -> EventID { EventID(generation: generation, sequence: sequence) }
