// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests `/global/event`, which carries the events of every directory that the server has open. The gateway omits the
/// events of other projects.
@Suite(.onTestThreads) struct GlobalEventTests {
    private static let head = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")]

    private static func frame(_ directory: String?, _ text: String) -> String {
        let start = directory.map { #""directory":"\#($0)","# } ?? ""
        return "data: {\(start)\"payload\":{\"type\":\"\(text)\"}}\n\n"
    }

    /// Starts an instance that streams these chunks on every path. The chunks depend on the gateway's home directory.
    private static func fixture(
        _ flags: [String] = [], head: [(String, String)] = head,
        chunks: @escaping @Sendable (_ home: String) -> [String]
    ) throws -> ProxyFixture {
        try ProxyFixture(flags: flags) { connection, request in
            try connection.writeHead(200, headers: head)
            // The request carries the path of the gateway's home directory.
            let home = request.value(of: "X-Home") ?? ""
            let isChunked = head.contains { $0.0 == "Transfer-Encoding" }
            for chunk in chunks(home) {
                if isChunked { try connection.writeChunk(chunk) } else { try connection.write(chunk) }
            }
            if isChunked { try connection.writeLastChunk() } else { connection.close() }
        }
    }

    private static func fetch(_ fixture: ProxyFixture, _ path: String) throws -> TestResponse {
        try fixture.request("GET", path, headers: [("X-Home", fixture.gateway.home.path)])
    }

    private static func mixed(_ home: String) -> [String] {
        [
            frame(nil, "server.connected"), frame("\(home)/demo", "own.1"), frame("\(home)/other", "foreign.1"),
            ": comment\n\n" + frame("\(home)/other", "foreign.2") + frame("\(home)/demo/sub", "own.2"),
            frame("global", "server-wide"), frame("/", "foreign.3"), frame(nil, "server.heartbeat"),
        ]
    }

    private static func expected(_ home: String) -> String {
        frame(nil, "server.connected") + frame("\(home)/demo", "own.1") + ": comment\n\n"
            + frame("\(home)/demo/sub", "own.2") + frame("global", "server-wide") + frame(nil, "server.heartbeat")
    }

    @Test(arguments: ["/global/event", "/global/event?a=b", "/global/event/", "/api/event"])
    func `events of other directories are omitted and all other bytes are unchanged`(path: String) throws {
        let fixture = try Self.fixture(chunks: Self.mixed)
        let answer = try Self.fetch(fixture, path)

        #expect(answer.status == 200)
        #expect(answer.text == Self.expected(fixture.gateway.home.path))
        #expect(answer.ending == .complete)
    }

    /// OpenCode's router accepts each of these paths as `/global/event`.
    @Test(arguments: [
        "/global/%65vent", "//global/event", "/global//event", "/./global/event", "/session/../global/event",
        "/global/%2e/event", "/Global/Event", "/global\\event",
    ])
    func `each spelling of the path is filtered`(path: String) throws {
        let fixture = try Self.fixture(chunks: Self.mixed)

        #expect(try Self.fetch(fixture, path).text == Self.expected(fixture.gateway.home.path))
    }

    @Test(arguments: ["/event", "/session/s/event", "/global/events", "/x/global/event"])
    func `streams of other paths are forwarded unchanged`(path: String) throws {
        let fixture = try Self.fixture(chunks: Self.mixed)

        #expect(try Self.fetch(fixture, path).text == Self.mixed(fixture.gateway.home.path).joined())
    }

    @Test func `no event is omitted without directory pinning`() throws {
        let fixture = try Self.fixture(["--no-directory-pinning"], chunks: Self.mixed)

        #expect(try Self.fetch(fixture, "/global/event").text == Self.mixed(fixture.gateway.home.path).joined())
    }

    @Test func `a filtered response has no Content-Length`() throws {
        let length = ("Content-Length", "\(Self.mixed("/home").joined().utf8.count)")
        let fixture = try Self.fixture(head: [("Content-Type", "text/event-stream"), length]) { _ in Self.mixed("/home")
        }
        let answer = try Self.fetch(fixture, "/global/event")

        #expect(answer.values(of: "Content-Length") == [])
        #expect(answer.values(of: "Transfer-Encoding") == ["chunked"])

        let passing = Self.frame(nil, "server.connected") + ": comment\n\n" + Self.frame("global", "server-wide")

        #expect(answer.text == passing + Self.frame(nil, "server.heartbeat"))
        #expect(answer.ending == .complete)
    }

    @Test func `an event is forwarded as soon as its directory is known`() throws {
        let seen = Latch("the client to have seen the event's beginning")
        let fixture = try ProxyFixture { connection, request in
            try connection.writeHead(200, headers: Self.head)
            let home = request.value(of: "X-Home") ?? ""
            try connection.writeChunk(#"data: {"directory":"\#(home)/demo","payload":{"text":""#)
            try seen.wait()
            try connection.writeChunk("end\"}}\n\n")
            try connection.writeLastChunk()
        }
        let home = fixture.gateway.home.path
        let reader = ResponseReader(try fixture.send("GET", "/global/event", headers: [("X-Home", home)]))
        var text = ""
        while !text.hasSuffix(#""text":""#) {
            text += String(decoding: try #require(try reader.readBodyPart()), as: UTF8.self)
        }
        seen.open()

        #expect(try reader.readAll().text.hasSuffix("end\"}}\n\n"))
    }

    @Test func `large events of the project are forwarded and large events of other directories are omitted`() throws {
        let big = String(repeating: "0123456789abcdef", count: 200_000)
        let fixture = try Self.fixture { home in
            ["own", "foreign", "own"].flatMap { kind -> [String] in
                let folder = kind == "own" ? "demo" : "other"
                return [#"data: {"directory":"\#(home)/\#(folder)","text":""#, big, "\"}\n\n"]
            }
        }
        let answer = try Self.fetch(fixture, "/global/event")
        let own = #"data: {"directory":"\#(fixture.gateway.home.path)/demo","text":""# + big + "\"}\n\n"

        #expect(isSame(answer.body, Array((own + own).utf8)))
    }

    @Test func `an event that names no directory within the limit is omitted and logged`() throws {
        let fixture = try Self.fixture(["--stream-backlog", "64KiB"]) { home in
            let long = String(repeating: "a", count: 100_000)
            return ["data: {\"payload\":\"", long, "\",\"directory\":\"\(home)/demo\"}\n\n", Self.frame(nil, "next")]
        }

        #expect(try Self.fetch(fixture, "/global/event").text == Self.frame(nil, "next"))

        try fixture.gateway.process.waitForLine(on: .error) {
            $0.contains("an event was omitted") && $0.contains("demo")
        }
    }

    @Test(arguments: ["gzip", "br"])
    func `a compressed stream is rejected with 502`(coding: String) throws {
        let fixture = try Self.fixture(head: Self.head + [("Content-Encoding", coding)], chunks: Self.mixed)
        let answer = try Self.fetch(fixture, "/global/event")

        #expect(answer.status == 502)
        #expect(answer.text.contains("compressed"))
        #expect(try Self.fetch(fixture, "/event").status == 200)
    }

    @Test func `a stream that the instance aborts has no clean end`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk(Self.frame(nil, "server.connected"))
            connection.close()
        }
        let answer = try Self.fetch(fixture, "/global/event")

        #expect(answer.text == Self.frame(nil, "server.connected"))
        #expect(answer.ending != .complete)
    }

    @Test(arguments: ["1.1.11", "1.2.27", "1.18.33"])
    func `a recorded stream contains no events of other directories`(version: String) throws {
        let recorded = String(
            decoding: try Fixtures.load("opencode/\(version)/events-global-other-directory.txt"), as: UTF8.self)
        let fixture = try Self.fixture { home in
            let stream = recorded.replacing("/home/vibe/other.app", with: "\(home)/other")
                .replacing("/home/vibe/demo", with: "\(home)/demo")
            return stride(from: 0, to: stream.utf8.count, by: 701).map { start in
                let bytes = Array(stream.utf8)
                return String(decoding: bytes[start..<min(start + 701, bytes.count)], as: UTF8.self)
            }
        }
        let text = try Self.fetch(fixture, "/global/event").text

        #expect(text.contains("server.connected"))
        #expect(!text.contains("\(fixture.gateway.home.path)/other"))
        #expect(text.hasSuffix("\n\n"))
    }
}
