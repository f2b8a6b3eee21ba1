// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import HTTPServer
import HTTPTypes
import WebSockets

extension GatewayLoop {
    /// Opens a WebSocket for an admitted request.
    func openChat(_ request: ControlRequest, _ connection: ClientConnection) {
        guard let chat else { return answer(connection, .detail(404, "Not Found")) }
        openChat(request, on: connection, with: chat, decide: chat.decide)
    }

    private func openChat(
        _ request: ControlRequest, on connection: ClientConnection, with chat: ChatSetUp,
        decide: (ChatOpening) -> ChatDecision
    ) {
        guard let mailbox else { return answer(connection, .detail(404, "Not Found")) }
        guard !isDraining else { return answer(connection, ControlAnswers.shuttingDown) }
        // The socket itself informs the client of a revocation from here on.
        connection.request.opensChat = true
        let head: ResponseHead
        do throws(OpeningHandshake.HandshakeError) {
            head = try OpeningHandshake.answer(connection.head, connection.framing)
        } catch {
            return answer(connection, error.answer)
        }
        chatCount += 1
        let number = chatCount
        let opening = ChatOpening(
            principal: request.principal, query: request.query, routes: snapshot.routes,
            line: ChatLine(mailbox, number: number))
        let admission = ChatAdmission(
            principal: request.principal,
            hasRoom: chats.count < chat.limits.sockets ?? snapshot.policy.limits.server.maximumConnections / 2)
        var talker: (any ChatTalker)?
        if admission.hasRoom {
            switch decide(opening) {
            case .asks(let question):
                return ask(connection, request) { request, control in
                    let decide = await question(control)
                    return .loop { $1.openChat(request, on: $0, with: chat, decide: decide) }
                }
            case .refused(let refusal): return answer(connection, refusal)
            case .talks(let found): talker = found
            }
        }
        let peer = connection.request.forwardedClient?.description ?? connection.peer
        connection.upgrade(head) { [unowned self] socket, early, finish in
            let refusal = admission.refusal(under: snapshot.policy.keys)
            let chatSocket = ChatSocket(
                self, number: number, socket, peer: peer, principal: request.principal,
                talker: refusal == nil ? talker : nil, limits: chat.limits, onEnd: finish)
            chatSocket.begin(early: early, refusal: refusal)
        }
    }
}

extension OpeningHandshake.HandshakeError {
    /// The answer to a client with an invalid opening handshake.
    var answer: GatewayAnswer {
        switch self {
        case .noUpgrade:
            Self.upgradeRequired("This path is a WebSocket. Send GET with Connection: Upgrade and Upgrade: websocket.")
        case .wrongVersion:
            Self.upgradeRequired(
                "The gateway supports only version 13 of WebSocket (RFC 6455). Send Sec-WebSocket-Version: 13.")
        case .badKey: .detail(400, "Sec-WebSocket-Key must be 16 bytes in base64.")
        case .hasBody: .detail(400, "A request that opens a WebSocket must not have a body.")
        }
    }

    /// Returns 426 (RFC 9110 §15.5.22) with the protocol to upgrade to (RFC 6455 §4.4).
    private static func upgradeRequired(_ sentence: String) -> GatewayAnswer {
        var answer = GatewayAnswer.detail(426, sentence)
        answer.head.fields.append("Upgrade", "websocket")
        answer.head.fields.append("Sec-WebSocket-Version", "13")
        return answer
    }
}
