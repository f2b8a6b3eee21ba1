// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A fake instance of OpenCode 1 or 2 that implements only what the rules for directories need. It returns its project,
/// its sessions and their directories, streams events, and answers all other requests with their target.
///
/// The gateway's own queries have no `Via`, which distinguishes them from clients' requests.
final class ScriptedInstance: Sendable {
    struct Plan: Sendable {
        /// The id of the project; nil if the instance does not return it.
        var project: String? = "own"
        /// The spelling that the instance uses for its directory.
        var directory = "/nowhere"
        /// The folders that the instance has ever opened as this project.
        var folders: [String] = []
        /// The sessions that it lists, by their ids.
        var listed: [String: String] = [:]
        /// Further sessions that it knows but does not list.
        var known: [String: String] = [:]
        /// The delay before it answers where a session is.
        var delay = Duration.zero
    }

    /// The instance's answers about itself, from now on.
    let plan = Monitor(Plan())
    /// The targets of the gateway's own queries.
    let asked = Recorded<String>("a question of the gateway's own")
    /// The heads of clients' requests.
    let received = Recorded<ReceivedRequestHead>("a client's request")
    /// The events that are sent on every open event stream when they are added.
    private let events = Recorded<String>("an event to be sent")
    private let ended = Latch("the streams to end")
    private let released = Latch("the test to be over")
    let fake: FakeOpenCode.Server

    init(_ family: FakeOpenCode.Family = .two()) throws {
        let (plan, asked, received, events) = (plan, asked, received, events)
        let (ended, released) = (ended, released)
        fake = try FakeOpenCode(family).start { connection, head in
            let isOwn = head.values(of: "Via").isEmpty
            if isOwn { asked.append(head.target) } else { received.append(head) }
            if isOwn { return try Self.answer(head, plan, released, connection) }
            if head.path.hasSuffix("event") { return try Self.stream(events, ended, connection) }
            if head.method == "DELETE", let id = head.path.split(separator: "/").last.map(String.init) {
                plan.withLock {
                    $0.listed[id] = nil
                    $0.known[id] = nil
                }
                events.append(Self.event("session.deleted", #""sessionID":"\#(id)""#))
                return try connection.respond(204)
            }
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: head.method == "HEAD" ? "" : head.target)
        }
    }

    deinit { released.open() }

    /// Sends an event on every stream that is open or opens later.
    func send(_ event: String) { events.append(event) }

    /// Ends all event streams of the instance.
    func endStreams() { ended.open() }

    /// Returns one event in OpenCode 2's format.
    static func event(_ type: String, _ data: String, location: String? = nil) -> String {
        let location = location.map { #","location":{"directory":"\#($0)"}"# } ?? ""
        return "data: {\"id\":\"evt_1\",\"created\":1,\"type\":\"\(type)\"\(location),\"data\":{\(data)}}\n\n"
    }

    private static func answer(
        _ head: ReceivedRequestHead, _ plan: Monitor<Plan>, _ released: Latch, _ connection: TestConnection
    ) throws {
        let now = plan.withLock { $0 }
        func json(_ text: String) throws {
            try connection.respond(200, headers: [("Content-Type", "application/json")], text: text)
        }
        guard let id = now.project else { return try connection.respond(500, "Internal Server Error") }
        switch head.path {
        case "/api/location":
            try json(#"{"directory":"\#(now.directory)","project":{"id":"\#(id)","directory":"\#(now.directory)"}}"#)
        case "/project/current": try json(#"{"id":"\#(id)","worktree":"\#(now.directory)","time":{},"sandboxes":[]}"#)
        case "/api/worktree":
            try json("[" + now.folders.map { #"{"directory":"\#($0)"}"# }.joined(separator: ",") + "]")
        case "/api/session":
            let sessions = now.listed.map { #"{"id":"\#($0)","projectID":"x","location":{"directory":"\#($1)"}}"# }
            try json(#"{"data":[\#(sessions.joined(separator: ","))],"cursor":{"previous":null,"next":null}}"#)
        case "/session":
            try json("[" + now.listed.map { #"{"id":"\#($0)","directory":"\#($1)"}"# }.joined(separator: ",") + "]")
        default:
            if now.delay > .zero { _ = released.isOpened(within: now.delay) }
            let session = head.path.split(separator: "/").last.map(String.init) ?? ""
            guard let directory = plan.withLock({ $0.known[session] ?? $0.listed[session] }) else {
                return try connection.respond(404, "Not Found")
            }
            let isTwo = head.path.hasPrefix("/api/")
            try json(
                isTwo
                    ? #"{"data":{"id":"\#(session)","location":{"directory":"\#(directory)"}}}"#
                    : #"{"id":"\#(session)","directory":"\#(directory)"}"#)
        }
    }

    private static func stream(_ events: Recorded<String>, _ ended: Latch, _ connection: TestConnection) throws {
        try connection.writeHead(
            200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
        try connection.writeChunk(event("server.connected", ""))
        var sent = 0
        while !connection.isClosed {
            if ended.isOpen { return try connection.writeLastChunk() }
            let all = (try? events.wait("another event", within: .milliseconds(50)) { $0.count > sent }) ?? []
            for event in all.dropFirst(sent) { try connection.writeChunk(event) }
            sent = max(sent, all.count)
        }
    }
}

/// A gateway with scripted instances. The first one is project `demo`.
struct ScriptedFixture {
    let instance: ScriptedInstance
    let gateway: GatewayUnderTest

    init(
        _ family: FakeOpenCode.Family = .two(), flags: [String] = [], threads: Int = 1,
        _ change: (inout ScriptedInstance.Plan) -> Void = { _ in }
    ) throws {
        instance = try ScriptedInstance(family)
        gateway = try GatewayUnderTest(flags: flags, environment: ["VIBE_THREADS": "\(threads)"])
        let home = gateway.home.path
        instance.plan.withLock { plan in
            plan.directory = "\(home)/demo"
            change(&plan)
        }
        try gateway.start(instance.fake)
    }

    var folder: String { "\(gateway.home.path)/demo" }

    func request(
        _ method: String = "GET", _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) throws -> TestResponse {
        try gateway.request(method, "/projects/demo/api\(path)", headers: headers, body: body)
    }

    /// Sends a request and returns the target that the instance received.
    func target(_ method: String = "GET", _ path: String) throws -> String? {
        let before = instance.received.count
        let answer = try request(method, path)
        guard answer.status == 200 else { return "\(answer.status)" }
        return instance.received.values.dropFirst(before).first?.target
    }

    /// Opens an event stream of the project and reads its first event.
    func events(_ path: String = "/api/event") throws -> EventStreamReader {
        let connection = try TestClient.connect(port: gateway.port)
        try connection.send("GET", "/projects/demo/api\(path)", headers: [GatewayUnderTest.authorization])
        let reader = EventStreamReader(connection)
        try reader.first { $0.contains("server.connected") }
        return reader
    }

    /// Returns the `warnings` of status.
    func warnings(_ project: String = "demo") throws -> String {
        try gateway.request("GET", "/projects/\(project)/status").text
    }
}
