import TestKit
import Testing

@testable import opencode_twin

@Suite("The twin answers as the recorded server did")
struct ExchangeTests {
    static let recorded = (try? Recording.records("exchanges.jsonl").map(RecordedExchange.init)) ?? []

    /// Fields whose values differ from one answer to the next.
    private static let varying = ["date", "content-length", "content-security-policy", "link", "x-next-cursor"]

    @Test func thereAreRecordings() {
        #expect(Self.recorded.count >= 55)
    }

    @Test(arguments: recorded)
    func exchange(_ recorded: RecordedExchange) throws {
        let twin = try TwinProcess(environment: Self.environment(for: recorded))
        let target = try Self.prepare(twin, for: recorded)
        let response = try TestClient.request(
            twin.port, recorded.method, target, headers: recorded.requestFields,
            body: recorded.requestBody.map { Array($0.utf8) })

        #expect(response.status == recorded.status)
        #expect(response.reason == recorded.reason)
        #expect(response.fields.map(\.name) == recorded.fields.map(\.name))
        for (field, expected) in zip(response.fields, recorded.fields)
        where !Self.varying.contains(expected.name.lowercased()) {
            #expect(field.value == expected.value, "\(expected.name)")
        }
        #expect(response.ending == .complete)
        if let body = recorded.body, response.value(of: "Content-Type") == "application/json" {
            #expect(response.json.shape == (try JSONParser.parse(Array(body.utf8)).shape))
        } else if recorded.body == "" {
            #expect(response.body.isEmpty)
        }
        if response.values(of: "Transfer-Encoding") == ["chunked"] { #expect(response.chunkSizes.count == 1) }
    }

    private static func environment(for recorded: RecordedExchange) -> [String: String] {
        switch recorded.name {
        case "password-user": ["OPENCODE_SERVER_PASSWORD": "pw", "OPENCODE_SERVER_USERNAME": "gate"]
        case let name where name.hasPrefix("password-"): ["OPENCODE_SERVER_PASSWORD": "correct horse"]
        default: [:]
        }
    }

    /// Brings the twin where the recorded server was, and fills identifiers into the target.
    private static func prepare(_ twin: TwinProcess, for recorded: RecordedExchange) throws -> String {
        var target = recorded.target
        if recorded.name == "get-with-json-content-type" { _ = try twin.newSession() }
        if target.contains("{session}") {
            target = target.replacing("{session}", with: try twin.usedSession())
        }
        if ["session-status-busy", "abort"].contains(recorded.name) {
            let session = recorded.name == "abort" ? String(target.split(separator: "/")[1]) : try twin.newSession()
            _ = try twin.post("/session/\(session)/prompt_async", Prompt.text("hi", model: "long"))
            let events = try TestClient.events(twin.port, "/event")
            try events.first("a piece of the answer") { $0.contains("message.part.delta") }
        }
        if recorded.name == "pty-list" { _ = try twin.post("/pty") }
        // The recorded terminal had exited before it was deleted.
        if recorded.name == "pty-delete" { target = target.replacing("{pty}", with: "pty_gone") }
        if target.contains("{pty}") {
            target = target.replacing("{pty}", with: try twin.post("/pty").json["id"]?.text ?? "")
        }
        return target
    }
}

@Suite("What an exchange does")
struct ExchangeEffectTests {
    @Test func theTokenMayStandInTheQuery() throws {
        let twin = try TwinProcess(environment: ["OPENCODE_SERVER_PASSWORD": "correct horse"])
        #expect(try twin.get("/session").status == 401)
        #expect(try twin.get("/session?auth_token=b3BlbmNvZGU6Y29ycmVjdCBob3JzZQ==").status == 200)
    }

    @Test func sessionsAreCreatedListedRenamedAndDeleted() throws {
        let twin = try TwinProcess()
        let first = try twin.newSession()
        let second = try twin.post("/session", #"{"title":"Two \u00e9\ud83d\ude80"}"#).json
        #expect(second["title"]?.text == "Two é🚀")
        #expect(second["directory"]?.text == twin.directory)
        #expect(try twin.get("/session").json.elements?.count == 2)
        #expect(try twin.get("/session?limit=1").json.elements?.count == 1)
        #expect(try twin.get("/session?directory=/elsewhere").json.elements?.isEmpty == true)
        let renamed = try TestClient.request(twin.port, "PATCH", "/session/\(first)", text: #"{"title":"One"}"#)
        #expect(renamed.json["title"]?.text == "One")
        #expect(try TestClient.request(twin.port, "DELETE", "/session/\(first)").text == "true")
        #expect(try twin.get("/session/\(first)").status == 404)
        #expect(try twin.get("/session").json.elements?.count == 1)
    }

    @Test func childrenAreFoundByTheirParent() throws {
        let twin = try TwinProcess()
        let parent = try twin.newSession()
        let child = try twin.post("/session", #"{"parentID":"\#(parent)"}"#).json["id"]
        let children = try twin.get("/session/\(parent)/children").json.elements
        #expect(children?.map { $0["id"] } == [child])
    }

    @Test func oneConnectionCarriesPipelinedRequestsInOrder() throws {
        let twin = try TwinProcess()
        let connection = try TestClient.connect(port: twin.port)
        for target in ["/path", "/global/health", "/session"] { try connection.send("GET", target) }
        let answers = try (0..<3).map { _ in try ResponseReader(connection).readAll() }
        #expect(answers[0].json["home"] != nil)
        #expect(answers[1].json["healthy"] == .bool(true))
        #expect(answers[2].text == "[]")
    }

    @Test func aHeadOfSixteenKibibytesIsRefused() throws {
        let twin = try TwinProcess()
        let long = { (kibibytes: Int) in [("X-Long", String(repeating: "a", count: kibibytes * 1024))] }
        #expect(try TestClient.request(twin.port, "GET", "/path", headers: long(15)).status == 200)
        let refusal = try TestClient.request(twin.port, "GET", "/path", headers: long(64))
        #expect(refusal.status == 431)
        #expect(refusal.value(of: "Connection") == "close")
    }

    @Test func whatIsNoHTTPIsRefused() throws {
        let twin = try TwinProcess()
        let connection = try TestClient.connect(port: twin.port)
        try connection.write("HELLO\r\n\r\n")
        #expect(try ResponseReader(connection).readAll().status == 400)
        #expect(try connection.readUntilClose().isEmpty)
    }
}
