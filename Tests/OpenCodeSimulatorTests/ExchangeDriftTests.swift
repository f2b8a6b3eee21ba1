// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Sends every recorded request to the simulator. The status, header fields and members must match the recorded
/// response.
@Suite("Exchanges match the recordings", .onTestThreads)
struct ExchangeDriftTests {
    static let recorded = Recording.all.flatMap { recording in
        ((try? recording.records("exchanges.jsonl")) ?? []).map { RecordedExchange($0, version: recording.version) }
    }

    /// The header fields whose values differ between responses.
    private static let varying = ["date", "content-length", "content-security-policy", "link", "x-next-cursor"]

    @Test func `each recorded version has at least 85 exchanges`() {
        for recording in Recording.all {
            #expect(Self.recorded.count { $0.version == recording.version } >= 85)
        }
    }

    @Test(arguments: recorded)
    func `the response to each recorded request matches the recording`(_ recorded: RecordedExchange) throws {
        let situation = try ExchangeSituation(recorded)
        let response = try TestClient.request(
            port: situation.simulator.port, recorded.method, situation.target, headers: recorded.requestFields,
            body: recorded.requestBody.map { Array($0.utf8) })

        var differences: [String] = []
        if response.status != recorded.status { differences.append("status \(response.status)") }
        if response.reason != recorded.reason { differences.append("reason \(response.reason)") }
        let names = response.fields.map(\.name)
        if names != recorded.fields.map(\.name) { differences.append("fields \(names)") }
        for (field, expected) in zip(response.fields, recorded.fields)
        where !Self.varying.contains(expected.name.lowercased()) && field.value != expected.value {
            differences.append("\(field) instead of \(expected.value)")
        }
        if response.ending != .complete { differences.append("the answer is incomplete") }
        if let body = recorded.body, response.value(of: "Content-Type") == "application/json", !body.isEmpty {
            differences += response.json.differences(from: try JSONParser.parse(Array(body.utf8)))
        } else if recorded.body == "", !response.body.isEmpty {
            differences.append("a body")
        }
        let isChunked = response.values(of: "Transfer-Encoding") == ["chunked"]
        if isChunked, response.chunkSizes.count != 1 { differences.append("\(response.chunkSizes.count) chunks") }
        Tally.record(recorded, isEqual: differences.isEmpty)

        #expect(differences == [])
    }
}

/// A simulator in the state that the recorded server had when it received a request.
struct ExchangeSituation {
    let simulator: SimulatorProcess
    /// The recorded target with the simulator's own identifiers.
    let target: String

    init(_ recorded: RecordedExchange) throws {
        let files = ["README.md": "# demo\n", "big.txt": String(repeating: "0123456789abcdef\n", count: 100_000)]
        let takesTime = (Self.busy + Self.retrying).contains(recorded.name)
        simulator = try SimulatorProcess(
            recorded.version, environment: Self.environment(recorded.name), pace: takesTime ? 100 : 0,
            files: recorded.name.hasPrefix("file") ? files : [:])
        target = try Self.prepare(simulator, recorded)
    }

    /// The requests that were sent while a turn ran.
    private static let busy = ["session-status-busy", "abort", "message-while-busy"]
    /// The requests that were sent between two attempts at a provider request.
    private static let retrying = ["session-status-retrying", "abort-retrying"]

    private static func environment(_ name: String) -> [String: String] {
        switch name {
        case "password-user": ["OPENCODE_SERVER_PASSWORD": "pw", "OPENCODE_SERVER_USERNAME": "gate"]
        case let name where name.hasPrefix("password-"): ["OPENCODE_SERVER_PASSWORD": "correct horse"]
        default: [:]
        }
    }

