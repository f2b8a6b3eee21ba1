// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A response in the format of OpenCode 1. If the project does not start or the instance ends the connection, OpenCode
/// sends no response. In that case, the status is the gateway's own (502, 503, 504), and the body contains the
/// gateway's message.
package struct OpenCodeAnswer: Sendable {
    /// The HTTP status code, from the instance or from the gateway.
    package let status: Int
    /// The field `X-Next-Cursor`, which is present if a list has more pages.
    package let nextCursor: String?
    /// The body; empty if there is none.
    package let body: [UInt8]

    /// Creates a response.
    ///
    /// - Parameter nextCursor: The value of the field `X-Next-Cursor`.
    package init(_ status: Int, nextCursor: String? = nil, _ body: [UInt8]) {
        self.status = status
        self.nextCursor = nextCursor
        self.body = body
    }

    /// Creates the response for an error of the gateway.
    package init(_ status: Int, message: String) {
        let json: JSON = ["message": .string(message)]
        self.init(status, json.bytes)
    }

    var isGood: Bool { (200..<300).contains(status) }
    var json: JSON? { JSONParser.parse(body) }

    /// The message of OpenCode or of the gateway; nil if there is none.
    private var sentence: String? {
        let json = json
        return json?["data"]?["message"]?.text ?? json?["message"]?.text ?? json?["error"]?["message"]?.text
            ?? json?["error"]?.text
    }

    /// The reason why the response is unsuccessful.
    var refusal: ConversationError {
        switch status {
        case 404:
            ConversationError(.notFound, sentence ?? "OpenCode did not find the resource that the request names (404).")
        case 400, 422: ConversationError(.invalid, sentence ?? "OpenCode rejected the request (\(status)).")
        case 502, 503, 504:
            ConversationError(
                .unavailable, sentence ?? "OpenCode cannot be reached (\(status)). Try again in a moment.")
        default:
            ConversationError(
                .failed, sentence ?? "OpenCode responded with status \(status). Read its output in the log.")
        }
    }
}

/// The reason why a request is rejected or fails.
package struct ConversationError: Error, Sendable, Equatable {
    /// The kind of a reason. Each protocol has its own code for each kind.
    package enum Kind: String, Sendable {
        /// The conversation does not exist.
        case notFound
        /// The request cannot be parsed.
        case invalid
        /// A required part of the request is missing.
        case missing
        /// OpenCode has no model at all.
        case noModel
        /// The request names no project, and there is not exactly one project.
        case noProject
        /// The project's OpenCode is not running and cannot be started, or it does not respond.
        case unavailable
        /// OpenCode or the provider of the model failed.
        case failed
    }

    /// The kind of the reason, which determines the status or error code that a client receives.
    package let kind: Kind
    /// The message for users.
    package let message: String

    /// Creates a refusal with its message.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    static let noConversation = ConversationError(.notFound, "The conversation does not exist.")
    static let strange = ConversationError(.failed, "OpenCode sent a response that the gateway cannot parse.")
    static let noModel = ConversationError(
        .noModel, "OpenCode has no model. Log in to a provider with `opencode auth login`, or configure a provider.")
}

/// The reason why a client's request has no regular result.
package enum ConversationFailure: Error, Sendable, Equatable {
    /// The client receives this error.
    case refused(ConversationError)
    /// The client has left, or the gateway is shutting down. The task sends nothing more and ends.
    case ended
}
