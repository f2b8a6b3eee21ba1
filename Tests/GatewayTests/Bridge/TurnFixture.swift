// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// A fake OpenCode 2 with one session, whose events a test publishes at moments of its choice. OpenCode responds to
/// requests and publishes events on different connections, in any order.
final class TurnFixture: Sendable {
    private let events = FakeOpenCode.EventStreams(first: FakeOpenCode.EventStreams.connected2)
    /// The number of events so far.
    private let published = Monitor(0)
    private let folder = Recorded<String>("the project's folder")
    /// The requests that it received and the entries of ``record(_:)``, in this order.
    let history = Recorded<String>("an entry of the history")
    /// A latch that is opened when the session is idle.
    let isIdle = Latch("the session is idle")
    /// A latch that is opened when the list of messages may be sent.
    let maySendList = Latch("the list of messages may be sent")

    /// Starts a gateway whose project `demo` is this instance, and publishes the session.
    func start(flags: [String] = []) throws -> ProxyFixture {
        let (folder, history, isIdle, maySendList) = (folder, history, isIdle, maySendList)
        let opencode = FakeOpenCode(.two()).events(events, at: ["/api/event"])
            .route("GET /api/session/ses_1") { connection, _ in
                try connection.respond(json: openCode2Session(in: try folder.wait(forCount: 1)[0]))
            }
            .route("GET /api/session/active", #"{"data":{}}"#)
            .route("GET /api/model/default", #"{"data":null}"#)
            .route("GET /api/session/ses_1/message") { connection, _ in
                history.append("list")
                try maySendList.wait(within: .seconds(30))
                try connection.respond(json: Self.list)
            }
        let environment = ["VIBE_THREADS": "2", "VIBE_EVENT_HUB": "on"]
        let fixture = try ProxyFixture(opencode, flags: flags, environment: environment) { connection, head in
            _ = try connection.readBody(of: head)
            guard head.method == "POST" else { return try connection.respond(json: #"{"data":[]}"#) }
            let name = head.path.split(separator: "/").last.map(String.init) ?? ""
            history.append(name)
            switch name {
            case "interrupt": try connection.respond(json: #"{"interrupted":true}"#)
            case "wait":
                try isIdle.wait(within: .seconds(30))
                try connection.respond(204, text: "")
            default: try connection.respond(json: #"{"data":{"id":"msg_10"}}"#)
            }
        }
        folder.append("\(fixture.gateway.home.path)/demo")
        return fixture
    }

    /// Adds an entry of the test to the history.
    func record(_ text: String) { history.append(text) }

    /// Opens a client's event stream, and publishes the session on it.
    func openEvents(_ fixture: ProxyFixture) throws -> StreamClient {
        let client = try StreamClient(fixture.gateway, ProxyFixture.target("/event"))
        try client.connected()
        publish(
            "session.created",
            #""projectID":"p","slug":"s","version":"2","location":{"directory":"\#(try folder.wait(forCount: 1)[0])"}"#)
        _ = try TranslatedStreamTests.receive(client) { $0.type == "session.created" }
        return client
    }

    func publish(_ type: String, _ data: String = "") {
        let number = published.withLock { count in
            count += 1
            return count + 99
        }
        let more = data.isEmpty ? "" : ",\(data)"
        let directory = folder.values[0]
        let event =
            #"{"id":"evt_\#(number)","created":\#(1_000 + number),"type":"\#(type)","location":{"directory":"\#(directory)"},"#
            + #""data":{"sessionID":"ses_1"\#(more)}}"#
        events.send("data: \(event)\n\n")
    }

    private static let message = #""assistantMessageID":"msg_11""#

    /// Publishes a turn up to the last delta of its text.
    func publishBeginning() {
        publish("session.execution.started")
        publish(
            "session.step.started",
            Self.message + #","agent":"build","model":{"id":"talk","providerID":"simulator"},"started":1100"#)
        publish("session.text.started", Self.message + #","ordinal":0"#)
        publish("session.text.delta", Self.message + #","ordinal":0,"delta":"Hi.""#)
    }

    /// Publishes the end of that turn.
    func publishEnd() {
        publish("session.text.ended", Self.message + #","ordinal":0,"text":"Hi.""#)
        publish("session.step.ended", Self.message + #","finish":"stop","cost":0"#)
        publish("session.execution.succeeded")
    }

    /// Publishes the interruption of that turn.
    func publishInterruption() {
        publish("session.text.ended", Self.message + #","ordinal":0,"text":"Hi.""#)
        publish("session.step.failed", Self.message + #","error":{"type":"aborted","message":"Step interrupted"}"#)
        publish("session.execution.interrupted", #""reason":"user""#)
    }

    private static let list = """
        {"data":[{"id":"msg_11","type":"assistant","time":{"created":1100,"completed":1200},"agent":"build",\
        "model":{"id":"talk","providerID":"simulator"},"content":[{"type":"text","text":"Hi."}],"finish":"stop","cost":0,\
        "tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}},\
        {"id":"msg_10","type":"user","text":"Hello","time":{"created":1000}}],"cursor":{"previous":null,"next":null}}
        """
}
