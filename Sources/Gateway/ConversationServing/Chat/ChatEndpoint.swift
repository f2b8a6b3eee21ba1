// SPDX-License-Identifier: Apache-2.0

package import GatewayCore
import HTTPServer
import OpenCodeFamilies

extension Endpoint {
    /// The chat endpoint on the gateway's own port.
    package static let chat = chat(at: "/chat")

    /// Returns a chat endpoint that serves the paths of a template.
    fileprivate static func chat(at template: String) -> Endpoint {
        Endpoint(
            .get, template, requires: .webSocketKey(.write),
            description: .init(
                id: "chat", summary: "Chat over a WebSocket",
                """
                Each message is JSON in a text message of at most 1 MiB (RFC 6455, without extensions). Send the key in \
                `Authorization`, or as the subprotocol `vibe.KEY`, in which the key may be encoded in base64url without padding.
                """,
                .init(status: 101, meaning: "The WebSocket is open.", content: .nothing),
                .error(400, "The WebSocket's opening handshake is invalid."),
                .error(404, "The project does not exist."),
                .error(426, "The client did not request a WebSocket of version 13."),
                .error(503, "The gateway is shutting down.")),
            handler: .loop { request, connection, loop in
                guard let chats = loop.feature(ChatFeature.self) else {
                    return loop.refuse(connection, .notFound)
                }
                chats.open(request, on: connection)
            })
    }
}

extension EndpointListener.Purpose {
    /// The purpose of listeners for chats, which serve any path.
    package static let chat = Self(name: "chat", scheme: "ws")
    /// The purpose of listeners for the REST endpoints of conversations.
    package static let conversations = Self(name: "conversations", scheme: "http")
}

extension Endpoint {
    /// The endpoint of the listener for chats. The endpoint serves any path, because the documented clients
    /// send no particular path.
    package static let chatAtAnyPath = chat(at: "/{path}")
}
