// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// A simulator of OpenCode 2 with an open event stream, for replaying a recorded scenario.
final class Stage2 {
    let simulator: Simulator2Process
    private let stream: EventStreamReader
    private(set) var events: [JSON] = []
    /// The number of events that `next` has examined.
    private var seen = 0

    /// Starts a simulator in a repository. Its directory has been used before, unless `isFirst` is set. `prepare` is
    /// called before the stream is opened.
    init(
        environment: [String: String] = [:], pace: Int = 0, isFirst: Bool = false,
        prepare: (Simulator2Process) throws -> Void = { _ in }
    ) throws {
        simulator = try Simulator2Process(environment: environment, pace: pace) { home in
            for name in ["demo", "other.app"] {
                try home.makeDirectory(name)
                // Repositories with the same first commit belong to the same project.
                try home.write("# \(name)\n", to: "\(name)/README.md")
                try Repository.make(at: "\(home.path)/\(name)")
            }
        }
        if !isFirst { try Stage2(simulator).load() }
        try prepare(simulator)
        stream = try TestClient.events(
            port: simulator.port, "/api/event", headers: [("Authorization", Simulator2Process.authorization)])
        try next("server.connected")
    }

    /// Opens the event stream of a running simulator.
    init(_ simulator: Simulator2Process) throws {
        self.simulator = simulator
        stream = try TestClient.events(
            port: simulator.port, "/api/event", headers: [("Authorization", Simulator2Process.authorization)])
        try next("server.connected")
    }

    var head: TestResponseHead? { stream.response.head }
    var ending: TestResponse.Ending? { stream.response.ending }
    /// All bytes received so far.
    var raw: [UInt8] { stream.raw }
    /// The sizes of the chunks received so far.
    var chunkSizes: [Int] { stream.response.chunkSizes }

    /// Reads up to the next event of a type that satisfies the condition, and returns the data of the event.
    @discardableResult
    func next(_ type: String, where condition: (JSON) -> Bool = { _ in true }) throws -> JSON {
        while true {
            while seen < events.count {
                let event = events[seen]
                seen += 1
                if event["type"]?.text == type, condition(event["data"] ?? .null) { return event["data"] ?? .null }
            }
            events.append(try stream.nextJSON(within: .seconds(20)))
        }
    }

    /// Uses the server's own directory for the first time.
    private func load() throws {
        _ = try simulator.get("/api/location")
        try next("plugin.updated")
    }

    /// Reads until `count` events of a type and a session have arrived. Other events may arrive between them.
    func readEvents(_ count: Int, _ type: String, of session: String) throws {
        let isOne = { (event: JSON) in event["type"]?.text == type && event["data"]?["sessionID"]?.text == session }
        while events.count(where: isOne) < count { events.append(try stream.nextJSON(within: .seconds(20))) }
    }

    /// Reads to the end of the stream.
    func readToEnd() throws {
        while let event = try stream.next() { events.append(try JSONParser.parse(Array(event.utf8))) }
    }

    /// Creates a session and returns its id.
    func session(_ model: String, provider: String = "mock", in directory: String? = nil) throws -> String {
        let location = directory.map { #","location":{"directory":"\#($0)"}"# } ?? ""
        let body = #"{"model":{"providerID":"\#(provider)","id":"\#(model)"}\#(location)}"#
        guard let id = try simulator.post("/api/session", body).json["data"]?["id"]?.text else {
            throw TestKitError.malformed("a session without id")
        }
        return id
    }

    /// Sends a prompt and returns the id of its message.
    @discardableResult
    func prompt(_ session: String, _ text: String = "Explain the parser", delivery: String? = nil) throws -> String {
        let more = delivery.map { #","delivery":"\#($0)""# } ?? ""
        let answer = try simulator.post("/api/session/\(session)/prompt", #"{"text":"\#(text)"\#(more)}"#)
        #expect(answer.status == 200)
        return answer.json["data"]?["id"]?.text ?? ""
    }

    /// Waits until no turn of a session runs.
    func wait(_ session: String) throws {
        #expect(try simulator.post("/api/experimental/session/\(session)/wait").status == 204)
    }

    /// Creates a session with one prompt and returns its id.
    func turn(_ model: String, _ text: String = "Explain the parser") throws -> String {
        let session = try session(model)
        try prompt(session, text)
        return session
    }

    /// Answers the permission that a session waits for.
    func decide(_ decision: String) throws {
        let asked = try next("permission.asked")
        let session = asked["sessionID"]?.text ?? ""
        #expect(try simulator.get("/api/session/\(session)/permission").json["data"] == .array([asked]))
        let answer = try simulator.post(
            "/api/session/\(session)/permission/\(asked["id"]?.text ?? "")/reply", #"{"decision":"\#(decision)"}"#)
        #expect(answer.status == 204)
    }

    /// Compares the received events with a recording.
    func check(_ name: String, isTruncated: Bool = false) throws {
        let records = try Fixtures.lines("opencode/2.0.15/events/\(name).jsonl").map {
            try JSONParser.parse(Array($0.utf8))
        }
        let expected = Outline2(Array(records.dropFirst()))
        #expect(expected.turns.joined().count > 2 || expected.directories.count > 1)
        #expect(Outline2(events).differences(from: expected, isTruncated: isTruncated) == [])
        let recorded = records[0]["head"]?.text?.split(separator: "\r\n").map(String.init) ?? []
        #expect(head.map { "\($0.version) \($0.status) \($0.reason)" } == recorded.first)
        #expect(
            head?.fields.map(\.description).filter { !$0.hasPrefix("Date") }
                == Array(recorded.dropFirst().filter { !$0.hasPrefix("Date") }))
    }
}
