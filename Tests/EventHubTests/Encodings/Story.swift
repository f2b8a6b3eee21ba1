// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import OpenCodeFamilies

/// Events with the times at which they were recorded, and the frames that encodings make of them.
struct Story {
    struct Event {
        var time: UInt64
        let json: [UInt8]
        let skeleton: EventSkeleton

        init(_ time: UInt64, _ text: String) {
            self.time = time
            let bytes = Array(text.utf8)
            json = bytes
            skeleton = EventSkeleton(line: bytes.span, family: .one)
        }
    }

    static let start: UInt64 = 1_795_228_322_000
    var events: [Event] = []

    /// Returns a turn that was recorded from a version of OpenCode.
    static func recorded(_ version: String, _ name: String) throws -> Story {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(
            contentsOf: tests.appending(path: "Fixtures/opencode/\(version)/turn-\(name).txt"), encoding: .utf8)
        return Story(
            events: text.split(separator: "\n").map { line in
                let space = line.firstIndex(of: " ") ?? line.startIndex
                return Event(start + (UInt64(line[..<space]) ?? 0), String(line[space...].dropFirst()))
            })
    }

    /// Returns every stream of one directory that was recorded from a version of OpenCode, if the environment variable
    /// `OPENCODE_RECORDINGS` names the folder of the recordings. A stream ends at the first read that was omitted.
    static func recordings(_ version: String) throws -> [Story] {
        guard let root = ProcessInfo.processInfo.environment["OPENCODE_RECORDINGS"] else { return [] }
        struct Read: Decodable {
            var ms: Double?
            var text: String?
        }
        let folder = URL(filePath: root).appending(path: version)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasPrefix("events-") && !$0.contains("global") }
            .map { name in
                var story = Story()
                var remainder = ""
                let lines = try Data(contentsOf: folder.appending(path: name)).split(separator: UInt8(ascii: "\n"))
                for line in lines.dropFirst() {
                    let read = try JSONDecoder().decode(Read.self, from: Data(line))
                    guard let text = read.text else { break }
                    let frames = (remainder + text).components(separatedBy: "\n\n")
                    remainder = frames.last ?? ""
                    story.events += frames.dropLast().map {
                        Event(start + UInt64(read.ms ?? 0), String($0.dropFirst("data: ".count)))
                    }
                }
                return story
            }
    }

    static let versions = ["1.1.11", "1.2.27", "1.18.33"]

    static func id(_ index: Int) -> EventID { EventID(generation: 7, sequence: UInt64(index + 1)) }

    /// Returns all frames. Calls `due` at the given times as far as a timer could call it, which is never after the
    /// time of an event that is recorded later.
    func frames(_ encoding: EventEncoding, from first: Int = 0, timers: [UInt64] = []) -> [EncodedFrame] {
        var state = EncodingState(encoding: encoding)
        var timers = timers.sorted()[...]
        var frames: [EncodedFrame] = []
        for index in events.indices.dropFirst(first) {
            while let timer = timers.first, timer <= events[index].time {
                frames += state.due(now: timer)
                timers = timers.dropFirst()
            }
            frames += apply(index, &state)
        }
        while let deadline = state.deadline { frames += state.due(now: deadline) }
        return frames
    }

    func apply(_ index: Int, _ state: inout EncodingState) -> [EncodedFrame] {
        let event = events[index]
        let json = event.json
        return state.encode(id: Self.id(index), time: event.time, skeleton: event.skeleton, payload: json.span)
    }

    /// Returns, for a client that stopped after each event, the index of the event from which the state is rebuilt.
    /// This is the beginning of the oldest turn that was running.
    func beginnings() -> [Int] {
        var turns = TurnBeginnings()
        return events.indices.map { index in
            let json = events[index].json
            turns.record(id: Self.id(index), skeleton: events[index].skeleton, payload: json.span)
            return turns.first.map { Int($0.sequence) - 1 } ?? index
        }
    }

    /// Returns the JSON of a frame's event.
    func payload(_ frame: EncodedFrame) -> [UInt8] { frame.made?.payload ?? events[Int(frame.id.sequence) - 1].json }

    /// Returns the size of all events' JSON in bytes.
    func size(_ frames: [EncodedFrame]) -> Int { frames.reduce(0) { $0 + payload($1).count } }
}

extension Story.Event {
    /// Returns an event with the whole text of a part that grows, or of one that has ended.
    static func update(
        _ time: UInt64, _ text: String, part: String = "p", session: String = "s", delta: String? = nil,
        hasEnded: Bool = false
    ) -> Self {
        let ids = #""id":"\#(part)","sessionID":"\#(session)","messageID":"m""#
        let times = hasEnded ? #"{"start":1,"end":2}"# : #"{"start":1}"#
        let added = delta.map { #","delta":"\#($0)""# } ?? ""
        let json = #"{\#(ids),"type":"text","text":"\#(text)","time":\#(times)}"#
        return Self(time, #"{"type":"message.part.updated","properties":{"part":\#(json)\#(added)}}"#)
    }

    /// Returns an event with a delta of a part's text.
    static func delta(
        _ time: UInt64, _ text: String, part: String = "p", session: String = "s", field: String = "text"
    ) -> Self {
        let ids = #""sessionID":"\#(session)","messageID":"m","partID":"\#(part)""#
        let properties = #"{\#(ids),"field":"\#(field)","delta":"\#(text)"}"#
        return Self(time, #"{"type":"message.part.delta","properties":\#(properties)}"#)
    }

    /// Returns a delta in the form of OpenCode 2.
    static func second(_ text: String, _ ordinal: Int, _ kind: String = "text") -> Self {
        let data = #"{"sessionID":"s","assistantMessageID":"m","ordinal":\#(ordinal),"delta":"\#(text)"}"#
        return Self(1, #"{"id":"e","type":"session.\#(kind).delta","location":{"directory":"/a"},"data":\#(data)}"#)
    }
}

/// A minimal client that stores parts by their ids. Updates replace the parts, and deltas are appended.
struct Client {
    /// Whether the client supports `message.part.delta`, as clients of 1.2 and later do.
    var knowsDeltas = true
    var parts: [String: NSDictionary] = [:]

    mutating func apply(_ payload: [UInt8]) throws {
        let event = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] ?? [:]
        let properties = event["properties"] as? [String: Any] ?? [:]
        switch event["type"] as? String {
        case "message.part.updated":
            let part = properties["part"] as? NSDictionary ?? [:]
            parts[part["id"] as? String ?? ""] = part
        case "message.part.delta" where knowsDeltas:
            let id = properties["partID"] as? String ?? ""
            guard let part = parts[id]?.mutableCopy() as? NSMutableDictionary,
                let field = properties["field"] as? String, let delta = properties["delta"] as? String
            else { return }
            part[field] = (part[field] as? String ?? "") + delta
            parts[id] = part
        default: break
        }
    }

    /// Returns the parts at the end of a story.
    static func parts(_ story: Story, _ frames: [EncodedFrame], knowsDeltas: Bool = true) throws -> [String:
        NSDictionary]
    {
        var client = Client(knowsDeltas: knowsDeltas)
        for frame in frames { try client.apply(story.payload(frame)) }
        return client.parts
    }
}

/// A generator whose numbers are the same in every run.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
