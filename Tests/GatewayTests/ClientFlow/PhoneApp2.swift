// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// The app of the client flow as a client of OpenCode 2's API, connected to a gateway whose instances simulate OpenCode
/// 2.
///
/// Like ``PhoneApp``, it knows the gateway's address, the project's name and its key.
final class PhoneApp2: Sendable {
    let gateway: GatewayUnderTest

    /// Starts a gateway. A turn takes only the time that its prompt requests.
    init(environment: [String: String] = [:]) throws {
        gateway = try GatewayUnderTest(
            environment: ["SIMULATOR_PROFILE": "2.0.15", "SIMULATOR_PACE": "0", "SIMULATOR_ENDS_WITH_PARENT": "1"]
                .merging(environment) { $1 },
            opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject(PhoneApp.project)
    }

    /// Sends a request with the key below the project's base path.
    @discardableResult
    func api(_ method: String, _ path: String, _ body: String? = nil) throws -> TestResponse {
        try gateway.request(
            method, "/projects/\(PhoneApp.project)/api\(path)",
            headers: body == nil ? [] : [("Content-Type", "application/json")], body: body.map { Array($0.utf8) },
            within: .seconds(60))
    }

    /// Performs step 1: `POST /projects/NAME/start`.
    func startOpenCode() throws -> TestResponse {
        try gateway.request("POST", "/projects/\(PhoneApp.project)/start", within: .seconds(60))
    }

    /// Performs step 2 and returns the id of the new session. The model belongs to the session, but in section 3's
    /// format it is in each message.
    func createSession(model: String = "talk") throws -> String {
        let answer = try api("POST", "/api/session", #"{"model":{"providerID":"simulator","id":"\#(model)"}}"#)
        return try #require(answer.json["data"]?["id"]?.text)
    }

    /// Performs step 4: `GET /api/event`.
    func openEvents() throws -> EventFeed {
        let connection = try gateway.connect()
        try connection.send(
            "GET", "/projects/\(PhoneApp.project)/api/api/event",
            headers: [GatewayUnderTest.authorization, ("Accept", "text/event-stream")])
        return EventFeed(connection)
    }

    /// Sends a message as in section 3, and returns the status of the response.
    func send(_ text: String, to session: String) throws -> Int {
        try api("POST", "/api/session/\(session)/prompt", #"{"text":"\#(text)"}"#).status
    }

    /// Performs all of section 2: starts the project, creates a session, and opens a stream that has sent
    /// `server.connected`.
    func becomeReady(model: String = "talk") throws -> (session: String, events: EventFeed) {
        #expect(try startOpenCode().status == 200)
        let session = try createSession(model: model)
        let events = try openEvents()
        try events.next("server.connected")
        return (session, events)
    }

    /// Returns the messages of a session, the oldest first.
    func messages(of session: String) throws -> [JSON] {
        try #require(try api("GET", "/api/session/\(session)/message?order=asc").json["data"]?.elements)
    }
}

extension FlowStep {
    /// Creates a step about this session.
    init(_ name: String, _ type: String, of session: String, where condition: @escaping (JSON) -> Bool = { _ in true })
    {
        self.init(name, type) { $0["sessionID"]?.text == session && condition($0) }
    }
}

extension EventFeed {
    /// Returns the deltas of an answer as the app displays them.
    func drawnText(of session: String, _ type: String = "session.text.delta") -> String {
        events.filter { $0["type"]?.text == type && $0.content["sessionID"]?.text == session }
            .compactMap { $0.content["delta"]?.text }.joined()
    }
}
