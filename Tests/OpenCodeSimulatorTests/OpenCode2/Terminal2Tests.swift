// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// The WebSocket of an OpenCode 2 terminal.
private struct Socket {
    let connection: TestConnection
    let head: TestResponseHead

    init(_ simulator: Simulator2Process, _ target: String, _ fields: [(String, String)]) throws {
        connection = try TestClient.connect(port: simulator.port)
        let handshake = [
            ("Host", "x"), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        let lines = (handshake + fields).map { "\($0.0): \($0.1)\r\n" }.joined()
        try connection.write("GET \(target) HTTP/1.1\r\n\(lines)\r\n")
        head = try ResponseReader(connection).readHead()
    }

    func send(_ opcode: UInt8, _ text: String) throws {
        let payload = Array(text.utf8)
        try connection.write([0x80 | opcode, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload)
    }

    func receive() throws -> (opcode: UInt8, isFinal: Bool, payload: [UInt8]) {
        let start = try connection.readExactly(2, waitingFor: "a frame's head")
        return (start[0] & 0x0f, start[0] & 0x80 != 0, try connection.readExactly(Int(start[1])))
    }
}

@Suite("Terminals of OpenCode 2", .onTestThreads)
struct Terminal2Tests {
    private static let recording = Recording(version: "2.0.15")
    private static let authorization = [("Authorization", Simulator2Process.authorization)]

    private func newTerminal(_ simulator: Simulator2Process) throws -> String {
        try simulator.post("/api/pty", #"{"title":"shell"}"#).json["data"]?["id"]?.text ?? ""
    }

    private func newTicket(_ simulator: Simulator2Process, _ id: String) throws -> String {
        let target = "/api/pty/\(id)/connect-token"
        return try simulator.request("POST", target, headers: [("x-opencode-ticket", "1")]).json["data"]?["ticket"]?
            .text
            ?? ""
    }

    @Test(arguments: (try? recording.records("pty-heads.jsonl")) ?? [])
    func `the head of each response to a WebSocket upgrade matches the recording`(record: JSON) throws {
        let simulator = try Simulator2Process()
        let id = try newTerminal(simulator)
        let needsTicket = record["request"]?.text?.hasSuffix("?ticket") == true
        let target = "/api/pty/\(id)/connect" + (needsTicket ? "?ticket=\(try newTicket(simulator, id))" : "")
        let values = [
            "Authorization": Simulator2Process.authorization, "Origin": "https://app.example.com",
            "Sec-WebSocket-Extensions": "permessage-deflate",
        ]
        let fields = try (record["headers"]?.elements ?? []).compactMap(\.text).map { ($0, try #require(values[$0])) }
        let socket = try Socket(simulator, target, fields)
        let lines = (record["head"]?.text ?? "").split(separator: "\r\n").map(String.init)

        #expect("HTTP/1.1 \(socket.head.status) \(socket.head.reason)" == lines.first)

        let varying = ["date", "sec-websocket-accept"]
        let form = { (line: String) in
            varying.contains { line.lowercased().hasPrefix($0) } ? line.prefix { $0 != ":" } : line[...]
        }

        #expect(socket.head.fields.map { form($0.description) } == lines.dropFirst().map(form))

        if socket.head.status == 101 {
            #expect(socket.head.value(of: "Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        }
    }

    @Test func `a terminal sends the recorded frames and is listed as exited until it is deleted`() throws {
        let simulator = try Simulator2Process()
        let id = try newTerminal(simulator)
        let socket = try Socket(simulator, "/api/pty/\(id)/connect", Self.authorization)
        for record in try Self.recording.records("pty.jsonl").dropFirst() {
            guard case .integer(let opcode)? = record["opcode"] else { continue }
            if record["from"] == "client" {
                try socket.send(UInt8(opcode), record["text"]?.text ?? "")
                continue
            }
            let frame = try socket.receive()
            #expect(frame.opcode == UInt8(opcode))
            #expect(.bool(frame.isFinal) == record["fin"])
            if let text = record["text"]?.text { #expect(String(decoding: frame.payload, as: UTF8.self) == text) }
            if let base64 = record["base64"]?.text { #expect(Base64.encode(frame.payload) == base64) }
        }

        #expect(try socket.connection.readUntilClose().isEmpty)

        // The terminal remains in the list until a request removes it.
        let info = try simulator.get("/api/pty/\(id)").json["data"]

        #expect(info?["status"] == "exited")
        #expect(info?["exitCode"] == 0)
        #expect(try simulator.request("DELETE", "/api/pty/\(id)").status == 204)
        #expect(try simulator.get("/api/pty/\(id)").json["_tag"] == "PtyNotFoundError")
    }

    @Test func `a ticket authenticates one WebSocket of its terminal and nothing else`() throws {
        let simulator = try Simulator2Process()
        let (id, other) = (try newTerminal(simulator), try newTerminal(simulator))
        let ticket = try newTicket(simulator, id)

        #expect(ticket.utf8.count == "8b4d5c9d-b491-4675-97b9-39f0d575b94a".utf8.count)
        #expect(try Socket(simulator, "/api/pty/\(id)/connect?ticket=\(ticket)", []).head.status == 101)
        #expect(try Socket(simulator, "/api/pty/\(id)/connect?ticket=\(ticket)", []).head.status == 401)

        let second = try newTicket(simulator, id)

        #expect(try Socket(simulator, "/api/pty/\(other)/connect?ticket=\(second)", []).head.status == 401)

        // A ticket is valid only for opening a socket.
        let third = try newTicket(simulator, id)

        #expect(try TestClient.request(port: simulator.port, "GET", "/api/info?ticket=\(third)").status == 401)
    }

    @Test func `a ticket expires after 60 s`() {
        let terminals = Terminals2()

        #expect(!terminals.redeem(terminals.makeTicket(for: "pty_1", lasting: .zero), for: "pty_1"))
        #expect(terminals.redeem(terminals.makeTicket(for: "pty_1"), for: "pty_1"))
        #expect(Terminals2.ticketSeconds == 60)
    }

    @Test func `each directory lists only its own terminals`() throws {
        let simulator = try Simulator2Process { try $0.makeDirectory("other.app") }
        let location = "?location[directory]=\(simulator.home.path)/other.app"
        try simulator.post("/api/pty\(location)", "{}")

        #expect(try simulator.get("/api/pty").json["data"]?.elements?.isEmpty == true)

        let list = try simulator.get("/api/pty\(location)").json["data"]?.elements ?? []

        #expect(list.map { $0["cwd"]?.text } == ["\(simulator.home.path)/other.app"])
        #expect(list.map { $0["args"] } == [["-l"]])
    }
}
