// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Connections of OpenCode 2", .onTestThreads)
struct Connection2Tests {
    private let authorization = [("Authorization", Simulator2Process.authorization)]

    /// The server announces a time-out of 5 s after a response, but the recording has 5.3 s.
    @Test func `an idle connection is closed after at least 5.2 s`() throws {
        let simulator = try Simulator2Process()
        let connection = try TestClient.connect(port: simulator.port)
        let start = ContinuousClock.now

        #expect(try connection.exchange("GET", "/api/info", headers: authorization).status == 200)
        #expect(try connection.readUntilClose(within: .seconds(60)).isEmpty)
        #expect(ContinuousClock.now - start >= .milliseconds(5200))
    }

    @Test func `idle-loss drops a request on an idle connection unless it is the connection's first`() throws {
        let simulator = try Simulator2Process(misbehave: "idle-loss=3000ms")
        let connection = try TestClient.connect(port: simulator.port)

        #expect(try connection.exchange("GET", "/api/info", headers: authorization).status == 200)
        #expect(try connection.exchange("GET", "/api/info", headers: authorization).status == 200)
        #expect(try connection.staysSilent(for: .milliseconds(3_100)))

        try connection.send("GET", "/api/info", headers: authorization)

        #expect(try connection.readUntilEnd().bytes.isEmpty)

        // The limit does not apply to the first request of a connection.
        let other = try TestClient.connect(port: simulator.port)

        #expect(try other.staysSilent(for: .milliseconds(3_100)))
        #expect(try other.exchange("GET", "/api/info", headers: authorization).status == 200)
    }

    @Test(arguments: [(8, 200), (14, 200), (15, 200), (16, 431), (17, 431), (64, 431)])
    func `a head of 16 KiB or more is rejected with 431`(kibibytes: Int, status: Int) throws {
        let simulator = try Simulator2Process()
        let long = String(repeating: "a", count: kibibytes * 1024)

        #expect(try simulator.get("/api/info", headers: [("X-Long", long)]).status == status)
        #expect(try simulator.get("/api/info?x=\(long)").status == status)
    }

    @Test func `pipelined requests on one connection are answered in order`() throws {
        let simulator = try Simulator2Process()
        let connection = try TestClient.connect(port: simulator.port)
        let targets = ["/api/location", "/api/info", "/api/project"]
        for target in targets { try connection.send("GET", target, headers: authorization) }
        let answers = try targets.map { _ in try ResponseReader(connection).readAll() }

        #expect(answers[0].json["project"] != nil)
        #expect(answers[1].json["version"] == "2.0.15")
        #expect(answers[2].json.elements?.count == 1)
    }

    @Test func `a request with Connection: close ends the connection after its response`() throws {
        let simulator = try Simulator2Process()
        let connection = try TestClient.connect(port: simulator.port)
        try connection.send("GET", "/api/info", headers: authorization + [("Connection", "close")])

        #expect(try ResponseReader(connection).readAll().values(of: "Connection") == ["close"])
        #expect(try connection.readUntilClose().isEmpty)
    }

    @Test func `a semicolon in a target begins the query`() throws {
        let simulator = try Simulator2Process { try $0.makeDirectory("other.app") }
        let other = "\(simulator.home.path)/other.app"

        #expect(try simulator.get("/api/location;location[directory]=\(other)").json["directory"]?.text == other)
        #expect(try simulator.get("/api/location;a=b?location[directory]=\(other)").json["directory"]?.text != other)
        #expect(try simulator.get("/api/location%3Bx").status == 404)
    }

    @Test(arguments: ["/api/location/", "//api//location", "/api/%6cocation", "/x/../api/./location"])
    func `each equivalent spelling of a path reaches its route`(path: String) throws {
        #expect(try Simulator2Process().get(path).json["directory"] != nil)
    }

    @Test(arguments: ["/", "/global/health", "/api", "/apis/info", "/session/ses_1"])
    func `each path outside the API returns the web app for GET and 405 for DELETE`(path: String) throws {
        let simulator = try Simulator2Process()
        let answer = try TestClient.request(port: simulator.port, "GET", path)

        #expect(answer.status == (path == "/api" ? 401 : 200))

        guard answer.status == 200 else { return }

        #expect(answer.value(of: "content-type") == "text/html")
        #expect(try simulator.request("DELETE", path).status == 405)
    }

    @Test func `auth_token in the query overrides the Authorization field`() throws {
        let simulator = try Simulator2Process()
        let token = Simulator2Process.authorization.split(separator: " ")[1]

        #expect(
            try simulator.get("/api/info?auth_token=\(token)", headers: [("Authorization", "Basic x")]).status == 200)
        #expect(try simulator.get("/api/info?auth_token=x").status == 401)
    }
}
