internal import JSONText

/// Answers that refuse, in OpenCode 1's words.
enum Refusals {
    /// What OpenCode 2 refused. `question`: OpenCode 1's id of the question that was asked for.
    static func of(_ reply: Reply, question: String? = nil) -> ClientAnswer {
        guard !reply.isCut else { return tooLong }
        let json = reply.json
        let message = json?["message"]?.text ?? "OpenCode answered with status \(reply.status)."
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
            // 401 and the like are the gateway's matter: a client of OpenCode 1 sees that OpenCode failed.
            let status = reply.status == 409 || reply.status >= 500 ? reply.status : 500
            return ClientAnswer(status, named("UnknownError", message))
        }
    }

    static func notFound(_ message: String) -> ClientAnswer { ClientAnswer(404, named("NotFoundError", message)) }

    static func noPermission(_ id: String) -> ClientAnswer {
        ClientAnswer(404, missing("PermissionNotFoundError", id, "Permission request not found: \(id)"))
    }

    static func noQuestion(_ id: String) -> ClientAnswer {
        ClientAnswer(404, missing("QuestionNotFoundError", id, "Question request not found: \(id)"))
    }

    /// `kind`: `Payload`, `Query`, `Params`.
    static func bad(_ message: String, kind: String = "Payload") -> ClientAnswer {
        ClientAnswer(400, ["name": "BadRequest", "data": ["message": .string(message), "kind": .string(kind)]])
    }

    /// OpenCode 1's answer to a session that cannot be made of the body.
    static let badSession = ClientAnswer(400, ["_tag": "BadRequest"])

    /// What OpenCode 2 has nothing for; `sentence` says what to do instead.
    static func notTranslated(_ sentence: String) -> ClientAnswer {
        ClientAnswer(501, named("UnknownError", sentence))
    }

    /// What is named lies outside the project.
    static func outside(_ sentence: String) -> ClientAnswer { ClientAnswer(403, named("UnknownError", sentence)) }

    /// OpenCode 2's answer is longer than anything that the gateway holds.
    static let tooLong = ClientAnswer(
        502,
        named("UnknownError", "OpenCode's answer is too long to be translated; ask OpenCode 2's own route below /api."))

    /// OpenCode 1 says so of a model that it does not know.
    static let noAnswer = ClientAnswer(
        500,
        named("UnknownError", "The turn gave no answer: look whether its model is known, or whether it was aborted."))

    /// OpenCode 2's answer is not what it should be.
    static let strange = ClientAnswer(502, named("UnknownError", "OpenCode's answer could not be understood."))

    private static func named(_ name: String, _ message: String) -> JSON {
        ["name": .string(name), "data": ["message": .string(message)]]
    }

    private static func missing(_ tag: String, _ id: String, _ message: String) -> JSON {
        ["_tag": .string(tag), "requestID": .string(id), "message": .string(message)]
    }
}
