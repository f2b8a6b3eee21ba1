// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests requests without a recording: the response follows the document of 2.0.15, or the request is rejected.
@Suite("The simulator of OpenCode 2 conforms to the document", .onTestThreads)
struct Document2Tests {
    /// The operations that follow the recordings of streams and sockets, which are not exchanges.
    private static let recordedElsewhere: Set<String> = [
        "GET /api/event", "GET /api/pty/{ptyID}/connect", "GET /api/experimental/session/{sessionID}/log",
    ]

    private func operation(_ route: Route) -> DocumentedOperation? {
        DocumentedOperation.all.first { $0.method == route.method && $0.path == route.path }
    }

    @Test func `the simulator lists all 136 operations of the document`() {
        #expect(DocumentedOperation.all.count == 136)
        #expect(Simulator2.documented.sorted() == DocumentedOperation.all.map(\.name).sorted())
    }

    @Test func `each route of the simulator except /openapi.json is an operation of the document`() {
        for route in Simulator2.routes where route.path != "/openapi.json" {
            #expect(operation(route) != nil, "\(route.method) \(route.path)")
        }
    }

    /// A route is marked `recorded` if and only if a successful response was recorded.
    @Test func `a route is marked as recorded if and only if its successful response was recorded`() {
        for route in Simulator2.routes {
            guard let operation = self.operation(route), !Self.recordedElsewhere.contains(operation.name) else {
                continue
            }
            let isRecorded = operation.recorded.contains(operation.statuses[0])
            #expect((route.basis == .recorded) == isRecorded, "\(operation.name)")
        }
    }

    /// All routes that are documented but not recorded, each with a request.
    private static let requests: [String: String] = [
        "GET /api/mcp/resource": "/api/mcp/resource",
        "GET /api/integration": "/api/integration",
        "GET /api/pty/{ptyID}": "/api/pty/{pty}",
        "GET /api/experimental/session/{sessionID}/terminal": "/api/experimental/session/{session}/terminal",
        "GET /api/session/{sessionID}/message/{messageID}": "/api/session/{session}/message/{message}",
        "GET /api/session/{sessionID}/permission/{requestID}": "/api/session/{session}/permission/{permission}",
    ]

    @Test func `the response of each route without a recording matches the document's schema`() throws {
        let routes = Simulator2.routes.filter { $0.basis == .documented }

        #expect(Set(routes.map { "\($0.method) \($0.path)" }) == Set(Self.requests.keys))

        let player = try FlowPlayer(RecordedFlow(model: "tools"))
        try player.prompt()
        try player.wait(for: "permission.asked")
        let messages = try player.simulator.get("/api/session/\(player.names["session"] ?? "")/message").json["data"]
        player.names["message"] = messages?.elements?.first?["id"]?.text
        player.names["pty"] = try player.simulator.request("POST", "/api/pty", "{}").json["data"]?["id"]?.text
        for route in routes {
            let operation = try #require(self.operation(route))
            var target = Self.requests[operation.name] ?? ""
            for (name, value) in player.names { target = target.replacing("{\(name)}", with: value) }
            let answer = try player.simulator.request(route.method, target)
            #expect(answer.status == operation.statuses[0], "\(operation.name)")
            #expect(try #require(operation.schema).faults(answer.json) == [], "\(operation.name)")
        }
    }

    /// Only empty lists were recorded, so the elements of the simulator's lists follow the document.
    @Test(arguments: [
        "/api/agent", "/api/model", "/api/model/default", "/api/provider", "/api/config", "/api/command", "/api/skill",
        "/api/plugin", "/api/mcp", "/api/reference", "/api/shell", "/api/vcs", "/api/vcs/status", "/api/project",
        "/api/location", "/api/info", "/api/pty", "/api/debug/location", "/api/experimental/migration/v1",
        "/api/fs/list",
    ])
    func `each catalogue response matches the document's schema`(path: String) throws {
        let simulator = try Simulator2Process { home in
            try home.write("# demo\n", to: "demo/README.md")
            try Repository.make(at: "\(home.path)/demo")
            try home.write("new\n", to: "demo/new.txt")
        }
        try simulator.post("/api/pty", "{}")
        let answer = try simulator.get(path).json
        let schema = try #require(DocumentedOperation.all.first { $0.name == "GET \(path)" }?.schema)

        #expect(schema.faults(answer) == [])

        let isEmptyHere = ["/api/mcp", "/api/reference", "/api/shell"].contains(path)

        #expect((answer["data"]?.elements?.isEmpty == true) == isEmptyHere)
    }

    @Test func `missing, unknown and mistyped members are faults of a response`() throws {
        let schema = try #require(DocumentedOperation.all.first { $0.path == "/api/location" }?.schema)

        #expect(
            schema.faults(["directory": "/", "project": ["id": "1", "directory": "/", "canonical": 1]]).count == 1)
        #expect(schema.faults(["directory": "/", "project": ["id": "1"], "more": true]).count == 3)
    }

    @Test func `an operation that the simulator lacks is answered with 501 and a message that names it`() throws {
        let simulator = try Simulator2Process()
        let built = Set(Simulator2.routes.map { "\($0.method) \($0.path)" })
        let missing = DocumentedOperation.all.filter { !built.contains($0.name) }

        #expect(!missing.isEmpty)

        for operation in missing {
            let path = operation.path.split(separator: "/").map { $0.hasPrefix("{") ? "x" : $0 }
            let answer = try simulator.request(operation.method, "/" + path.joined(separator: "/"), "{}")
            #expect(answer.status == 501, "\(operation.name)")
            #expect(answer.json["message"]?.text?.contains(operation.name) == true)
        }

        #expect(try simulator.get("/api/no/such/path").status == 404)
    }
}
