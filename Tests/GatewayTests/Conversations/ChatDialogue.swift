// SPDX-License-Identifier: Apache-2.0

import Foundation
import FrameCases
import TestKit

/// A chat client that shares no code with the gateway.
final class ChatDialogue {
    private let connection: TestConnection
    private(set) var messages: [[String: Any]] = []

    /// The handshake that opens a WebSocket (RFC 6455 §4.1).
    static let handshake = TestConnection.webSocketUpgrade

    /// Connects to the chat. The target may name a project.
    init(_ port: UInt16, _ target: String = "/chat", headers: [(String, String)] = [GatewayUnderTest.authorization])
        throws
    {
        connection = try TestClient.connect(port: port)
        try connection.send("GET", target, headers: headers + Self.handshake)
        let head = try ResponseReader(connection).readHead()
        guard head.status == 101 else { throw TestFailure("the chat answered \(head.status)") }
    }

    func send(_ type: String, _ members: [String: Any] = [:]) throws {
        let message = members.merging(["type": type]) { $1 }
        let data = try JSONSerialization.data(withJSONObject: message)
        try connection.write(ClientFrame(1, Array(data)).bytes)
    }

    /// Returns the next message and skips pings.
    @discardableResult
    func receive(within limit: Duration = SimulatorFixture.patience) throws -> [String: Any] {
        while true {
            var bytes = try connection.readExactly(2, within: limit)
            let length = bytes[1] & 0x7F
            if length >= 126 { bytes += try connection.readExactly(length == 126 ? 2 : 8, within: limit) }
            let count = length < 126 ? Int(length) : bytes[2...].reduce(0) { $0 << 8 | Int($1) }
            let payload = count > 0 ? try connection.readExactly(count, within: limit) : []
            guard bytes[0] == 0x81 else { continue }
            guard let message = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] else {
                throw TestFailure("the chat said \(String(decoding: payload, as: UTF8.self))")
            }
            messages.append(message)
            return message
        }
    }

    /// Returns the messages up to and including the next one of a type.
    func receive(upTo type: String) throws -> [[String: Any]] {
        var received: [[String: Any]] = []
        while true {
            received.append(try receive())
            if received.last?["type"] as? String == type { return received }
        }
    }

    func close() { connection.close() }
}

extension [[String: Any]] {
    /// The types of the messages. Consecutive messages of one type count once.
    var types: [String] {
        reduce(into: []) { types, message in
            let type = message["type"] as? String ?? "?"
            if types.last != type { types.append(type) }
        }
    }

    /// The concatenated text of all chunks.
    var text: String {
        filter { $0["type"] as? String == "assistant_chunk" }.compactMap { $0["content"] as? String }.joined()
    }
}