    /// Brings the simulator into the state of the recorded server, and inserts identifiers into the target.
    private static func prepare(_ simulator: SimulatorProcess, _ recorded: RecordedExchange) throws -> String {
        if recorded.name == "pty-list" { try simulator.post("/pty") }
        var session = ""
        switch recorded.name {
        case "get-with-json-content-type": session = try simulator.newSession()
        case "session-list-demo", "after-dispose":
            session = try simulator.usedSession()
            try simulator.post("/session/\(session)/fork")
            try simulator.post("/session/\(session)/message", Prompt.text("again"))
        case let name where retrying.contains(name):
            session = try start(simulator, "ratelimit") { $0["status"]?["type"] == "retry" }
        case "permission-once", "permission-reject", "permissions-pending-tools", "permissions-pending-ask":
            session = try start(simulator, "tools", until: "permission.asked")
        case "questions-pending", "question-reply": session = try start(simulator, "question", until: "question.asked")
        // The first published part belongs to the prompt itself, before the turn has begun.
        case "session-status-busy": session = try start(simulator, "long") { $0["status"]?["type"] == "busy" }
        case let name where busy.contains(name): session = try start(simulator, "long", until: "message.part.updated")
        case "session-of-other-directory", "session-list-other", "second-server-reads-firsts-session":
            let directory = "?directory=/home/vibe/other.app"
            session = try simulator.post("/session\(directory)").json["id"]?.text ?? ""
            try simulator.post("/session/\(session)/message\(directory)", Prompt.text("hello"))
            // The second server worked in the other directory.
            if recorded.name.hasPrefix("second") { return "/session/\(session)\(directory)" }
        case _ where recorded.target.contains("{session}"): session = try simulator.usedSession()
        default: break
        }
        let pending = try simulator.get(recorded.target.contains("{que}") ? "/question" : "/permission").json
        let request = pending.elements?.first?["id"]?.text ?? ""
        return try recorded.target.replacing("{session}", with: session).replacing("{per}", with: request)
            .replacing("{que}", with: request).replacing("{pty}", with: terminal(simulator, recorded))
    }

    /// Begins a turn and waits for one of its events.
    private static func start(
        _ simulator: SimulatorProcess, _ model: String, until type: String = "session.status",
        where condition: (JSON) -> Bool = { _ in true }
    ) throws -> String {
        let log = try EventLog(simulator)
        let session = try simulator.newSession()
        try simulator.post("/session/\(session)/prompt_async", Prompt.text("Explain it", model: model))
        try log.next(type, where: condition)
        return session
    }

    private static func terminal(_ simulator: SimulatorProcess, _ recorded: RecordedExchange) throws -> String {
        guard recorded.target.contains("{pty}") else { return "" }
        // The recorded terminal had exited before it was deleted.
        return recorded.name == "pty-delete" ? "pty_gone" : try simulator.post("/pty").json["id"]?.text ?? ""
    }
}

extension JSON {
    /// Returns the differences in the names, their order, or the kinds of values. Lists may be longer or shorter, but
    /// their elements must have the expected kinds. Maps whose names are data count as lists.
    func differences(from expected: JSON, at path: String = "") -> [String] {
        switch (self, expected) {
        case (.array(let elements), .array(let others)):
            return elements.isEmpty || others.isEmpty ? [] : unlike(elements, others, "\(path)[]")
        case (.object(let members), .object(let others)):
            let maps = ["models", "default", "provider", "keybinds", "options"]
            let name = path.split(separator: ".").last.map(String.init) ?? ""
            if maps.contains(name) || members.contains(where: { $0.name.hasPrefix("ses_") }) {
                return others.isEmpty ? [] : unlike(members.map(\.value), others.map(\.value), "\(path){}")
            }
            let names = (members.map(\.name), others.map(\.name))
            if names.0 != names.1 { return ["\(path): \(names.0) instead of \(names.1)"] }
            return zip(members, others).flatMap { $0.value.differences(from: $1.value, at: "\(path).\($0.name)") }
        default: return shape == expected.shape ? [] : ["\(path): \(shape) instead of \(expected.shape)"]
        }
    }

    /// Returns the differences of the values that match none of `others`. Each such value is compared with the last of
    /// `others`.
    private func unlike(_ values: [JSON], _ others: [JSON], _ path: String) -> [String] {
        values.flatMap { value -> [String] in
            let all = others.map { value.differences(from: $0, at: path) }
            return all.contains([]) ? [] : all.last ?? []
        }
    }
}
