// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

@testable import opencode_simulator

/// The requests that a real client sent through a base path, in order (`Tests/Fixtures/opencode/clients.jsonl`). Its
/// credentials are removed, and the project's folder is `/home/vibe/demo`. OpenCode 2's programs ran in
/// `/home/anna/demo` on another machine.
struct RecordedClient: Sendable {
    struct Request: Sendable {
        let method: String
        let target: String
        let fields: [(name: String, value: String)]
        let body: String?

        /// The part of the target after the project's base path, without the query.
        var path: String { String(target.dropFirst(RecordedClient.basePath.count).prefix { $0 != "?" }) }
    }

    /// The base path of all recorded requests.
    static let basePath = "/projects/demo/api"

    let name: String
    let requests: [Request]

    /// Returns all recorded clients in the order of the file.
    static func all() throws -> [RecordedClient] {
        let records = try Fixtures.lines("opencode/clients.jsonl").map { try JSONParser.parse(Array($0.utf8)) }
        var clients: [(name: String, requests: [Request])] = []
        for record in records {
            let name = record["client"]?.text ?? ""
            if clients.last?.name != name { clients.append((name, [])) }
            var fields: [(name: String, value: String)] = []
            if case .object(let members)? = record["fields"] { fields = members.map { ($0.name, $0.value.text ?? "") } }
            clients[clients.count - 1].requests.append(
                Request(
                    method: record["method"]?.text ?? "", target: record["target"]?.text ?? "", fields: fields,
                    body: record["body"]?.text))
        }
        return clients.map { RecordedClient(name: $0.name, requests: $0.requests) }
    }

    static func named(_ name: String) throws -> RecordedClient {
        guard let client = try all().first(where: { $0.name == name }) else {
            throw TestFailure("no request of \(name) is recorded")
        }
        return client
    }
}

/// A gateway with the simulator as project `demo`, a repository with one commit, which replays the requests of recorded
/// clients byte for byte. Only names that differ in the simulator, and at the root the base path, are replaced.
final class Replay {
    /// The address at which the clients reach the project.
    enum Place: CaseIterable {
        /// The project's base path, with an administrator's key.
        case basePath
        /// The root, with a key that is bound to the project and has the default scope.
        case root
    }

    struct Exchange {
        let request: RecordedClient.Request
        let answer: TestResponse
    }

    let gateway: GatewayUnderTest
    let folder: String
    /// The key of the requests that ``run(_:key:)`` sends.
    let key: String
    /// All responses except the streams, in the order of the requests.
    private(set) var exchanges: [Exchange] = []
    private(set) var streams: [EventFeed] = []
    /// The replacements for names in the recording.
    private var names: [String: String] = [:]
    /// A session that was created here and whose name in the recording is not known yet.
    private var unnamed: String?

    init(_ version: String, at place: Place = .basePath) throws {
        gateway = try GatewayUnderTest(
            environment: ["SIMULATOR_PROFILE": version, "SIMULATOR_PACE": "0", "SIMULATOR_ENDS_WITH_PARENT": "1"],
            opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject("demo")
        folder = try FileTree.resolve("\(gateway.home.path)/demo")
        try GitProgram.makeRepository(in: folder, message: "x")
        let answer = try gateway.request("POST", "/projects/demo/start", within: .seconds(60))
        guard answer.status == 200 else { throw TestFailure("start answered \(answer.text)") }
        switch place {
        case .basePath: key = GatewayUnderTest.key
        case .root:
            key = try gateway.createKey("phone", #""projects":["demo"]"#).token
            names[RecordedClient.basePath] = ""
        }
        names["/home/vibe/demo"] = folder
        names[Self.escaped("/home/vibe/demo")] = Self.escaped(folder)
    }

    /// Sends a request with the key that is not part of a recording.
    func api(_ method: String, _ path: String, _ body: String? = nil) throws -> TestResponse {
        try gateway.request(
            method, "/projects/demo/api\(path)",
            headers: body == nil ? [] : [("Content-Type", "application/json")], body: body.map { Array($0.utf8) },
            within: .seconds(30))
    }

    /// Maps a session that existed before the recording to one that exists here.
    func call(_ recorded: String, _ session: String) { names[recorded] = session }

    /// Sends all requests of a client. `key` replaces the client's recorded key; nil for ``key``.
    func run(_ client: RecordedClient, key: String? = nil) throws {
        let key = key ?? self.key
        var late: [(RecordedClient.Request, ResponseReader)] = []
        for request in client.requests {
            nameSession(in: request)
            let connection = try gateway.connect()
            try connection.send(
                request.method, here(request.target), headers: request.fields.map { ($0.name, field($0, key)) },
                body: request.body.map { Array(here($0).utf8) })
            let reader = ResponseReader(connection, method: request.method)
            if request.path.hasSuffix("/event") {
                // A client continues only after the stream has begun, because the stream omits earlier events.
                let stream = EventFeed(connection)
                try stream.readEvent()
                streams.append(stream)
            } else if request.path.hasSuffix("/message"), request.method == "POST" {
                // The response arrives at the end of the turn. The client continues in the meantime.
                late.append((request, reader))
            } else {
                try check(request, reader)
            }
        }
        for (request, reader) in late { try check(request, reader) }
    }

    private func check(_ request: RecordedClient.Request, _ reader: ResponseReader) throws {
        let answer = try reader.readAll(within: .seconds(60))
        exchanges.append(Exchange(request: request, answer: answer))
        let json = answer.json
        if request.method == "POST", request.path.hasSuffix("/session") {
            unnamed = (json["id"] ?? json["data"]?["id"])?.text
        }
        if let project = request.path.hasSuffix("/location") ? json["project"]?["id"]?.text : nil {
            names[Self.recordedProject] = project
        }
        if request.path.hasSuffix("/project/current"), let project = json["id"]?.text {
            names[Self.recordedProject] = project
        }
    }

    /// Returns the responses to requests for that path.
    func answers(to path: String) -> [TestResponse] { exchanges.filter { $0.request.path == path }.map(\.answer) }

    private static let recordedProject = "223ea795e7a61263e64bd0a5b268d0cad9966303"

    /// Maps a session that was just created to the name in the first request for it. A client that chooses the id
    /// itself keeps it.
    private func nameSession(in request: RecordedClient.Request) {
        guard let recorded = request.target.firstMatch(of: #/ses_\w+/#).map({ String($0.output) }),
            names[recorded] == nil, let made = unnamed
        else { return }
        names[recorded] = made
        unnamed = nil
    }

    private func here(_ text: String) -> String {
        names.sorted { $0.key.count > $1.key.count }.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }

    private func field(_ field: (name: String, value: String), _ key: String) -> String {
        switch field.value {
        case "Basic …": "Basic " + Data("opencode:\(key)".utf8).base64EncodedString()
        case "Bearer …": "Bearer \(key)"
        default: here(field.value)
        }
    }

    /// Returns the text encoded as by JavaScript's encodeURIComponent.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-_.!~*'()".contains(character) {
                return String(character)
            }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
