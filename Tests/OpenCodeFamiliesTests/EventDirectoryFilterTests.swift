// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Testing

@Suite struct EventDirectoryFilterTests {
    private static let demo = DirectoryScope(folder: "/home/vibe/demo", resolved: "/home/vibe/demo")
    private static let other = DirectoryScope(folder: "/home/vibe/other.app", resolved: "/home/vibe/other.app")

    private func filtered(
        _ fragments: [[UInt8]], _ scope: DirectoryScope = demo, limit: Int = 1 << 20
    ) -> (bytes: [UInt8], fragments: [[UInt8]], overlong: Int) {
        var filter = EventDirectoryFilter(scope: scope, limit: limit)
        var sessionIndex = EventSessionIndex()
        var passed: [[UInt8]] = []
        for fragment in fragments {
            filter.filter(fragment.span, &sessionIndex) { span in passed.append(span.indices.map { span[$0] }) }
        }
        return (passed.flatMap { $0 }, passed, filter.overlongFrames)
    }

    private func text(_ stream: String, _ scope: DirectoryScope = demo) -> String {
        let bytes = Array(stream.utf8)
        let whole = filtered([bytes], scope).bytes
        for split in 0...bytes.count {
            let parts = filtered([Array(bytes[..<split]), Array(bytes[split...])], scope).bytes
            if parts != whole { Issue.record("another outcome when split at \(split): \(stream)") }
        }
        if filtered(bytes.map { [$0] }, scope).bytes != whole { Issue.record("another outcome bytewise: \(stream)") }
        return String(decoding: whole, as: UTF8.self)
    }

    /// Returns one frame in OpenCode's format.
    private func frame(_ json: String) -> String { "data: \(json)\n\n" }

    @Test(
        arguments: [
            #"{"directory":"/home/vibe/demo","payload":{"type":"session.idle","properties":{"directory":"/x"}}}"#,
            #"{"directory":"/home/vibe/demo/sub","payload":{}}"#,
            #"{"payload":{"type":"server.connected","properties":{}}}"#, #"{"directory":"global","payload":{}}"#,
            #"{"directory":"","payload":{}}"#, #"{"payload":{"directory":"/x"},"directory":"/home/vibe/demo"}"#,
            #"{"directory":"\/home\/vibe\/d\u0065mo"}"#, #"{"direct\u006fry":"/home/vibe/demo"}"#,
            #"{ "a" : [ {"directory":"/x"}, "directory", "/x" ] , "directory" : "/home/vibe/demo" }"#,
            #"{"a":{"directory":"/x"},"b":"\"directory\":\"/x\"","c":"\\"}"#, #"{"directory":null}"#,
            #"{"directory":{"directory":"/x"}}"#, #"{"directory":["/x"]}"#, #"{"x":{"location":{"directory":"/x"}}}"#,
            #"{"type":"x","location":{"directory":"/home/vibe/demo"},"data":{"directory":"/x"}}"#,
            #"{"payload":{"type":"project.updated","properties":{"worktree":"/home/vibe/demo"}}}"#,
            #"{"payload":{"properties":{"worktree":"/home/vibe"}}}"#, #"{"payload":{"properties":{"worktree":"/"}}}"#,
            #"{"type":"x","data":{}}"#, #"{"data":{"id":"1"}}"#, #"{"data":[{"sessionID":"ses_1"}]}"#,
            #"{"type":"session.moved","location":{"directory":"/x"},"data":{"location":{"directory":"/home/vibe/demo"}}}"#,
            #"{"data":{"location":{"directory":"/home/vibe/demo"}},"location":{"directory":"/x"},"type":"session.moved"}"#,
            "[]", "[{\"directory\":\"/x\"}]", "\"directory\"", "null", "12", "text", "", "}", "{", "{\"directory\"",
        ])
    func `a frame of the project folder, or without a directory, passes unchanged`(json: String) {
        #expect(text(frame(json)) == frame(json))
    }

