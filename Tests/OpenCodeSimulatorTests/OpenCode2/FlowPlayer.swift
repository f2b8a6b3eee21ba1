// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// Sends the recorded requests of a flow to its own simulator in their order, and compares each response with the
/// recorded response.
final class FlowPlayer {
    /// The time limit for a response. A slow turn delays the request that moves its session.
    private static let patience = Duration.seconds(60)

    private(set) var simulator: Simulator2Process
    private let stream: EventStreamReader?
    /// The folder of the state that several servers share.
    private let state: String
    /// The current values of the placeholders in recorded requests.
    var names: [String: String] = [:]
    /// The responses so far, by the name of their exchange.
    private(set) var answers: [String: JSON] = [:]

    init(_ flow: RecordedFlow) throws {
        let home = try TemporaryDirectory()
        state = try home.makeDirectory(".state")
        simulator = try Simulator2Process(
            home: home, folder: flow.folder,
            environment: (flow.environment ?? [:]).merging(["SIMULATOR_STATE": state]) { $1 },
            pace: flow.pace, password: flow.environment == nil ? Simulator2Process.password : nil
        ) { try FlowPlayer.prepare($0, flow) }
        guard flow.environment == nil else {
            // A server with a generated password accepts none of the test's requests.
            stream = nil
            return
        }
        stream = try simulator.events()
        guard flow.opens else { return }
        names["project"] = try simulator.get("/api/location").json["project"]?["id"]?.text
        if let model = flow.model { try newSession(model) }
    }

    /// Creates the recorded folder: a repository with two files in its first commit, and a big file that is not
    /// committed.
    private static func prepare(_ home: TemporaryDirectory, _ flow: RecordedFlow) throws {
        for folder in flow.repositories {
            try home.write("# demo\n", to: "\(folder)/README.md")
            try home.write("{}\n", to: "\(folder)/package.json")
            try Repository.make(at: "\(home.path)/\(folder)")
            try home.write(String(repeating: "0123456789abcdef\n", count: 100_000), to: "\(folder)/big.txt")
        }
    }

