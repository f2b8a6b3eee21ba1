import TestKit
import Testing

@testable import opencode_twin

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
