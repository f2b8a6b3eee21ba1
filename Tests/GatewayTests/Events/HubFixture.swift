// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// A gateway with an event hub and a fake instance, controlled by the test, as project `demo`.
final class HubFixture: Sendable {
    let instance: FakeOpenCode.Server
    let gateway: GatewayUnderTest

    /// Creates a fixture whose instance reports `version`.
    init(
        version: String = "fake", flags: [String] = [], environment: [String: String] = [:], opencode: String? = nil,
        launcher: [String] = []
    ) throws {
        instance = try FakeOpenCode(version: version).events().start()
        gateway = try GatewayUnderTest(
            flags: flags, environment: ["VIBE_EVENT_HUB": "on"].merging(environment) { $1 }, opencode: opencode,
            launcher: launcher)
        try gateway.start(instance)
        try instance.events.openings.wait(forCount: 1)
    }

    /// The path of the project's folder.
    var folder: String { "\(gateway.home.path)/demo" }

    /// Returns an event's own JSON, with a number that identifies it.
    static func payload(_ number: Int, _ type: String = "message.updated", session: String = "ses_1", more: String = "")
        -> String
    {
        #"{"id":"evt_\#(number)","type":"\#(type)","properties":{"sessionID":"\#(session)","n":"\#(number)"\#(more)}}"#
    }

    /// Returns the frame of the event with its directory, as on the global stream.
    func line(_ payload: String, in directory: String? = nil) -> String {
        #"{"directory":"\#(directory ?? folder)","payload":\#(payload)}"#
    }

    /// Makes the instance send events with these numbers.
    func sendEvents(_ numbers: some Sequence<Int>, more: String = "") {
        instance.events.send(numbers.map { "data: \(line(Self.payload($0, more: more)))\n\n" }.joined())
    }

    /// Makes the instance send this event.
    func sendEvent(payload: String, in directory: String? = nil) {
        instance.events.send("data: \(line(payload, in: directory))\n\n")
    }

    /// Opens one of OpenCode's streams.
    func open(
        _ path: String = "/global/event", after id: String? = nil, headers: [(String, String)] = []
    ) throws -> StreamClient {
        try StreamClient(
            gateway, "/projects/demo/api\(path)", headers: headers + (id.map { [("Last-Event-ID", $0)] } ?? []))
    }

    /// Opens one of the gateway's own streams.
    func openGatewayStream(
        _ query: String = "", after id: String? = nil,
        path: String = "/projects/demo/events"
    ) throws -> StreamClient {
        try StreamClient(gateway, path + query, headers: id.map { [("Last-Event-ID", $0)] } ?? [])
    }

    /// Requests one page of the gateway's own events.
    func page(_ query: String, path: String = "/projects/demo/events") throws -> JSON {
        try gateway.request("GET", path + query, within: .seconds(70)).json
    }

    /// Returns the response of `…/events/state`.
    func state() throws -> JSON { try gateway.request("GET", "/projects/demo/events/state").json }

    /// Waits until the gateway has received the event with this number.
    func waitUntilReceived(_ number: Int) throws {
        let stream = try openGatewayStream("?since=2000-01-01T00:00:00Z")
        defer { stream.close() }
        while true {
            guard let event = try stream.nextEvent() else { throw TestFailure("the stream ended before \(number)") }
            if event.number == number { return }
        }
    }
}

/// A frame of an event stream.
struct StreamFrame: Equatable {
    var id: String?
    var event: String?
    var data: String?
    var retry: Int?
    var comments: [String] = []
    /// The lines that have no known field name.
    var others: [String] = []

    init(_ block: String) {
        for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
            let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? String(sides[1].first == " " ? sides[1].dropFirst() : sides[1]) : ""
            switch sides.first {
            case "": comments.append(value)
            case "id": id = value
            case "event": event = value
            case "data": data = data.map { "\($0)\n\(value)" } ?? value
            case "retry": retry = Int(value)
            default: others.append(String(line))
            }
        }
        guard let data, data.utf8.count <= Self.longest else { return }
        json = (try? JSONParser.parse(Array(data.utf8))) ?? .null
    }

    /// Returns the text after `"name":"` near the beginning of data that was not parsed.
    private func found(_ name: String) -> String? {
        guard json == .null, let data else { return nil }
        let fragments = String(decoding: data.utf8.prefix(512), as: UTF8.self).split(
            separator: "\"\(name)\":\"", maxSplits: 1)
        return fragments.count == 2 ? String(fragments[1].prefix { $0 != "\"" }) : nil
    }

    /// The data as JSON. Only the first part of large data is searched (``type``, ``number``).
    private(set) var json = JSON.null
    private static let longest = 64 * 1024

    /// The event itself, without its envelope.
    var content: JSON { json["payload"] ?? json["event"] ?? json }

    var type: String? { content["type"]?.text ?? found("type") }

    /// The number that identifies the event in a test.
    var number: Int? { (content["properties"]?["n"]?.text ?? found("n")).flatMap { Int($0) } }

    /// The gap that the frame reports, on any kind of stream.
    var gap: JSON? {
        if event == "gap" { return json }
        return comments.first { $0.hasPrefix("{") }.flatMap { try? JSONParser.parse(Array($0.utf8)) }
    }
}

/// A client of one stream that remembers its position.
final class StreamClient {
    let connection: TestConnection
    let reader: EventStreamReader
    /// The last id that it received.
    private(set) var lastID: String?

    init(
        _ gateway: GatewayUnderTest, _ target: String, key: NamedKey? = nil, headers: [(String, String)] = [],
        receiveBuffer: Int? = nil
    ) throws {
        connection = try TestClient.connect(port: gateway.port, receiveBuffer: receiveBuffer)
        try connection.send(
            "GET", target, headers: [key?.authorization ?? GatewayUnderTest.authorization] + headers)
        reader = EventStreamReader(connection)
    }

    /// Returns the next frame of any kind; nil at the end.
    func next(within limit: Duration = .seconds(20)) throws -> StreamFrame? {
        guard let block = try reader.nextBlock(within: limit) else { return nil }
        let frame = StreamFrame(block)
        lastID = frame.id ?? lastID
        return frame
    }

    /// Returns the next event of the instance, or gap; nil at the end.
    func nextEvent(within limit: Duration = .seconds(60)) throws -> StreamFrame? {
        // Comments arrive repeatedly, so the deadline is absolute.
        let deadline = Deadline(after: limit)
        while let frame = try next(within: max(deadline.remaining, .milliseconds(1))) {
            if frame.gap != nil || frame.data != nil && frame.type != "server.connected" { return frame }
        }
        return nil
    }

    /// Reads up to and including `server.connected`.
    @discardableResult
    func connected() throws -> StreamFrame {
        while let frame = try next() {
            if frame.type == "server.connected" { return frame }
        }
        throw TestFailure("the stream ended before server.connected")
    }

    /// Returns the numbers of the next events. An event without a number counts as -1.
    func numbers(_ count: Int) throws -> [Int] {
        try (0..<count).map { _ in try nextEvent()?.number ?? -1 }
    }

    /// Reads to the end and returns how the stream ended.
    func readToEnd() throws -> TestResponse.Ending? {
        while try next() != nil {}
        return reader.response.ending
    }

    /// Whether the stream ended, or ends now, without a complete body.
    func endsAbnormally() throws -> Bool {
        let ending = try readToEnd()
        return ending == .truncated || ending == .reset
    }

    func close() { connection.close() }
}
