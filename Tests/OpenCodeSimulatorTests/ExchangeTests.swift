// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Requests and responses", .onTestThreads)
struct ExchangeEffectTests {
    @Test func `auth_token in the query authenticates a request`() throws {
        let simulator = try SimulatorProcess(environment: ["OPENCODE_SERVER_PASSWORD": "correct horse"])

        #expect(try simulator.get("/session").status == 401)
        #expect(try simulator.get("/session?auth_token=b3BlbmNvZGU6Y29ycmVjdCBob3JzZQ==").status == 200)
    }

    @Test func `sessions are created, listed, renamed and deleted`() throws {
        let simulator = try SimulatorProcess()
        let first = try simulator.newSession()
        let second = try simulator.post("/session", #"{"title":"Two \u00e9\ud83d\ude80"}"#).json

        #expect(second["title"]?.text == "Two é🚀")
        #expect(second["directory"]?.text == simulator.directory)
        #expect(try simulator.get("/session").json.elements?.count == 2)
        #expect(try simulator.get("/session?limit=1").json.elements?.count == 1)
        #expect(try simulator.get("/session?directory=/elsewhere").json.elements?.isEmpty == true)

        let renamed = try TestClient.request(
            port: simulator.port, "PATCH", "/session/\(first)", text: #"{"title":"One"}"#)

        #expect(renamed.json["title"]?.text == "One")
        #expect(try TestClient.request(port: simulator.port, "DELETE", "/session/\(first)").text == "true")
        #expect(try simulator.get("/session/\(first)").status == 404)
        #expect(try simulator.get("/session").json.elements?.count == 1)
    }

    @Test func `a child session is listed under its parent`() throws {
        let simulator = try SimulatorProcess()
        let parent = try simulator.newSession()
        let child = try simulator.post("/session", #"{"parentID":"\#(parent)"}"#).json["id"]
        let children = try simulator.get("/session/\(parent)/children").json.elements

        #expect(children?.map { $0["id"] } == [child])
    }

    @Test func `pipelined requests on one connection are answered in order`() throws {
        let simulator = try SimulatorProcess()
        let connection = try TestClient.connect(port: simulator.port)
        for target in ["/path", "/global/health", "/session"] { try connection.send("GET", target) }
        let answers = try (0..<3).map { _ in try ResponseReader(connection).readAll() }

        #expect(answers[0].json["home"] != nil)
        #expect(answers[1].json["healthy"] == .bool(true))
        #expect(answers[2].text == "[]")
    }

    @Test func `a head of 64 KiB is rejected with 431, and one of 15 KiB is accepted`() throws {
        let simulator = try SimulatorProcess()
        let long = { (kibibytes: Int) in [("X-Long", String(repeating: "a", count: kibibytes * 1024))] }

        #expect(try TestClient.request(port: simulator.port, "GET", "/path", headers: long(15)).status == 200)

        let refusal = try TestClient.request(port: simulator.port, "GET", "/path", headers: long(64))

        #expect(refusal.status == 431)
        #expect(refusal.value(of: "Connection") == "close")
    }

    @Test func `a request line that is not HTTP is rejected with 400, and the connection is closed`() throws {
        let simulator = try SimulatorProcess()
        let connection = try TestClient.connect(port: simulator.port)
        try connection.write("HELLO\r\n\r\n")

        #expect(try ResponseReader(connection).readAll().status == 400)
        #expect(try connection.readUntilClose().isEmpty)
    }
}
