import TestKit
import Testing

@testable import opencode_simulator

/// The app of the client flow, as the document describes it, against a gateway whose instances are the simulator.
///
/// It knows the gateway's address, the project's name and its key, and nothing about OpenCode's own address.
final class PhoneApp: Sendable {
    /// The project that it works on.
    static let project = "demo"

    let gateway: GatewayUnderTest
    let version: OpenCodeVersion
    var profile: Profile { version.profile }

    /// Starts a gateway whose instances are this version. Turns take no time but what a prompt asks for.
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

    /// A request below the project's base path, with the key.
    @discardableResult
    func api(_ method: String, _ path: String, _ body: String? = nil) throws -> TestResponse {
        try gateway.request(
            method, "/projects/\(Self.project)/api\(path)",
            headers: body == nil ? [] : [("Content-Type", "application/json")], body: body.map { Array($0.utf8) },
            within: .seconds(30))
    }

    /// Step 1 of section 2: `POST /projects/NAME/start`.
    func startOpenCode() throws -> TestResponse {
        try gateway.request("POST", "/projects/\(Self.project)/start", within: .seconds(60))
    }

    /// Step 2 of section 2: a new session's id.
    func createSession(title: String = "New Session") throws -> String {
        let answer = try api("POST", "/session", #"{"title":"\#(title)"}"#)
        return try #require(answer.json["id"]?.text)
    }

    /// Step 4 of section 2: `GET /event`.
    func openEvents() throws -> EventFeed {
        let connection = try gateway.connect()
        try connection.send(
            "GET", "/projects/\(Self.project)/api/event\(version.isTranslated ? "?form=full" : "")",
            headers: [GatewayUnderTest.authorization, ("Accept", "text/event-stream")])
        return EventFeed(connection)
    }

    /// Section 3: a message in the format that section 3 calls critical; the answer's status.
    func send(_ text: String, to session: String, model: String = "talk") throws -> Int {
        try api(
            "POST", "/session/\(session)/prompt_async",
            """
            {"model":{"providerID":"simulator","modelID":"\(model)"},"parts":[{"type":"text","text":"\(text)"}]}
            """
        ).status
    }

    /// All of section 2: a started project, a session, and a stream that has said `server.connected`.
    func becomeReady() throws -> (session: String, events: EventFeed) {
        #expect(try startOpenCode().status == 200)
        let session = try createSession()
        let events = try openEvents()
        try events.next("server.connected")
        return (session, events)
    }
}

/// The versions that the flow is played with.
struct OpenCodeVersion: Sendable, CustomTestStringConvertible {
    /// The OpenCode 1 whose words the app hears.
    let profile: Profile
    /// Whether an OpenCode 2 says them, translated, and growing texts whole.
    var isTranslated = false

    /// OpenCode 1.
    static let all = Profile.all.map { OpenCodeVersion(profile: $0) }
    /// OpenCode 2 in front of which the gateway speaks as 1.18.33 does.
    static let translated = OpenCodeVersion(profile: .newest, isTranslated: true)
    /// All to which the app speaks OpenCode 1.
    static let spoken = all + [translated]

    /// The version that runs.
    var program: String { isTranslated ? "2.0.15" : profile.version }
    /// Whether a growing text comes as a whole each time.
    var streamsWholeText: Bool { isTranslated || profile.turns.streamsWholeText }

    var testDescription: String { isTranslated ? "OpenCode \(program), translated" : "OpenCode \(program)" }
}

/// What has come on an event stream, event by event.
final class EventFeed {
    let connection: TestConnection
    let stream: EventStreamReader
    /// All events so far.
    private(set) var events: [JSON] = []
    /// When each of them came.
    private(set) var times: [ContinuousClock.Instant] = []
    private var seen = 0

    init(_ connection: TestConnection) {
        self.connection = connection
        stream = EventStreamReader(connection)
    }

    /// Reads up to the next event of a type that meets the condition, and returns its content. Heartbeats are no reason to wait
    /// for ever.
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
            try read()
        }
    }

    /// Reads one more event.
    func read() throws {
        guard let event = try stream.next(within: .seconds(20)) else {
            throw TestFailure("the stream ended after \(events.map { $0["type"]?.text ?? "?" })")
        }
        events.append(try JSONParser.parse(Array(event.utf8)))
        times.append(.now)
    }

    /// The turn is over: the session is idle, and its messages' summary has come.
    func readTurn(of session: String, _ profile: Profile) throws {
        try next("session.idle") { $0["sessionID"]?.text == session }
        if !profile.turns.summaryPrecedesIdle {
            try next("session.diff") { $0["sessionID"]?.text == session }
        }
    }

    /// Where each of the steps is found: each behind the one before it.
    func expectInOrder(_ steps: [FlowStep], sourceLocation: SourceLocation = #_sourceLocation) {
        var rest = events[...]
        for step in steps {
            guard let index = rest.firstIndex(where: step.matches) else {
                Issue.record("step \(step.name) has not come in its place", sourceLocation: sourceLocation)
                return
            }
            rest = rest[(index + 1)...]
        }
    }

    /// The text of a message as the app shows it: whole texts and pieces put together.
    func shownText(of message: String, type: String = "text") -> String {
        var text = ""
        var part: JSON?
        for event in events {
            let properties = event["properties"] ?? .null
            if event["type"] == "message.part.updated", let updated = properties["part"],
                updated["messageID"]?.text == message, updated["type"]?.text == type
            {
                (part, text) = (updated["id"], updated["text"]?.text ?? "")
            } else if event["type"] == "message.part.delta", properties["partID"] == part {
                text += properties["delta"]?.text ?? ""
            }
        }
        return text
    }
}

/// One numbered step of a sequence.
struct FlowStep {
    let name: String
    let matches: (JSON) -> Bool

    init(_ name: String, _ type: String, where condition: @escaping (JSON) -> Bool = { _ in true }) {
        self.name = name
        matches = { $0["type"]?.text == type && condition($0.content) }
    }
}

extension JSON {
    /// What an event says besides its type: OpenCode 1 calls it properties, OpenCode 2 data.
    var content: JSON { self["properties"] ?? self["data"] ?? .null }
}

extension TestResponse {
    /// The body as JSON; null when it is none.
    var json: JSON { (try? JSONParser.parse(plainBody)) ?? .null }

    /// The body without the simulator's compression, which stores everything as it is (RFC 1951 §3.2.4).
    private var plainBody: [UInt8] {
        guard value(of: "Content-Encoding") == "gzip" else { return body }
        var plain: [UInt8] = []
        var rest = body.dropFirst(10)
        while let isLast = rest.popFirst(), rest.count >= 4 {
            let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            rest = rest.dropFirst(4)
            plain += rest.prefix(length)
            rest = rest.dropFirst(length)
            if isLast & 1 == 1 { break }
        }
        return plain
    }
}
