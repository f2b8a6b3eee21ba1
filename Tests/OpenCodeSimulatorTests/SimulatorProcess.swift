// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// The simulator, started as a program on a free port.
struct SimulatorProcess {
    let process: TestProcess
    let port: UInt16
    private let folder: TemporaryDirectory

    /// Starts the simulator. `words` become the content of ``Startup/wordsFile`` in the folder, and `misbehave` becomes
    /// an environment variable. Turns take no time unless a pace is given.
    init(
        _ version: String? = nil, environment: [String: String] = [:], pace: Int = 0, misbehave: String = "",
        words: String? = nil, files: [String: String] = [:]
    ) throws {
        folder = try TemporaryDirectory()
        for (name, content) in files { try folder.write(content, to: name) }
        if let words { try folder.write(words, to: Startup.wordsFile) }
        var variables = environment.merging(["SIMULATOR_MISBEHAVE": misbehave, "SIMULATOR_PACE": "\(pace)"]) { $1 }
        if let version { variables["SIMULATOR_PROFILE"] = version }
        process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"), ["serve", "--port", "0", "--hostname", "127.0.0.1"],
            environment: variables, directory: folder.path)
        let banner = try process.waitForLine(on: .output) { $0.contains("listening on") }
        guard let port = UInt16(banner.split(separator: ":").last ?? "") else {
            throw TestKitError.malformed("a banner without a port: \(banner)")
        }
        self.port = port
    }

    var directory: String { folder.path }

    /// Whether a file exists in the folder.
    func has(_ name: String) throws -> Bool { try FileTree.names(in: folder.path).contains(name) }

    func get(_ target: String) throws -> TestResponse { try TestClient.request(port: port, "GET", target) }

    @discardableResult
    func post(_ target: String, _ body: String = "{}") throws -> TestResponse {
        try TestClient.request(port: port, "POST", target, text: body)
    }

    @discardableResult
    func delete(_ target: String) throws -> TestResponse { try TestClient.request(port: port, "DELETE", target) }

    /// Creates a session and returns its id.
    func newSession() throws -> String {
        guard let id = try post("/session").json["id"]?.text else {
            throw TestKitError.malformed("a session without id")
        }
        return id
    }

    /// Creates a session with one short, completed turn, and returns its id.
    func usedSession() throws -> String {
        let id = try newSession()
        try post("/session/\(id)/message", Prompt.text("hello"))
        return id
    }
}

/// The bodies of prompt requests.
enum Prompt {
    static func text(_ text: String, model: String = "talk") -> String {
        #"{"model":{"providerID":"simulator","modelID":"\#(model)"},"parts":[{"type":"text","text":"\#(text)"}]}"#
    }
}

/// The events that a stream has received so far.
final class EventLog {
    private let stream: EventStreamReader
    private(set) var events: [JSON] = []
    /// The number of events that `next` has already examined.
    private var seen = 0

    init(_ simulator: SimulatorProcess, _ target: String = "/event") throws {
        stream = try TestClient.events(port: simulator.port, target)
        try next("server.connected")
    }

    var head: TestResponseHead? { stream.response.head }
    var chunkSizes: [Int] { stream.response.chunkSizes }
    var ending: TestResponse.Ending? { stream.response.ending }

    /// Reads up to the next event of a type that satisfies the condition, and returns the properties of the event.
    @discardableResult
    func next(_ type: String, where condition: (JSON) -> Bool = { _ in true }) throws -> JSON {
        while true {
            while seen < events.count {
                let payload = events[seen]["payload"] ?? events[seen]
                seen += 1
                let properties = payload["properties"] ?? .null
                if payload["type"]?.text == type, condition(properties) { return properties }
            }
            try readEvents(1)
        }
    }

    /// Reads `count` further events from the stream and appends them to `events`.
    func readEvents(_ count: Int) throws {
        for _ in 0..<count { events.append(try stream.nextJSON()) }
    }

    /// Reads to the end of the stream.
    func readToEnd() throws {
        while let event = try stream.next() { events.append(try JSONParser.parse(Array(event.utf8))) }
    }
}

extension EventStreamReader {
    /// Returns the next event as JSON.
    func nextJSON(within limit: Duration = .seconds(10)) throws -> JSON {
        guard let event = try next(within: limit) else { throw TestKitError.closed(waitingFor: "an event") }
        return try JSONParser.parse(Array(event.utf8))
    }

    /// Returns all events up to and including the `count`th event of a type, and `more` further events.
    func events(through type: String, count: Int = 1, then more: Int = 0) throws -> [JSON] {
        var events: [JSON] = []
        while events.count(where: { $0["type"]?.text == type }) < count { events.append(try nextJSON()) }
        for _ in 0..<more { events.append(try nextJSON()) }
        return events
    }
}
