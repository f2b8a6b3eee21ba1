// SPDX-License-Identifier: Apache-2.0

import Conversations
import Encodings
package import GatewayCore
import HTTPServer
import HTTPTypes
import OpenCodeFamilies
import Projects

/// The endpoints below `/conversations` and `/models`.
extension ConversationService {
    /// The largest size of a request's body in bytes.
    private static let longestBody = 1 << 20

    /// The endpoints of the REST interface for conversations.
    package var endpoints: [Endpoint] {
        [
            endpoint(
                .get, "/models", id: "listModels", summary: "List the available models",
                text: "Model ids have the form `provider/model`."),
            endpoint(
                .get, "/conversations", id: "listConversations", summary: "List conversations",
                text:
                    "Returns a page of at most `limit` conversations, sorted by their newest message, the newest first. `cursor` is the "
                    + "`nextCursor` of the previous page. `search` selects conversations by their titles."),
            endpoint(
                .post, "/conversations", id: "createConversation", summary: "Create a conversation",
                text: "`modelId` selects the model. `firstMessage` becomes the title and does not start an answer.",
                status: 201),
            endpoint(
                .get, "/conversations/{id}", id: "getConversation", summary: "Get a conversation",
                text: "Returns the conversation with its newest 30 messages."),
            endpoint(
                .patch, "/conversations/{id}", id: "changeConversation", summary: "Change a conversation",
                text: "The body contains the new `title`, `modelId` or `isPinned`."),
            endpoint(
                .delete, "/conversations/{id}", id: "deleteConversation", summary: "Delete a conversation",
                text: "Also deletes the session in OpenCode.", status: 204),
            endpoint(
                .post, "/conversations/{id}/duplicate", id: "duplicateConversation", summary: "Copy a conversation",
                text: "Forks the session in OpenCode. The copy has new ids.", body: .ignored),
            endpoint(
                .get, "/conversations/{id}/messages", id: "listMessages", summary: "List a conversation's messages",
                text: "Returns the newest page first. Within a page, the oldest message is first."),
            endpoint(
                .post, "/conversations/{id}/messages", id: "sendMessage", summary: "Send a message",
                text: "`text` is the prompt. The response is an event stream that ends with `done`."),
        ]
    }

    private func endpoint(
        _ method: MethodSet, _ template: String, id: String, summary: String, text: String, status: Int = 200,
        body: BodyRule? = nil
    ) -> Endpoint {
        let hasBody = method == .post || method == .patch
        let meaning = "The result, in the form that docs/chat-and-conversations.md describes."
        let names = template.split(separator: "/").map(String.init)
        let methodName = method.methods.first?.name ?? "GET"
        var description = Endpoint.Description(
            id: id, summary: summary, text,
            .init(status: status, meaning: meaning, content: status == 204 ? .nothing : .anything),
            .passedError(400, "The request is invalid."),
            .passedError(404, "The conversation or the project does not exist."),
            .passedError(500, "OpenCode returned an error."),
            .passedError(503, "OpenCode cannot be reached or has no model."))
        description.rendersErrors = true
        var endpoint = Endpoint(
            method, template, requires: .key(hasBody || method == .delete ? .write : .read),
            body: body ?? (hasBody ? .json(limit: Self.longestBody) : .ignored), description: description,
            handler: .control { request, control in
                let path = names.map { name in
                    guard name.first == "{", let segment = request.parameters[String(name.dropFirst().dropLast())]
                    else { return name }
                    return String(decoding: PercentEncoding.decode(Array(segment)).bytes, as: UTF8.self)
                }
                return await self.answer(methodName, path, to: request, with: control)
            })
        endpoint.isCancelledWithoutClient = method == .get
        return endpoint
    }

    /// The format of these endpoints' errors.
    package static let errorRenderer = ErrorRenderer(
        applies: isTheirs, render: answer(to:), interrupted: ControlAnswers.shuttingDownInConversation)

    /// Returns whether a target belongs to these endpoints, whose errors have the form of ``errorRenderer``.
    static func isTheirs(_ target: ArraySlice<UInt8>) -> Bool {
        target.starts(with: "/conversations".utf8) || target.starts(with: "/models".utf8)
    }

    /// Returns the response for an error of the gateway in the form of the conversation protocol.
    static func answer(to error: GatewayError) -> GatewayAnswer {
        GatewayAnswer(error, json: ConversationAnswer(error.status, error.sentence).body)
    }
}
