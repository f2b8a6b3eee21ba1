// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Client flow: a terminal through the gateway", .onTestThreads)
struct TerminalReplayTests {
    @Test(arguments: OpenCodeVersion.all)
    func `each recorded terminal frame passes through the gateway in both directions`(_ version: OpenCodeVersion) throws
    {
        let app = try PhoneApp(version)

        #expect(try app.startOpenCode().status == 200)

        let id = try #require(try app.api("POST", "/pty", #"{"title":"shell"}"#).json["id"]?.text)
        let connection = try app.gateway.connect()
        try connection.send(
            "GET", "/projects/demo/api/pty/\(id)/connect",
            headers: [GatewayUnderTest.authorization] + TestConnection.webSocketUpgrade)
        let head = try connection.readResponseHead()

        #expect(head.status == 101)
        // The example is from RFC 6455 §1.3.
        #expect(head.value(of: "Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

        let records = try Fixtures.lines("opencode/\(version.profile.version)/pty.jsonl").map {
            try JSONParser.parse(Array($0.utf8))
        }

        #expect(records.count > 5)

        for record in records {
            guard case .integer(let opcode)? = record["opcode"] else { continue }
            let text = record["text"]?.text
            if record["from"] == "client" {
                try connection.write(Self.masked(UInt8(opcode), Array((text ?? "").utf8)))
                continue
            }
            let start = try connection.readExactly(2, waitingFor: "a frame")
            #expect(start[0] & 0x0f == UInt8(opcode))
            // Every recorded payload is shorter than 126 bytes.
            let payload = try connection.readExactly(Int(start[1]), waitingFor: "a frame's payload")
            if let text { #expect(String(decoding: payload, as: UTF8.self) == text) }
            if let base64 = record["base64"]?.text { #expect(Base64.encode(payload) == base64) }
        }
        // 1.1.11 leaves the connection open.
        if version.profile.terminalsHaveCursors { #expect(try connection.readUntilClose().isEmpty) }
    }

    /// Returns a masked frame of a client (RFC 6455 §5.2).
    private static func masked(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let mask: [UInt8] = [9, 8, 7, 6]
        return [0x80 | opcode, 0x80 | UInt8(payload.count)] + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }
}
