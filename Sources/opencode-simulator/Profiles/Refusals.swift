/// What the versions answer where they do not do what was asked.
struct Refusals: Sendable {
    /// The three recorded ways.
    enum Generation: Sendable {
        /// 1.1.11.
        case first
        /// 1.2.27.
        case second
        /// 1.18.33.
        case third
    }

    let generation: Generation

    private var isThird: Bool { generation == .third }

    /// A body that is no JSON.
    var malformed: Answer {
        switch generation {
        case .first: .unknownError("Error: Malformed JSON in request body\n    at <anonymous> (validator.js:21:21)")
        case .second: .text("Malformed JSON in request body", status: 400, reason: "Bad Request")
        case .third: .json(["_tag": "BadRequest"], status: 400, reason: "Bad Request")
        }
    }

    /// A session that does not exist.
    func missing(session id: String, in directory: String) -> Answer {
        let message =
            generation == .first
            ? "Resource not found: /storage/session/\(SHA1.hexadecimal(directory))/\(id).json"
            : "Session not found: \(id)"
        return .json(
            ["name": "NotFoundError", "data": ["message": .string(message)]], status: 404, reason: "Not Found")
    }

    /// A session's id that cannot be one.
    func badSession(_ id: String) -> Answer {
        if isThird { return .unexpected }
        let complaint: JSON = [
            "origin": "string", "code": "invalid_format", "format": "starts_with", "prefix": "ses",
            "path": ["sessionID"], "message": "Invalid string: must start with \"ses\"",
        ]
        return invalid(["sessionID": .string(id)], complaint)
    }

    /// A body that lacks a list.
    func missing(list name: String, in body: JSON) -> Answer {
        if isThird {
            return .json(
                [
                    "name": "BadRequest",
                    "data": ["message": .string("Missing key\n  at [\"\(name)\"]"), "kind": "Payload"],
                ], status: 400, reason: "Bad Request")
        }
        let complaint: JSON = [
            "expected": "array", "code": "invalid_type", "path": [.string(name)],
            "message": "Invalid input: expected array, received undefined",
        ]
        return invalid(body, complaint)
    }

    private func invalid(_ data: JSON, _ complaint: JSON) -> Answer {
        .json(["data": data, "error": [complaint], "success": false], status: 400, reason: "Bad Request")
    }

    /// A path or a method that does not exist: older versions ask the vendor's site, which the recorded machine did not
    /// reach.
    func unknownPath(hasBody: Bool) -> Answer {
        if isThird { return .page(hasBody: hasBody) }
        return .unknownError("Error: Unable to connect. Is the computer able to access the url?")
    }

    /// HEAD of a path that exists.
    func head(of answer: Answer) -> Answer {
        isThird ? .page(hasBody: false) : answer.withoutBody
    }

    /// A prompt to a session that does not exist: 1.18.33 refuses it, older versions take it without a word.
    func prompt(toMissingSession id: String, in directory: String) -> Answer {
        isThird ? missing(session: id, in: directory) : .accepted
    }

    /// A waiting prompt to a provider that does not exist: a head without a body before 1.18.
    var unknownProvider: Answer { isThird ? .unexpected : .emptyJSON }

    /// Deleting a session that does not exist.
    func deletion(ofMissingSession id: String, in directory: String) -> Answer {
        isThird ? missing(session: id, in: directory) : .json(true)
    }

    /// Sharing, which is switched off.
    var sharing: Answer {
        isThird ? .unexpected : .unknownError("Error: Sharing is disabled in configuration\n    at <anonymous>")
    }

    /// A file outside the project.
    var escapingPath: Answer {
        isThird ? .unexpected : .unknownError("Error: Access denied: path escapes project directory\n    at read")
    }

    /// A search, for which the recorded machine could not load what it needs.
    var search: Answer {
        isThird ? .unexpected : .unknownError("Error: Unable to connect. Is the computer able to access the url?")
    }

    /// Deleting a terminal that does not exist.
    func deletion(ofMissingTerminal id: String) -> Answer { isThird ? missing(terminal: id) : .json(true) }

    /// A terminal that does not exist.
    func missing(terminal id: String) -> Answer {
        if !isThird {
            return .json(
                ["name": "NotFoundError", "data": ["message": "Session not found"]], status: 404, reason: "Not Found")
        }
        return .json(
            [
                "_tag": "PtyNotFoundError", "ptyID": .string(id),
                "message": .string("PTY session not found: \(id)"),
            ], status: 404, reason: "Not Found")
    }

    /// A request for a terminal's socket that is no WebSocket handshake.
    var noUpgrade: Answer {
        isThird ? .empty(404, "Not Found") : .unknownError("Error: Session not found\n    at upgradeWebSocket")
    }
}
