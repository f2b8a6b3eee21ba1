// SPDX-License-Identifier: Apache-2.0

import Addresses
package import GatewayCore
import HTTPServer
import HTTPTypes
import WebSockets

/// The feature that serves the chats of one loop.
package final class ChatFeature: LoopFeature {
    private unowned let gateway: GatewayLoop
    private let setUp: ChatSetUp
    private var sockets: [Int: ChatSocket] = [:]
    private var count = 0

    /// Creates the chat feature of one loop.
    package init(_ gateway: GatewayLoop, _ setUp: ChatSetUp) {
        self.gateway = gateway
        self.setUp = setUp
    }

    func add(_ socket: ChatSocket) { sockets[socket.number] = socket }

    func remove(_ socket: ChatSocket) { sockets[socket.number] = nil }

    /// Closes the sockets of revoked keys.
    package func abort(revoked isRevoked: (UsedRights?) -> Bool) -> RevocationCounts {
        let revoked = sockets.values.filter { isRevoked($0.usedRights) }
        for socket in revoked { socket.revoke() }
        var counts = RevocationCounts()
        counts.chats = revoked.count
        return counts
    }

    /// Opens a WebSocket for an admitted request.
    func open(_ request: ControlRequest, on connection: ClientConnection) {
        open(request, on: connection, decide: setUp.decide)
    }

    private func open(
        _ request: ControlRequest, on connection: ClientConnection, decide: (ChatOpening) -> ChatDecision
    ) {
        guard let mailbox = gateway.mailbox else { return gateway.refuse(connection, .notFound) }
        guard !gateway.isDraining else { return gateway.refuse(connection, ControlAnswers.shuttingDown) }
        // From here on, the socket itself informs the client of a revocation, so the revocation must
        // not abort the request.
        connection.request.outlivesKey = true
        let head: ResponseHead
        do throws(OpeningHandshake.HandshakeError) {
            head = try OpeningHandshake.answer(connection.head, connection.framing)
        } catch {
            return gateway.refuse(connection, error.error)
        }
        count += 1
        let number = count
        let snapshot = gateway.snapshot
        let opening = ChatOpening(
            principal: request.principal, client: request.client, query: request.query, routes: snapshot.routes,
            line: ChatLine(mailbox, number: number))
        let admission = ChatAdmission(
            usedRights: connection.request.usedRights,
            hasRoom: sockets.count < setUp.limits.sockets ?? snapshot.policy.limits.server.maximumConnections / 2)
        var delegate: (any ChatDelegate)?
        if admission.hasRoom {
            switch decide(opening) {
            case .deferred(let lookup):
                return gateway.callControl(connection, request) { request, control in
                    let decide = await lookup(control)
                    return .loop { $1.feature(ChatFeature.self)?.open(request, on: $0, decide: decide) }
                }
            case .refused(let error): return gateway.refuse(connection, error)
            case .accepted(let found): delegate = found
            }
        }
        let peer = connection.request.forwardedClient?.description ?? connection.peer
        connection.upgrade(head) { [unowned self] socket, early, finish in
            let refusal = admission.refusal(under: gateway.snapshot.keys)
            let chatSocket = ChatSocket(
                gateway, self, number: number, socket: socket, peer: peer, usedRights: admission.usedRights,
                delegate: refusal == nil ? delegate : nil, limits: setUp.limits, onEnd: finish)
            chatSocket.start(early: early, refusal: refusal)
        }
    }

    fileprivate func receive(_ message: ChatMessage) {
        switch message {
        case .run(let number, let body): if let socket = sockets[number] { body(socket) }
        case .send(let numbers, let frames):
            for socket in numbers.lazy.compactMap({ self.sockets[$0] }) { for frame in frames { socket.send(frame) } }
        }
    }
}

/// A message from another thread to the chats of a loop.
enum ChatMessage: FeatureMessage {
    /// A closure that is called with the chat socket of this number if the socket still exists.
    case run(number: Int, @Sendable (ChatSocket) -> Void)
    /// Frames to send over the chat sockets of these numbers that still exist.
    case send(numbers: [Int], [Frame])

    func deliver(to feature: ChatFeature) { feature.receive(self) }
}

extension OpeningHandshake.HandshakeError {
    /// The error of a client with an invalid opening handshake.
    var error: GatewayError {
        switch self {
        case .noUpgrade:
            Self.upgradeRequired(
                "This path accepts only WebSocket connections. Send a GET request with the fields Connection: Upgrade "
                    + "and Upgrade: websocket.")
        case .wrongVersion:
            Self.upgradeRequired(
                "The gateway supports only version 13 of WebSocket (RFC 6455). Send Sec-WebSocket-Version: 13.")
        case .badKey: GatewayError(400, "Sec-WebSocket-Key must be 16 bytes in base64.")
        case .hasBody: GatewayError(400, "A request that opens a WebSocket must not have a body.")
        }
    }

    /// Returns 426 (RFC 9110 §15.5.22) with the protocol to upgrade to (RFC 6455 §4.4).
    private static func upgradeRequired(_ sentence: String) -> GatewayError {
        GatewayError(426, sentence, fields: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"])
    }
}