    /// Creates a session with one of the simulator's models. The following requests use this session.
    @discardableResult
    func newSession(_ model: String, in folder: String? = nil) throws -> String {
        let location = folder.map { #","location":{"directory":"\#(simulator.home.path)/\#($0)"}"# } ?? ""
        let body = #"{"model":{"providerID":"simulator","id":"\#(model)"}\#(location)}"#
        guard let id = try simulator.post("/api/session", body).json["data"]?["id"]?.text else {
            throw TestKitError.malformed("a session without id")
        }
        names["session"] = id
        return id
    }

    /// Sends a prompt to the session.
    @discardableResult
    func prompt(_ text: String = "Explain the parser") throws -> String {
        let answer = try simulator.post("/api/session/\(names["session"] ?? "")/prompt", #"{"text":"\#(text)"}"#)
        #expect(answer.status == 200)
        return answer.json["data"]?["id"]?.text ?? ""
    }

    /// Waits for the session's next event of a type, and returns the data of the event.
    @discardableResult
    func wait(for type: String) throws -> JSON {
        guard let stream else { throw TestKitError.unavailable("a stream: the flow does not listen") }
        while true {
            let event = try stream.nextJSON()
            let data = event["data"] ?? .null
            let session = data["sessionID"]?.text ?? data["form"]?["sessionID"]?.text
            guard event["type"]?.text == type, session == names["session"] else { continue }
            if type == "permission.asked" { names["permission"] = data["id"]?.text }
            if type == "form.created" { names["form"] = data["form"]?["id"]?.text }
            return data
        }
    }

    /// Waits until the session's turn has ended.
    func waitForIdle() throws {
        let answer = try simulator.post("/api/experimental/session/\(names["session"] ?? "")/wait")
        #expect(answer.status == 204)
    }

    /// Creates three sessions: with a title, without a title, and in another directory.
    func makeSessions() throws {
        for body in [
            #"{"title":"A talk about parsers"}"#, "{}", #"{"location":{"directory":"/no/such/dir"}}"#,
            #"{"location":{"directory":"\#(simulator.home.path)/other.app"}}"#,
        ] { try simulator.post("/api/session", body) }
    }

    /// Creates a session with a completed turn.
    func makeUsedSession(_ model: String = "talk") throws {
        try newSession(model)
        try prompt()
        try waitForIdle()
    }

    /// Allows the shell permanently, and creates another session, where this permission is also valid.
    func allowShell(_ model: String) throws {
        let session = try newSession(model)
        try prompt()
        try wait(for: "permission.asked")
        let target = "/api/session/\(session)/permission/\(names["permission"] ?? "")/reply"
        try simulator.post(target, #"{"decision":"always"}"#)
        try waitForIdle()
        try newSession(model)
    }

    /// Continues with another server of the same user, which runs in the given folder.
    func changeServer(in folder: String) throws {
        simulator = try Simulator2Process(home: simulator.home, folder: folder, environment: ["SIMULATOR_STATE": state])
    }

    /// Stops the server and continues with its successor.
    func restartServer() throws {
        simulator.process.terminate()
        try simulator.process.waitForExit()
        try changeServer(in: "demo")
    }

    /// Stores the cursor for the next page from the response of an exchange.
    func takeCursor(of name: String) {
        names["cursor"] = answers[name]?["cursor"]?["next"]?.text
    }

    /// Stores the id of the session that a request has created.
    func takeSession(of name: String) { names["session"] = answers[name]?["data"]?["id"]?.text }

    /// Stores the ID of the message that was created for a prompt.
    func takeMessage(of name: String) { names["message"] = answers[name]?["data"]?["id"]?.text }

    /// Sends a recorded request, and returns the differences between the responses.
    func play(_ recorded: RecordedExchange) throws -> [String] {
        let response = try send(recorded)
        answers[recorded.name] = response.json
        if recorded.name == "pty-create" { names["pty"] = response.json["data"]?["id"]?.text }
        if recorded.name == "worktree-create" { names["worktree"] = response.json["directory"]?.text }
        return recorded.differences(response, home: simulator.home.path)
    }

    private func send(_ recorded: RecordedExchange) throws -> TestResponse {
        let connection = try TestClient.connect(port: simulator.port)
        defer { connection.close() }
        let fields = recorded.requestFields.map { ($0.0, filled($0.1)) }
        let target = filled(recorded.target)
        guard let body = recorded.requestBody.map({ Array(filled($0).utf8) }) else {
            return try connection.exchange(recorded.method, target, headers: fields, within: Self.patience)
        }
        if fields.contains(where: { $0.0 == "Transfer-Encoding" }) {
            // The chunks are sent exactly as recorded.
            let head =
                "\(recorded.method) \(target) HTTP/1.1\r\nHost: x\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined()
            try connection.write(Array("\(head)\r\n".utf8) + body)
            return try ResponseReader(connection, method: recorded.method).readAll()
        }
        return try connection.exchange(recorded.method, target, headers: fields, body: body, within: Self.patience)
    }

    /// Returns a recorded text with this run's folders and identifiers.
    private func filled(_ text: String) -> String {
        var text = text
        for (name, value) in names { text = text.replacing("{\(name)}", with: value) }
        return text.replacing("/home/vibe", with: simulator.home.path)
            .replacing("%2Fhome%2Fvibe", with: simulator.home.path.replacing("/", with: "%2F"))
    }
}

extension RecordedExchange {
    /// The header fields whose values differ between responses.
    private static let varying = ["date", "content-length", "content-security-policy"]

    /// Returns the differences between a response and this recorded response, one per line.
    func differences(_ response: TestResponse, home: String) -> [String] {
        var lines: [String] = []
        if response.status != status || response.reason != reason {
            lines.append(
                "\(response.status) \(response.reason) instead of \(status) \(reason): \(response.text.prefix(300))")
        }
        let (names, expected) = (response.fields.map(\.name), fields.map(\.name))
        if names != expected { lines.append("fields \(names) instead of \(expected)") }
        for (field, other) in zip(response.fields, fields) where !Self.varying.contains(other.name.lowercased()) {
            if field.value != other.value { lines.append("\(field) instead of \(other.value)") }
        }
        if response.ending != .complete { lines.append("the answer is incomplete") }
        if response.chunkSizes.count != chunks {
            lines.append("\(response.chunkSizes.count) chunks instead of \(chunks)")
        }
        return lines + bodyDifferences(response, home: home)
    }

    private func bodyDifferences(_ response: TestResponse, home: String) -> [String] {
        if isTruncated, body == "" { return response.body.isEmpty ? ["no body"] : [] }
        guard let body, !body.isEmpty else { return response.body.isEmpty ? [] : ["a body"] }
        if response.value(of: "content-type") != "application/json" {
            let start = body.split(separator: " style").first ?? ""
            return response.text.hasPrefix(start) && (isTruncated || response.text == body) ? [] : ["another text"]
        }
        // The simulator's gzip encoding stores the bytes without compression.
        let isCoded = response.value(of: "content-encoding") == "gzip"
        let bytes = isCoded ? Array(response.body.dropFirst(15).dropLast(8)) : response.body
        let text = String(decoding: bytes, as: UTF8.self).replacing(home, with: "/home/vibe")
        guard let json = try? JSONParser.parse(Array(text.utf8)), let other = try? JSONParser.parse(Array(body.utf8))
        else {
            return ["no JSON: \(text.prefix(100))"]
        }
        return Likeness(isTruncated: isTruncated).differences(json, from: other)
    }
}