    @Test(
        arguments: [
            #"{"directory":"/home/vibe/other.app","payload":{"type":"session.idle"}}"#,
            #"{"directory":"/home/vibe/demo2"}"#, #"{"directory":"/home/vibe"}"#, #"{"directory":"/"}"#,
            #"{"directory":"/home/vibe/demo/../other"}"#, #"{"payload":{"a":[{}]},"directory":"/x"}"#,
            #"{"direct\u006fry":"/x"}"#, #"{"directory":"\/x"}"#, #"{"directory" : "/x" , "b":1}"#,
            #"{"directory":"demo"}"#, #"{"directory":"Global"}"#, #"{"directory":"/home/vibe/demo\u0000"}"#,
            #"{"a":"}","directory":"/x"}"#, #"{"a":"\\\"","directory":"/x"}"#, #"{"directory":"\ud83d\ude00"}"#,
            #"{"directory":"\ud83d"}"#, #"{"a":[[[[{"b":1}]]]],"directory":"/x"}"#,
            #"{"type":"x","data":{},"location":{"workspaceID":"w","directory":"/x"}}"#,
            #"{"payload":{"type":"project.updated","properties":{"id":"1","worktree":"/home/vibe/other.app"}}}"#,
            #"{"directory":"global","payload":{"properties":{"worktree":"/home/vibe/other.app"}}}"#,
            #"{"type":"project.updated","data":{"worktree":"/home/vibe/other.app"}}"#,
            #"{"type":"session.moved","location":{"directory":"/x"},"data":{"location":{"directory":"/y"}}}"#,
            #"{"type":"session.moved","location":{"directory":"/x"},"data":{}}"#,
            #"{"type":"x","location":{"directory":"/x"},"data":{"location":{"directory":"/home/vibe/demo"}}}"#,
            #"{"location":{"directory":"/x"},"data":{"location":{"directory":"/home/vibe/demo"}},"type":"x"}"#,
            #"{"type":"session.created","data":{"sessionID":"s","location":{"directory":"/x"}}}"#,
            #"{"type":"x","data":{"sessionID":""}}"#, #"{"type":"x","data":{"sessionID":"../../x"}}"#,
        ])
    func `a frame of another directory is removed`(json: String) {
        #expect(text(frame(json)) == "")

        let around = frame(#"{"directory":"/home/vibe/demo","n":1}"#)

        #expect(text(around + frame(json) + around) == around + around)
    }

    @Test func `a frame with an overlong path is removed`() {
        let path = "/home/vibe/demo/" + String(repeating: "a", count: 5_000)

        #expect(filtered([Array(frame("{\"directory\":\"\(path)\"}").utf8)]).bytes == [])
    }

    @Test func `all lines of a frame pass or are removed with its data`() {
        let own = ": c\r\nevent: message\r\nid: 7\r\ndata: {\"directory\":\r\ndata: \"/home/vibe/demo\"}\r\n\r\n"
        let foreign = "id: 8\r\nretry: 10\r\ndata: {\"directory\":\r\ndata: \"/x\"}\r\n\r\n"

        #expect(text(own + own) == own + own)
        // The line feed after a frame's last carriage return is treated like the frame, although no line needs it.
        #expect(text(own + foreign) == own)
        #expect(text(foreign + own) == own)
        #expect(text(foreign + own + foreign) == own)
        #expect(text(": heartbeat\n\n: another\n\n\n") == ": heartbeat\n\n: another\n\n")
        #expect(text("\u{FEFF}data: {\"directory\":\"/x\"}\n\n: c\n\n") == ": c\n\n")
    }

    @Test func `an incomplete frame is delivered only after its directory is known`() {
        #expect(text(#"data: {"directory":"/home/vibe/demo","payl"#) == #"data: {"directory":"/home/vibe/demo","payl"#)
        #expect(text(#"data: {"directory":"/home/vibe/de"#) == "")
        #expect(text(#"data: {"payload":{"text":"abc"#) == "")
    }

    @Test func `a large frame is not held after it has named its directory`() {
        let fragment = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
        let fragments = [[UInt8]](repeating: fragment, count: 64)
        let own = [Array(#"data: {"directory":"/home/vibe/demo","t":""#.utf8)] + fragments + [Array("\"}\n\n".utf8)]
        let outcome = filtered(own, limit: 1024)

        #expect(outcome.fragments == own)

        let foreign = [Array(#"data: {"directory":"/x","t":""#.utf8)] + fragments + [Array("\"}\n\n: c\n\n".utf8)]

        #expect(filtered(foreign, limit: 1024).bytes == Array(": c\n\n".utf8))
    }

    @Test func `a frame that names no directory within the limit is removed and counted`() {
        let long = #"{"payload":""# + String(repeating: "a", count: 5_000) + #"","directory":"/home/vibe/demo"}"#
        let stream = Array((frame(long) + frame("{}")).utf8)
        let fragments = stride(from: 0, to: stream.count, by: 100).map {
            Array(stream[$0..<min($0 + 100, stream.count)])
        }

        #expect(filtered(fragments, limit: 10_000).bytes == stream)

        let outcome = filtered(fragments, limit: 1_000)

        #expect(outcome.bytes == Array(frame("{}").utf8))
        #expect(outcome.overlong == 1)
    }

    @Test(arguments: Fixtures.versions)
    func `a recorded stream of two directories is filtered correctly at each split`(version: String) throws {
        let stream = Array(try Fixtures.data(version, "events-global-other-directory.txt"))
        // The expected result comes from a second parser, which splits complete frames and parses their JSON with
        // Foundation.
        let frames = String(decoding: stream, as: UTF8.self).split(separator: "\n\n").map { "\($0)\n\n" }
        for (scope, folder) in [(Self.demo, "/home/vibe/demo"), (Self.other, "/home/vibe/other.app")] {
            let own = try frames.filter { try Self.belongs($0, to: folder) }.joined()
            #expect(filtered([stream], scope).bytes == Array(own.utf8), "\(folder)")
            #expect(filtered(stream.map { [$0] }, scope).bytes == Array(own.utf8), "\(folder) bytewise")
            // Input byte by byte is equivalent to a split at every offset. These splits have many bytes on both sides.
            let wrong = stride(from: 1, to: stream.count, by: 997).first { split in
                filtered([Array(stream[..<split]), Array(stream[split...])], scope).bytes != Array(own.utf8)
            }
            #expect(wrong == nil, "\(folder)")
        }

        #expect(try frames.contains { try !Self.belongs($0, to: "/home/vibe/demo") })
    }

    private static func belongs(_ frame: String, to folder: String) throws -> Bool {
        let json = try JSONSerialization.jsonObject(with: Data(frame.dropFirst("data: ".count).utf8))
        let event = try #require(json as? [String: Any])
        if let directory = event["directory"] as? String, directory != "global" { return directory == folder }
        let payload = event["payload"] as? [String: Any]
        let worktree = (payload?["properties"] as? [String: Any])?["worktree"] as? String
        return worktree == nil || worktree == folder
    }
}
