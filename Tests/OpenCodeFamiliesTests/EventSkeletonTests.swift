// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

@Suite struct EventSkeletonTests {
    private func parse(_ line: String, _ family: APIFamily = .one) -> EventSkeleton {
        let bytes = Array(line.utf8)
        return EventSkeleton(line: bytes.span, family: family)
    }

    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    // MARK: Recorded events

    /// The result of a plain JSON decoder.
    private struct Expected: Equatable {
        var type: String
        var directory, session, parent, message, part: String?

        init(_ skeleton: EventSkeleton) {
            func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
            type = text(skeleton.type) ?? ""
            directory = text(skeleton.directory)
            session = text(skeleton.session)
            parent = text(skeleton.parentSession)
            message = text(skeleton.message)
            part = text(skeleton.part)
        }

        init(_ line: Data, _ family: APIFamily) throws {
            let event = try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
            let wrapped = event["payload"] as? [String: Any]
            let payload = wrapped ?? event
            type = payload["type"] as? String ?? ""
            if family == .two {
                let data = payload["data"] as? [String: Any] ?? [:]
                directory = (payload["location"] as? [String: Any])?["directory"] as? String
                session = data["sessionID"] as? String ?? (data["form"] as? [String: Any])?["sessionID"] as? String
                if type == "session.created" { parent = data["parentID"] as? String }
                message = data["assistantMessageID"] as? String ?? data["messageID"] as? String
                return
            }
            let properties = payload["properties"] as? [String: Any] ?? [:]
            let info = properties["info"] as? [String: Any] ?? [:]
            let part = properties["part"] as? [String: Any] ?? [:]
            // The value is empty if the fixture omits it, and "global" in events of the whole server.
            directory = (event["directory"] as? String).flatMap { ["", "global"].contains($0) ? nil : $0 }
            session = properties["sessionID"] as? String ?? info["sessionID"] as? String ?? part["sessionID"] as? String
            message = properties["messageID"] as? String ?? part["messageID"] as? String
            self.part = properties["partID"] as? String ?? part["id"] as? String
            switch type {
            case "session.created", "session.updated", "session.deleted":
                session = info["id"] as? String
                parent = info["parentID"] as? String
            case "message.updated": message = info["id"] as? String
            case "sync":
                let data = (payload["syncEvent"] as? [String: Any])?["data"] as? [String: Any]
                session = data?["sessionID"] as? String
            case "server.instance.disposed": directory = directory ?? properties["directory"] as? String
            default: break
            }
        }
    }

