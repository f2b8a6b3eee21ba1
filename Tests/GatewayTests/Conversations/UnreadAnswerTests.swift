// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests answers in conversations that their clients do not read.
@Suite(.onTestThreads) struct UnreadAnswerTests {
    private static let json = [("Content-Type", "application/json")]

    private static func send(
        _ text: String, _ fixture: SimulatorFixture, receiveBuffer: Int? = nil
    ) throws -> (String, TestConnection) {
        let created = try fixture.gateway.request(
            "POST", "/conversations", headers: json, body: Array("{}".utf8), within: SimulatorFixture.patience)
        let answer = try JSONSerialization.jsonObject(with: Data(created.body)) as? [String: Any]
        let id = try #require((answer?["conversation"] as? [String: Any])?["id"] as? String)
        let client = try TestClient.connect(port: fixture.gateway.port, receiveBuffer: receiveBuffer)
        try client.send(
            "POST", "/conversations/\(id)/messages", headers: [GatewayUnderTest.authorization] + json,
            body: Array(#"{"role":"user","text":"\#(text)"}"#.utf8))
        return (id, client)
    }

    @Test func `a client that does not read its answer is disconnected at the backlog limit`() throws {
        let fixture = try SimulatorFixture(
            flags: ["--stream-backlog", "64KiB"], environment: ["SIMULATOR_PROFILE": "1.18.33"])
        // The answer exceeds the kernel's buffers.
        let (id, client) = try Self.send("[pieces=400 interval=1ms bytes=8000000] talk", fixture, receiveBuffer: 4_096)

        try fixture.waitForLog("slow_stream")
        let reader = EventStreamReader(client)
        var last: String?
        while let event = try reader.next(within: SimulatorFixture.patience) { last = event }
        // The answer continues without its client.
        let page = try fixture.gateway.request(
            "GET", "/conversations/\(id)/messages", within: SimulatorFixture.patience)

        #expect(reader.response.head?.status == 200)
        #expect([.truncated, .reset].contains(reader.response.ending))
        #expect(last?.contains(#""done":true"#) != true)
        #expect(page.status == 200)
    }

    @Test func `a client that reads slowly receives the whole answer if it fits in the backlog`() throws {
        let fixture = try SimulatorFixture(environment: ["SIMULATOR_PROFILE": "1.18.33"])
        let (_, client) = try Self.send("[pieces=200 interval=0ms bytes=1000000] talk", fixture, receiveBuffer: 4_096)
        let reader = EventStreamReader(client)
        var events = 0

        while let event = try reader.next(within: SimulatorFixture.patience) {
            events += 1
            if events < 5 { try client.pause(.milliseconds(200)) }
            if event.contains(#""done":true"#) { break }
        }

        #expect(events == 201)
    }
}
