// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventHub
import EventLoop
import FrameCases
import HTTPServer
import HTTPTypes
import Logging
import TestKit
import Testing
import WebSockets

@testable import ConversationServing
@testable import GatewayCore
@testable import GatewayServer

/// Sends every message back, and records the calls that it receives.
final class Echo: ChatDelegate {
    private let received: Recorded<String>

    init(_ received: Recorded<String>) { self.received = received }

    func opened(_ socket: ChatSocket) { received.append("opened \(socket.principal?.name ?? "-")") }

    func received(text: [UInt8], on socket: ChatSocket) {
        // The echo is repeated many times, for clients that do not read.
        if text.starts(with: Array("again ".utf8)) {
            let fragment = Frame.text([UInt8](repeating: 0x61, count: 64 * 1024))
            for _ in 0..<(Int(String(decoding: text.dropFirst(6), as: UTF8.self)) ?? 0) { socket.send(fragment) }
        } else {
            socket.send(text: text)
        }
    }

    func received(bytes: [UInt8], on socket: ChatSocket) { socket.send(Frame(.binary, bytes)) }

    func revoked() { received.append("revoked") }

    func ended() { received.append("ended") }
}

/// A talker that receives texts and sends nothing.
final class Listening: ChatDelegate {
    func opened(_ socket: ChatSocket) {}
    func received(text: [UInt8], on socket: ChatSocket) {}
    func ended() {}
}

/// A data plane with a chat, on the gateway's own port and on a separate listener.
struct ChatFixture {
    static let key = "a key with spaces, and long enough"
    static let authorization = ("Authorization", "Bearer \(key)")
    static let upgrade = TestConnection.webSocketUpgrade

    let plane: DataPlane
    let log = LogKeeper()
    /// The calls that the fixture's delegates received.
    let received = Recorded<String>("calls of the chat's talker")
    /// The `ChatLine`s of its sockets.
    let lines = Recorded<ChatLine>("a line to a socket")
    var port: UInt16 { plane.address.port }
    var chatPort: UInt16 { plane.endpointListeners[0].address.port }

    init(
        isOpen: Bool = false, policy: Policy = Policy(key: key), _ limits: ChatLimits = ChatLimits(),
        decide: (@Sendable (ChatOpening) -> ChatDecision)? = nil
    ) async throws {
        let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
        var setUp = DataPlane.SetUp(
            address: address, threads: 1, policy: policy, log: Logger(sink: log), control: NoProjects())
        setUp.endpointListeners = [EndpointListener(.chat, setting: "--chat-listen", address: address, isOpen: isOpen)]
        let (received, lines) = (received, lines)
        setUp.chat = ChatSetUp(
            decide: decide ?? { opening in
                lines.append(opening.line)
                return .accepted(Echo(received))
            }, limits: limits)
        plane = try DataPlane(setUp)
        try await plane.accept()
    }

    /// Returns a policy with the given keys.
    static func policy(_ keys: [(name: String, key: String)], failedTries: Int = 0) -> Policy {
        Policy(
            keys: KeyTable(keys: keys.map { ($0.name, Array($0.key.utf8)) }),
            failedTries: FailureLimiter.Rate(burst: failedTries, interval: .seconds(60)),
            trustedProxies: AddressRanges([]), origins: .none, pinsDirectories: true, isOpenCode1Compatible: true,
            limits: .ofTests, eventEncoding: .raw, accessLog: true)
    }

    /// Opens a WebSocket to the chat.
    func open(
        _ headers: [(String, String)] = [authorization], _ target: String = "/chat", receiveBuffer: Int? = nil
    ) throws -> ChatClient {
        try ChatClient(port: port, target, headers, receiveBuffer: receiveBuffer)
    }

    /// Returns the response to a request that does not open a WebSocket.
    static func refusal(port: UInt16, _ headers: [(String, String)], _ target: String = "/chat") throws
        -> TestResponse
    {
        let names = headers.map { $0.0.lowercased() }
        return try TestClient.request(
            port: port, "GET", target, headers: headers + upgrade.filter { !names.contains($0.0.lowercased()) })
    }
}

/// A WebSocket client that shares no code with the gateway.
struct ChatClient {
    let connection: TestConnection
    let head: TestResponseHead

    init(
        port: UInt16, _ target: String, _ headers: [(String, String)], early: [UInt8] = [], receiveBuffer: Int? = nil
    ) throws {
        connection = try TestClient.connect(port: port, receiveBuffer: receiveBuffer)
        let fields =
            ([("Host", "127.0.0.1:\(port)")].filter { _ in !headers.contains { $0.0 == "Host" } } + headers
            + ChatFixture.upgrade).map { "\($0.0): \($0.1)\r\n" }.joined()
        try connection.write(Array("GET \(target) HTTP/1.1\r\n\(fields)\r\n".utf8) + early)
        head = try ResponseReader(connection).readHead()
        guard head.status == 101 else { throw Refused(status: head.status) }
    }

    struct Refused: Error {
        let status: Int
    }

    func send(_ frame: ClientFrame) throws { try connection.write(frame.bytes) }

    func send(_ text: String) throws { try send(ClientFrame(1, text)) }

    /// Reads and returns the next frame.
    func receive() throws -> ServerFrame {
        var bytes = try connection.readExactly(2)
        let length = bytes[1] & 0x7F
        if length >= 126 { bytes += try connection.readExactly(length == 126 ? 2 : 8) }
        let count = length < 126 ? Int(length) : bytes[2...].reduce(0) { $0 << 8 | Int($1) }
        if count > 0 { bytes += try connection.readExactly(count) }
        var remainder = bytes[...]
        return try #require(ServerFrame.parse(&remainder))
    }

    /// Reads the next frame and returns its text.
    func receiveText() throws -> String {
        let frame = try receive()
        return frame.opcode == 1 ? String(decoding: frame.payload, as: UTF8.self) : "\(frame)"
    }

    /// Sends a text and returns the echoed text.
    func echo(_ text: String) throws -> String {
        try send(text)
        return try receiveText()
    }

    /// Closes the connection as a client does, and waits for the server's end.
    func close() throws {
        try send(.close(1000))
        #expect(try receive() == .close(1000))
        #expect(try connection.waitForEnd() == .closed)
        connection.close()
    }
}