    /// Returns the events of every stream that was recorded from a version.
    private func events(_ version: String) throws -> [(name: String, line: Data)] {
        let folder = Fixtures.folder("\(version)/events")
        var events: [(String, Data)] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            let lines = try Data(contentsOf: folder.appending(path: name)).split(separator: UInt8(ascii: "\n"))
            events += lines.dropFirst().map { (name, Data($0)) }
        }
        for name in ["events-talk.txt", "events-global-other-directory.txt", "events-worktree.txt"] {
            guard let stream = try? Fixtures.data(version, name) else { continue }
            events += stream.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: "data: ".utf8) }
                .map { (name, Data($0.dropFirst(6))) }
        }
        return events
    }

    @Test(arguments: Fixtures.versions + ["2.0.15"])
    func `each recorded event is read as a plain JSON decoder reads it`(version: String) throws {
        let family: APIFamily = version == "2.0.15" ? .two : .one
        let events = try events(version) + Fixtures.recordedEvents(version)

        #expect(events.count > 300)

        var types: Set<String> = []
        for (name, line) in events {
            let bytes = Array(line)
            let skeleton = EventSkeleton(line: bytes.span, family: family)
            let expected = try Expected(line, family)
            #expect(Expected(skeleton) == expected, "\(name): \(String(decoding: line.prefix(300), as: UTF8.self))")
            let payload = Data(bytes[skeleton.payload])
            let event = try #require(try JSONSerialization.jsonObject(with: line) as? NSDictionary)
            let own = try #require(try JSONSerialization.jsonObject(with: payload) as? NSDictionary)
            #expect(own == event["payload"] as? NSDictionary ?? event)
            types.insert(expected.type)
        }

        #expect(types.count > 15)
    }

    // MARK: Single promises

    @Test func `the members of an event are read in any order`() {
        let skeleton = parse(
            #" { "payload" : {"properties":{"delta":"x","part":{"messageID":"m","id":"p","sessionID":"s"}},"#
                + #""type":"message.part.updated"} , "project":"q","directory":"/a" } "#)

        #expect(text(skeleton.type) == "message.part.updated")
        #expect(text(skeleton.directory) == "/a")
        #expect([skeleton.session, skeleton.message, skeleton.part].map(text) == ["s", "m", "p"])

        let two = parse(
            #"{"data":{"assistantMessageID":"m","sessionID":"s"},"location":{"directory":"/b"},"type":"session.text.delta"}"#,
            .two)

        #expect(
            [two.type, two.directory, two.session, two.message].map(text) == ["session.text.delta", "/b", "s", "m"])
    }

    @Test func `escaped keys and values are decoded`() {
        let skeleton = parse(
            #"{"dir\u0065ctory":"\/a\"\u00e9\ud83d\ude80","payload":{"\u0074ype":"session.id\u006ce","#
                + #""properties":{"sessionI\u0044":"s\\"}}}"#)

        #expect(text(skeleton.directory) == "/a\"é🚀")
        #expect(text(skeleton.type) == "session.idle")
        #expect(text(skeleton.session) == "s\\")
    }

    @Test func `members at other positions in an event are ignored`() {
        let skeleton = parse(
            #"{"directory":"/a","x":{"directory":"/no","payload":{"type":"no"}},"payload":{"type":"file.edited","#
                + #""list":[{"type":"no"},"]}"],"properties":{"deep":{"sessionID":"no"},"file":"\"sessionID\":\"no\""}}}"#
        )

        #expect(text(skeleton.type) == "file.edited")
        #expect(text(skeleton.directory) == "/a")
        #expect(skeleton.session == nil)
    }

    @Test func `the parent of a message and the id of a terminal are not sessions`() {
        let message = parse(
            #"{"type":"message.updated","properties":{"info":{"id":"m","sessionID":"s","parentID":"m0"}}}"#)

        #expect([message.session, message.message, message.parentSession].map(text) == ["s", "m", nil])
        #expect(parse(#"{"type":"pty.created","properties":{"info":{"id":"pty_1"}}}"#).session == nil)

        let fork = parse(#"{"type":"session.forked","data":{"sessionID":"s","parentID":"t"}}"#, .two)

        #expect([fork.session, fork.parentSession].map(text) == ["s", nil])
    }

    @Test func `an event about the whole server names no directory`() {
        #expect(parse(#"{"directory":"global","payload":{"type":"global.disposed","properties":{}}}"#).directory == nil)
        #expect(parse(#"{"payload":{"type":"server.heartbeat","properties":{}}}"#).isHeartbeat)
        #expect(parse(#"{"type":"server.connected","data":{}}"#, .two).isConnected)

        let disposed = parse(#"{"type":"server.instance.disposed","properties":{"directory":"/a"}}"#)

        #expect(disposed.isDispose)
        #expect(text(disposed.directory) == "/a")
    }

    @Test func `truncated JSON yields the members before its end`() {
        let line = Array(
            #"{"directory":"/a","payload":{"type":"message.part.delta","properties":{"sessionID":"s","messageID":"m"#
                .utf8)
        for count in line.indices {
            let skeleton = EventSkeleton(line: line.span.extracting(0..<count), family: .one)
            #expect(skeleton.payload == 0..<count)
            #expect(skeleton.message == nil)
            _ = EventSkeleton(line: line.span.extracting(0..<count), family: .two)
        }
        let skeleton = EventSkeleton(line: line.span, family: .one)

        #expect([skeleton.type, skeleton.directory, skeleton.session].map(text) == ["message.part.delta", "/a", "s"])

        for broken in [
            "", "{", "[]", "null", "{}", "{{", #"{"type"}"#, #"{"type":}"#, #"{"type":"x"#, "\"", #"{"a":tru e}"#,
        ] {
            #expect(parse(broken).type == [])
            #expect(parse(broken, .two).type == [])
        }
    }

    @Test func `JSON with a million nesting levels and a text of 3 MB is read`() {
        let depth = 1_000_000
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let long = String(repeating: "x\\\"", count: 1_000_000)
        let properties = #"{"a":\#(deep),"part":{"text":"\#(long)","sessionID":"s"}}"#
        let line = #"{"payload":{"properties":\#(properties),"type":"t"},"directory":"/a"}"#
        let skeleton = parse(line)

        #expect([skeleton.type, skeleton.directory, skeleton.session].map(text) == ["t", "/a", "s"])
        #expect(skeleton.payload == 11..<line.utf8.count - 18)
        #expect(
            parse(#"{"type":"t","properties":{"sessionID":"\#(String(repeating: "s", count: 4097))"}}"#).session == nil)
    }
}
