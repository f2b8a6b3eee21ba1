// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A gateway in front of a fake OpenCode that implements the parts that the rules for directories need: its project,
/// its sessions and their directories. The instance is the project `demo`.
struct DirectoryFixture {
    struct Plan: Sendable {
        /// The id of the project; nil if the instance does not return it.
        var project: String? = "own"
        /// The spelling that the instance uses for its directory.
        var directory = "/nowhere"
        /// The folders that the instance has ever opened as this project.
        var folders: [String] = []
        /// The directories of the sessions that it lists, by session id.
        var listed: [String: String] = [:]
        /// The directories of further sessions that it knows but does not list, by session id.
        var known: [String: String] = [:]
        /// The delay before the instance responds with the directory of a session.
        var delay = Duration.zero
    }

    /// The instance's responses about itself, from now on.
    let plan: Monitor<Plan>
    let instance: FakeOpenCode.Server
    let gateway: GatewayUnderTest

    init(
        _ family: FakeOpenCode.Family = .two(), flags: [String] = [], threads: Int = 1,
        _ change: (inout Plan) -> Void = { _ in }
    ) throws {
        plan = Monitor(Plan())
        instance = try Self.start(family, plan)
        gateway = try GatewayUnderTest(flags: flags, environment: ["VIBE_THREADS": "\(threads)"])
        let home = gateway.home.path
        plan.withLock { plan in
            plan.directory = "\(home)/demo"
            change(&plan)
        }
        try gateway.start(instance)
    }

    /// Starts an instance that responds as planned, and streams events. A client that connects later also receives
    /// earlier events. The response to any other request of a client is the request's target.
    static func start(_ family: FakeOpenCode.Family = .two(), _ plan: Monitor<Plan>) throws -> FakeOpenCode.Server {
        let events = FakeOpenCode.EventStreams(first: payload("server.connected", ""), replaysEvents: true)
        return try FakeOpenCode(family).events(events, at: ["/api/event", "/event", "/global/event"]).start {
            connection, head in
            if head.values(of: "Via").isEmpty { return try answer(head, plan: plan, on: connection) }
            if head.method == "DELETE", let id = head.path.split(separator: "/").last.map(String.init) {
                plan.withLock {
                    $0.listed[id] = nil
                    $0.known[id] = nil
                }
                events.send(event("session.deleted", #""sessionID":"\#(id)""#))
                return try connection.respond(204)
            }
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: head.method == "HEAD" ? "" : head.target)
        }
    }

    /// Responds to one of the gateway's own queries.
    private static func answer(
        _ head: ReceivedRequestHead, plan: Monitor<Plan>, on connection: TestConnection
    ) throws {
        let now = plan.withLock { $0 }
        guard let id = now.project else { return try connection.respond(500, "Internal Server Error") }
        switch head.path {
        case "/api/location":
            try connection.respond(
                json: #"{"directory":"\#(now.directory)","project":{"id":"\#(id)","directory":"\#(now.directory)"}}"#)
        case "/project/current":
            try connection.respond(json: #"{"id":"\#(id)","worktree":"\#(now.directory)","time":{},"sandboxes":[]}"#)
        case "/api/worktree":
            let folders = now.folders.map { #"{"directory":"\#($0)"}"# }
            try connection.respond(json: "[\(folders.joined(separator: ","))]")
        case "/api/session":
            let sessions = now.listed.map { #"{"id":"\#($0)","projectID":"x","location":{"directory":"\#($1)"}}"# }
            try connection.respond(
                json: #"{"data":[\#(sessions.joined(separator: ","))],"cursor":{"previous":null,"next":null}}"#)
        case "/session":
            let sessions = now.listed.map { #"{"id":"\#($0)","directory":"\#($1)"}"# }
            try connection.respond(json: "[\(sessions.joined(separator: ","))]")
        default:
            // The end of the test closes the connection, which ends the pause.
            if now.delay > .zero { try connection.pause(now.delay) }
            let session = head.path.split(separator: "/").last.map(String.init) ?? ""
            guard let directory = plan.withLock({ $0.known[session] ?? $0.listed[session] }) else {
                return try connection.respond(404, "Not Found")
            }
            let isTwo = head.path.hasPrefix("/api/")
            try connection.respond(
                json: isTwo
                    ? #"{"data":{"id":"\#(session)","location":{"directory":"\#(directory)"}}}"#
                    : #"{"id":"\#(session)","directory":"\#(directory)"}"#)
        }
    }

    /// Returns the frame of one event in OpenCode 2's format.
    static func event(_ type: String, _ data: String, location: String? = nil) -> String {
        "data: \(payload(type, data, location: location))\n\n"
    }

    private static func payload(_ type: String, _ data: String, location: String? = nil) -> String {
        let location = location.map { #","location":{"directory":"\#($0)"}"# } ?? ""
        return #"{"id":"evt_1","created":1,"type":"\#(type)"\#(location),"data":{\#(data)}}"#
    }

    var folder: String { "\(gateway.home.path)/demo" }

    func request(
        _ method: String = "GET", _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) throws -> TestResponse {
        try gateway.request(method, "/projects/demo/api\(path)", headers: headers, body: body)
    }

    /// Sends a request and returns the target that the instance received.
    func target(_ method: String = "GET", _ path: String) throws -> String? {
        let before = instance.forwarded.count
        let answer = try request(method, path)
        guard answer.status == 200 else { return "\(answer.status)" }
        return instance.forwarded.values.dropFirst(before).first?.target
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
