// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import opencode_simulator

/// The app of the client flow as the document describes it, connected to a gateway whose instances are simulators.
///
/// The app knows the gateway's address, the project's name and its key, but not the address of OpenCode itself.
final class PhoneApp: Sendable {
    /// The project that the app uses.
    static let project = "demo"

    let gateway: GatewayUnderTest
    let version: OpenCodeVersion
    var profile: Profile { version.profile }

    /// Starts a gateway whose instances have this version. A turn takes only the time that its prompt requests.
    init(_ version: OpenCodeVersion, environment: [String: String] = [:]) throws {
        self.version = version
        gateway = try GatewayUnderTest(
            environment: [
                "SIMULATOR_PROFILE": version.program, "SIMULATOR_PACE": "0", "SIMULATOR_ENDS_WITH_PARENT": "1",
            ]
            .merging(environment) { $1 },
            opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject(Self.project)
    }

    /// Sends a request with the key below the project's base path.
    @discardableResult
    func api(_ method: String, _ path: String, _ body: String? = nil) throws -> TestResponse {
        try gateway.request(
            method, "/projects/\(Self.project)/api\(path)",
            headers: body == nil ? [] : [("Content-Type", "application/json")], body: body.map { Array($0.utf8) },
            within: .seconds(30))
    }

    /// Performs step 1 of section 2: `POST /projects/NAME/start`.
    func startOpenCode() throws -> TestResponse {
        try gateway.request("POST", "/projects/\(Self.project)/start", within: .seconds(60))
    }

    /// Performs step 2 of section 2 and returns the id of the new session.
    func createSession(title: String = "New Session") throws -> String {
        let answer = try api("POST", "/session", #"{"title":"\#(title)"}"#)
        return try #require(answer.json["id"]?.text)
    }

    /// Performs step 4 of section 2: `GET /event`.
    func openEvents() throws -> EventFeed {
        let connection = try gateway.connect()
        try connection.send(
            "GET", "/projects/\(Self.project)/api/event\(version.isTranslated ? "?form=full" : "")",
            headers: [GatewayUnderTest.authorization, ("Accept", "text/event-stream")])
        return EventFeed(connection)
    }

    /// Sends a message in the format that section 3 calls critical, and returns the status of the response.
    func send(_ text: String, to session: String, model: String = "talk") throws -> Int {
        try api(
            "POST", "/session/\(session)/prompt_async",
            """
            {"model":{"providerID":"simulator","modelID":"\(model)"},"parts":[{"type":"text","text":"\(text)"}]}
            """
        ).status
    }

    /// Performs all of section 2: starts the project, creates a session, and opens a stream that has sent
    /// `server.connected`.
    func becomeReady() throws -> (session: String, events: EventFeed) {
        #expect(try startOpenCode().status == 200)
        let session = try createSession()
        let events = try openEvents()
        try events.next("server.connected")
        return (session, events)
    }
}

/// The versions that the flow tests run with.
struct OpenCodeVersion: Sendable, CustomTestStringConvertible {
    /// The OpenCode 1 version whose API the app sees.
    let profile: Profile
    /// Whether an OpenCode 2 is translated, and growing texts are sent in full.
    var isTranslated = false

    /// All versions of OpenCode 1.
    static let all = Profile.all.map { OpenCodeVersion(profile: $0) }
    /// An OpenCode 2 instance that the gateway translates to the API of 1.18.33.
    static let translated = OpenCodeVersion(profile: .newest, isTranslated: true)
    /// All versions that the app uses through the API of OpenCode 1.
    static let spoken = all + [translated]

    /// The version that the simulator runs.
    var program: String { isTranslated ? "2.0.15" : profile.version }
    /// Whether each event of a growing text contains the whole text.
    var streamsWholeText: Bool { isTranslated || profile.turns.streamsWholeText }

    var testDescription: String { isTranslated ? "OpenCode \(program), translated" : "OpenCode \(program)" }
}

/// The events received on an event stream.
final class EventFeed {
    let connection: TestConnection
    let stream: EventStreamReader
    /// All events received so far.
    private(set) var events: [JSON] = []
    /// The times at which the events were received.
    private(set) var times: [ContinuousClock.Instant] = []
    private var seen = 0

    init(_ connection: TestConnection) {
        self.connection = connection
        stream = EventStreamReader(connection)
    }

    /// Reads up to the next event of this type that meets the condition, and returns its content. Heartbeats do not
    /// extend the wait.
    @discardableResult
    func next(_ type: String, where condition: (JSON) -> Bool = { _ in true }) throws -> JSON {
        let deadline = Deadline(after: .seconds(120))
        while true {
            if deadline.hasPassed { throw TestFailure("no \(type) has come; the last events: \(events.suffix(5))") }
            while seen < events.count {
                let event = events[seen]
                seen += 1
                let content = event.content
                if event["type"]?.text == type, condition(content) { return content }
            }
            try readEvent()
        }
    }

    /// Reads the next event from the stream.
    func readEvent() throws {
        guard let event = try stream.next(within: .seconds(20)) else {
            throw TestFailure("the stream ended after \(events.map { $0["type"]?.text ?? "?" })")
        }
        events.append(try JSONParser.parse(Array(event.utf8)))
        times.append(.now)
    }

    /// Reads to the end of a turn, when the session is idle and the summary of its messages has arrived.
    func readTurn(of session: String, _ profile: Profile) throws {
        try next("session.idle") { $0["sessionID"]?.text == session }
        if !profile.turns.summaryPrecedesIdle {
            try next("session.diff") { $0["sessionID"]?.text == session }
        }
    }

    /// Expects these steps in order, each after the previous one.
    func expectInOrder(_ steps: [FlowStep], sourceLocation: SourceLocation = #_sourceLocation) {
        var remainder = events[...]
        for step in steps {
            guard let index = remainder.firstIndex(where: step.matches) else {
                Issue.record("step \(step.name) has not come in its place", sourceLocation: sourceLocation)
                return
            }
            remainder = remainder[(index + 1)...]
        }
    }

    /// Returns the text of a message as the app shows it, assembled from whole texts and deltas.
    func shownText(of message: String, type: String = "text") -> String {
        var text = ""
        var part: JSON?
        for event in events {
            let properties = event["properties"] ?? .null
            if event["type"] == "message.part.updated", let updated = properties["part"],
                updated["messageID"]?.text == message, updated["type"]?.text == type
            {
                part = updated["id"]
                text = updated["text"]?.text ?? ""
            } else if event["type"] == "message.part.delta", properties["partID"] == part {
                text += properties["delta"]?.text ?? ""
            }
        }
        return text
    }
}

/// A numbered step of an event sequence.
struct FlowStep {
    let name: String
    let matches: (JSON) -> Bool

    init(_ name: String, _ type: String, where condition: @escaping (JSON) -> Bool = { _ in true }) {
        self.name = name
        matches = { $0["type"]?.text == type && condition($0.content) }
    }
}

extension JSON {
    /// The content of an event besides its type: `properties` in OpenCode 1, `data` in OpenCode 2.
    var content: JSON { self["properties"] ?? self["data"] ?? .null }
}

extension TestResponse {
    /// The body as JSON; null if it is not JSON.
    var json: JSON { (try? JSONParser.parse(plainBody)) ?? .null }

    /// The body without the simulator's compression, which only uses stored blocks (RFC 1951 §3.2.4).
    private var plainBody: [UInt8] {
        guard value(of: "Content-Encoding") == "gzip" else { return body }
        var plain: [UInt8] = []
        var remainder = body.dropFirst(10)
        while let isLast = remainder.popFirst(), remainder.count >= 4 {
            let length = Int(remainder[remainder.startIndex]) | Int(remainder[remainder.startIndex + 1]) << 8
            remainder = remainder.dropFirst(4)
            plain += remainder.prefix(length)
            remainder = remainder.dropFirst(length)
            if isLast & 1 == 1 { break }
        }
        return plain
    }
}
