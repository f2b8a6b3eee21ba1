// SPDX-License-Identifier: Apache-2.0

import Access

extension Endpoint {
    /// The chat endpoint on the gateway's own port.
    static let chat = chat(at: "/chat")

    /// Returns a chat endpoint that serves the paths of a template.
    fileprivate static func chat(at template: String) -> Endpoint {
        Endpoint(
            .get, template, requires: .webSocketKey(.useInstances),
            description: .init(
                id: "chat", summary: "Talk over a WebSocket",
                """
                Messages of JSON in texts, at most 1 MiB each (RFC 6455; no extensions). The key stands in `Authorization`, or as \
                the subprotocol `vibe.KEY`, the key perhaps in base64url without padding.
                """,
                .init(status: 101, meaning: "The WebSocket is open.", content: .nothing),
                .error(400, "The opening handshake is not as it must be."),
                .error(404, "There is no such project."),
                .error(426, "No WebSocket was asked for, or another version than 13."),
                .error(503, "The gateway is ending.")),
            handler: .chat)
    }
}

extension EndpointTable {
    /// The endpoints of the listener for chats. It serves any path, because the documented clients name none.
    static let chatEntrance = EndpointTable([Endpoint.chat(at: "/{path}")])
}
