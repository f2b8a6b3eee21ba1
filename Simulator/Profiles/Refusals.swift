// SPDX-License-Identifier: Apache-2.0

/// A version's responses to requests that it does not fulfil.
struct Refusals: Sendable {
    /// The three recorded formats of errors.
    enum Generation: Sendable {
        /// The format of errors in 1.1.11.
        case first
        /// The format of errors in 1.2.27.
        case second
        /// The format of errors in 1.18.33.
        case third
    }

    let generation: Generation

    private var isThird: Bool { generation == .third }

    /// The response to a body that is not valid JSON.
    var malformed: SimulatedAnswer {
        switch generation {
        case .first: .unknownError("Error: Malformed JSON in request body\n    at <anonymous> (validator.js:21:21)")
        case .second: .text("Malformed JSON in request body", status: 400, reason: "Bad Request")
        case .third: .json(["_tag": "BadRequest"], status: 400, reason: "Bad Request")
        }
    }

    /// Returns the response to a request for a session that does not exist.
    func missing(session id: String, in directory: String) -> SimulatedAnswer {
        let message =
            generation == .first
            ? "Resource not found: /storage/session/\(SHA1.hexadecimal(directory))/\(id).json"
            : "Session not found: \(id)"
        return .json(
            ["name": "NotFoundError", "data": ["message": .string(message)]], status: 404, reason: "Not Found")
    }

    /// Returns the response to a session id in an invalid format.
    func badSession(_ id: String) -> SimulatedAnswer {
        if isThird { return .unexpected }
        let complaint: JSON = [
            "origin": "string", "code": "invalid_format", "format": "starts_with", "prefix": "ses",
            "path": ["sessionID"], "message": "Invalid string: must start with \"ses\"",
        ]
        return invalid(["sessionID": .string(id)], complaint)
    }

    /// Returns the response to a body that lacks a required list.
    func missing(list name: String, in body: JSON) -> SimulatedAnswer {
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

    private func invalid(_ data: JSON, _ complaint: JSON) -> SimulatedAnswer {
        .json(["data": data, "error": [complaint], "success": false], status: 400, reason: "Bad Request")
    }

    /// Returns the response to an unknown path or method. Older versions forward such requests to the vendor's site,
    /// which the recorded machine could not reach.
    func unknownPath(hasBody: Bool) -> SimulatedAnswer {
        if isThird { return .page(hasBody: hasBody) }
        return .unknownError("Error: Unable to connect. Is the computer able to access the url?")
    }

    /// Returns the response to a HEAD request for an existing path.
    func head(of answer: SimulatedAnswer) -> SimulatedAnswer {
        isThird ? .page(hasBody: false) : answer.withoutBody
    }

    /// Returns the response to a prompt for a session that does not exist. 1.18.33 rejects the prompt, and older
    /// versions silently accept it.
    func prompt(toMissingSession id: String, in directory: String) -> SimulatedAnswer {
        isThird ? missing(session: id, in: directory) : .accepted
    }

    /// The response to a waiting prompt that names an unknown provider. Before 1.18, the response has no body.
    var unknownProvider: SimulatedAnswer { isThird ? .unexpected : .emptyJSON }

    /// Returns the response to deleting a session that does not exist.
    func deletion(ofMissingSession id: String, in directory: String) -> SimulatedAnswer {
        isThird ? missing(session: id, in: directory) : .json(true)
    }

    /// The response to a request to share a session. Sharing is disabled.
    var sharing: SimulatedAnswer {
        isThird ? .unexpected : .unknownError("Error: Sharing is disabled in configuration\n    at <anonymous>")
    }

    /// The response to a path outside the project.
    var escapingPath: SimulatedAnswer {
        isThird ? .unexpected : .unknownError("Error: Access denied: path escapes project directory\n    at read")
    }

    /// The response to a search. The recorded machine could not load a dependency of the search.
    var search: SimulatedAnswer {
        isThird ? .unexpected : .unknownError("Error: Unable to connect. Is the computer able to access the url?")
    }

    /// Returns the response to deleting a terminal that does not exist.
    func deletion(ofMissingTerminal id: String) -> SimulatedAnswer { isThird ? missing(terminal: id) : .json(true) }

    /// Returns the response to a request for a terminal that does not exist.
    func missing(terminal id: String) -> SimulatedAnswer {
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

    /// The response to a request for a terminal's socket that is not a WebSocket handshake.
    var noUpgrade: SimulatedAnswer {
        isThird ? .empty(404, "Not Found") : .unknownError("Error: Session not found\n    at upgradeWebSocket")
    }
}
