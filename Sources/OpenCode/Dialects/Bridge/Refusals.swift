// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// Creates error responses in OpenCode 1's format.
enum Refusals {
    /// Translates an error response from OpenCode 2.
    ///
    /// - Parameter question: OpenCode 1's id of the question in the request, if there is one.
    static func of(_ reply: Reply, question: String? = nil) -> ClientAnswer {
        guard !reply.isCut else { return tooLong }
        let json = reply.json
        let message = json?["message"]?.text ?? "OpenCode responded with status \(reply.status)."
        let tag = json?["_tag"]?.text ?? ""
        if let question, tag.hasPrefix("Form"), tag != "FormInvalidAnswerError" { return noQuestion(question) }
        switch tag {
        case "SessionNotFoundError", "MessageNotFoundError", "ProjectNotFoundError": return notFound(message)
        case "PermissionNotFoundError", "PtyNotFoundError", "SessionBusyError":
            return ClientAnswer(reply.status, json)
        case "InvalidRequestError", "InvalidCursorError", "FormInvalidAnswerError":
            return bad(message, kind: json?["kind"]?.text ?? (tag == "InvalidCursorError" ? "Query" : "Payload"))
        default:
            if reply.status == 404 { return notFound(message) }
            // Replace all other statuses with 500. A status such as 401 concerns the gateway's own request to OpenCode
            // 2. For the client, such a status means that OpenCode has failed.
            let status = reply.status == 409 || reply.status >= 500 ? reply.status : 500
            return ClientAnswer(status, named("UnknownError", message))
        }
    }

    static func notFound(_ message: String) -> ClientAnswer { ClientAnswer(404, named("NotFoundError", message)) }

    static func noPermission(_ id: String) -> ClientAnswer {
        ClientAnswer(404, missing("PermissionNotFoundError", id: id, "Permission request not found: \(id)"))
    }

    static func noQuestion(_ id: String) -> ClientAnswer {
        ClientAnswer(404, missing("QuestionNotFoundError", id: id, "Question request not found: \(id)"))
    }

    /// Creates a response to an invalid request.
    ///
    /// - Parameter kind: The invalid part: `Payload`, `Query`, or `Params`.
    static func bad(_ message: String, kind: String = "Payload") -> ClientAnswer {
        ClientAnswer(400, ["name": "BadRequest", "data": ["message": .string(message), "kind": .string(kind)]])
    }

    /// OpenCode 1's response to a body that does not describe a valid session.
    static let badSession = ClientAnswer(400, ["_tag": "BadRequest"])

    /// Creates a response for a function that OpenCode 2 does not have.
    ///
    /// - Parameter sentence: The message that names the alternative.
    static func notTranslated(_ sentence: String) -> ClientAnswer {
        ClientAnswer(501, named("UnknownError", sentence))
    }

    /// Creates a response for a path or object outside the project.
    static func outside(_ sentence: String) -> ClientAnswer { ClientAnswer(403, named("UnknownError", sentence)) }

    /// The response if OpenCode 2's reply exceeds the gateway's limit.
    static let tooLong = ClientAnswer(
        502,
        named("UnknownError", "OpenCode's response is too large to translate. Use OpenCode 2's own route below /api."))

    /// The response if a turn has no answer. OpenCode 1 sends this response if the model is unknown.
    static let noAnswer = ClientAnswer(
        500,
        named(
            "UnknownError",
            "The turn ended without an answer. Check whether the model exists and whether the turn was aborted."))

    /// The response if OpenCode 2's reply is invalid.
    static let strange = ClientAnswer(
        502, named("UnknownError", "OpenCode sent a response that the gateway cannot parse."))

    private static func named(_ name: String, _ message: String) -> JSON {
        ["name": .string(name), "data": ["message": .string(message)]]
    }

    private static func missing(_ tag: String, id: String, _ message: String) -> JSON {
        ["_tag": .string(tag), "requestID": .string(id), "message": .string(message)]
    }
}
