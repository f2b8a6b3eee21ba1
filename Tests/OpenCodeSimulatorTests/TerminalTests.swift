// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// A WebSocket client that masks its frames, as RFC 6455 requires.
private struct TerminalClient {
    /// The simulator, which runs for as long as its client exists.
    private let simulator: SimulatorProcess
    let connection: TestConnection
    let head: TestResponseHead

    /// Connects to a new terminal. `early` is sent directly after the request.
    init(_ simulator: SimulatorProcess, key: String = "dGhlIHNhbXBsZSBub25jZQ==", early: [UInt8] = []) throws {
        self.simulator = simulator
        let id = try simulator.post("/pty").json["id"]?.text ?? ""
        connection = try TestClient.connect(port: simulator.port)
        let request =
            "GET /pty/\(id)/connect HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n\r\n"
        try connection.write(Array(request.utf8) + early)
        head = try ResponseReader(connection).readHead()
    }

    static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
        let mask: [UInt8] = [1, 2, 3, 4]
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        return [(isFinal ? 0x80 : 0) | opcode] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    func send(_ opcode: UInt8, _ text: String, isFinal: Bool = true) throws {
        try connection.write(Self.frame(opcode, Array(text.utf8), isFinal: isFinal))
    }

    func receive() throws -> (opcode: UInt8, isFinal: Bool, payload: [UInt8]) {
        let start = try connection.readExactly(2, waitingFor: "a frame's head")
        var length = Int(start[1])
        #expect(length < 128, "a server's frames are not masked")
        if length >= 126 { length = try connection.readExactly(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        return (start[0] & 0x0f, start[0] & 0x80 != 0, try connection.readExactly(length))
    }
}

@Suite("The behaviour of terminals matches the recordings", .onTestThreads)
struct TerminalTests {
    @Test(arguments: Recording.all)
    func `an upgrade for a missing terminal hangs as the first request only with 1_18`(_ recording: Recording) throws {
        let simulator = try SimulatorProcess(recording.version)

        #expect(try simulator.get("/global/health").status == 200)

        let connection = try TestClient.connect(port: simulator.port)
        let request =
            "GET /pty/pty_0/connect HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        try connection.write(request)
        guard Profile.chosen(recording.version)?.hangsFirstUpgrade == true else {
            #expect(try ResponseReader(connection).readHead().status >= 400)
            return
        }

        #expect(recording.version.hasPrefix("1.18"))
        #expect(try connection.staysSilent(for: .milliseconds(200)))
        #expect(try simulator.get("/path").status == 200)

        let next = try TestClient.connect(port: simulator.port)
        try next.write(request)

        #expect(try ResponseReader(next).readHead().status == 404)
    }

    @Test(arguments: Recording.all)
    func `a terminal sends the recorded head and frames`(_ recording: Recording) throws {
        let simulator = try SimulatorProcess(recording.version)
        let client = try TerminalClient(simulator)
        let records = try recording.records("pty.jsonl")
        let recordedHead = records[0]["head"]?.text?.split(separator: "\r\n") ?? []

        #expect("HTTP/1.1 \(client.head.status) \(client.head.reason)" == recordedHead.first ?? "")

        let names = recordedHead.dropFirst().compactMap { $0.split(separator: ":").first.map(String.init) }

        #expect(client.head.fields.map(\.name) == names)
        // The expected value is from the example in RFC 6455 §1.3.
        #expect(client.head.value(of: "Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

        for record in records.dropFirst() {
            guard case .integer(let opcode)? = record["opcode"] else { continue }
            if record["from"] == "client" {
                try client.send(UInt8(opcode), record["text"]?.text ?? "")
                continue
            }
            let frame = try client.receive()
            #expect(frame.opcode == UInt8(opcode))
            #expect(.bool(frame.isFinal) == record["fin"])
            if let text = record["text"]?.text { #expect(String(decoding: frame.payload, as: UTF8.self) == text) }
            if let base64 = record["base64"]?.text { #expect(Base64.encode(frame.payload) == base64) }
        }
        // 1.1.11 sends nothing more, and leaves the connection open.
        guard recording.profile.terminalsHaveCursors else { return }

        #expect(try client.connection.readUntilClose().isEmpty)
        #expect(try simulator.get("/pty").text == "[]")
    }

    @Test func `a frame sent directly after the upgrade request is typed into the terminal`() throws {
        let client = try TerminalClient(
            try SimulatorProcess(), early: TerminalClient.frame(1, Array("echo early\n".utf8)))
        _ = (try client.receive(), try client.receive())

        #expect(try client.receive().payload == Array("echo early\r\nearly\r\n# ".utf8))
    }

    @Test func `fragments with a ping between them form one message`() throws {
        let client = try TerminalClient(try SimulatorProcess())
        _ = (try client.receive(), try client.receive())
        try client.send(1, "echo a", isFinal: false)
        try client.send(9, "between")
        try client.send(0, "b\n")

        #expect(try client.receive().payload == Array("between".utf8))
        #expect(try client.receive().payload == Array("echo ab\r\nab\r\n# ".utf8))
    }

    @Test func `an output of 20,000 lines arrives in one message`() throws {
        let client = try TerminalClient(try SimulatorProcess())
        _ = (try client.receive(), try client.receive())
        try client.send(1, "seq 20000\n")
        let lines = String(decoding: try client.receive().payload, as: UTF8.self).split(separator: "\r\n")

        #expect(lines.count == 20_002)
        #expect(lines[20_000] == "20000")
    }

    @Test func `a close frame is answered with the same status, and the connection is closed`() throws {
        let client = try TerminalClient(try SimulatorProcess())
        _ = (try client.receive(), try client.receive())
        try client.connection.write(TerminalClient.frame(8, [0x03, 0xe8]))
        let frame = try client.receive()

        #expect(frame.opcode == 8)
        #expect(frame.payload == [0x03, 0xe8])
        #expect(try client.connection.readUntilClose().isEmpty)
    }

    @Test func `an unmasked frame is rejected with status 1002`() throws {
        let client = try TerminalClient(try SimulatorProcess())
        _ = (try client.receive(), try client.receive())
        try client.connection.write([0x81, 0x01, 0x61])

        #expect(try client.receive().payload == [0x03, 0xea])
    }
}
