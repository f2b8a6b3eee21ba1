// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// The routes for permission requests and questions.
    static let requests: [BridgeRoute] = [
        BridgeRoute(.get, "/permission") { bridge, _, request in
            try await bridge.pending(bridge.permissions(request))
        },
        BridgeRoute(.post, "/permission/{requestID}/reply") { bridge, path, request in
            try await bridge.permission(path["requestID"], request)
        },
        BridgeRoute(.post, "/session/{sessionID}/permissions/{permissionID}") { bridge, path, request in
            guard let body = bridge.body(request), let decision = decision(body["response"]) else {
                return Refusals.bad("Expected \"once\", \"always\" or \"reject\"\n  at [\"response\"]")
            }
            return try await bridge.decide(decision, message: nil, path["permissionID"], session: path.session)
        },
        BridgeRoute(.get, "/question") { bridge, _, request in
            ClientAnswer(.array(try await bridge.forms(request).map(\.question.json)))
        },
        BridgeRoute(.post, "/question/{requestID}/reply") { bridge, path, request in
            try await bridge.question(path["requestID"], request)
        },
        BridgeRoute(.post, "/question/{requestID}/reject") { bridge, path, request in
            let form = try await bridge.form(path["requestID"], for: request)
            return try await bridge.settle(form, Call("DELETE", ["api", "session", form.sessionID, "form", form.id]))
        },
    ]

    private func permissions(_ request: ClientRequest) async throws(BridgeError) -> [JSON] {
        let reply = try await fetch(Call("GET", ["api", "permission", "request"], query: location(request)))
        return reply.data?.array ?? []
    }

    /// Responds with the pending permission requests. Adds the command to each request for a shell command. In OpenCode
    /// 2, only the tool call contains the command.
    private func pending(_ list: [JSON]) async throws(BridgeError) -> ClientAnswer {
        var permissions: [JSON] = []
        for request in list {
            let input = try await input(of: request)
            if let permission = Permission(openCode2: request, input: input) { permissions.append(permission.json) }
        }
        return ClientAnswer(.array(permissions))
    }

    /// Requests the input of the shell call that made a permission request. Returns nil if the permission request
    /// already contains the command, or if a tool other than the shell made the permission request.
    private func input(of request: JSON) async throws(BridgeError) -> JSONObject? {
        guard request["action"]?.text == "shell", request["metadata"]?["command"] == nil,
            let session = request["sessionID"]?.text, let message = request["source"]?["messageID"]?.text,
            let call = request["source"]?["id"]?.text
        else { return nil }
        let reply = try await send(Call("GET", ["api", "session", session, "message", message]))
        let content = reply.isGood ? reply.data?["content"]?.array : nil
        return content?.first { $0["id"]?.text == call }?["state"]?["input"]?.object
    }

    private static func decision(_ json: JSON?) -> String? {
        json?.text.flatMap { ["once", "always", "reject"].contains($0) ? $0 : nil }
    }

    /// Replies to a permission request. OpenCode 1 identifies the request by its id alone. OpenCode 2 also requires the
    /// id of the session.
    private func permission(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request), let decision = Self.decision(body["reply"]) else {
            return Refusals.bad("Expected \"once\", \"always\" or \"reject\"\n  at [\"reply\"]")
        }
        let list = try await permissions(request)
        guard let session = list.first(where: { $0["id"]?.text == id })?["sessionID"]?.text else {
            return Refusals.noPermission(id)
        }
        return try await decide(decision, message: body["message"], id, session: session)
    }

    private func decide(
        _ decision: String, message: JSON?, _ id: String, session: String
    ) async throws(BridgeError) -> ClientAnswer {
        let body: JSON = ["decision": .string(decision), "message": message]
        try await self.session(session)
        _ = try await fetch(Call("POST", ["api", "session", session, "permission", id, "reply"], body: body))
        return Self.yes
    }

    private func forms(_ request: ClientRequest) async throws(BridgeError) -> [QuestionForm] {
        let reply = try await fetch(Call("GET", ["api", "form"], query: location(request)))
        return (reply.data?.array ?? []).compactMap { QuestionForm($0) }
    }

    private func form(_ question: String, for request: ClientRequest) async throws(BridgeError) -> QuestionForm {
        let forms = try await forms(request)
        guard let form = forms.first(where: { $0.id == QuestionIDs.openCode2(question) }) else {
            throw .answer(Refusals.noQuestion(question))
        }
        return form
    }

    private func settle(_ form: QuestionForm, _ call: Call) async throws(BridgeError) -> ClientAnswer {
        let reply = try await send(call)
        return reply.isGood ? Self.yes : Refusals.of(reply, question: QuestionIDs.openCode1(form.id))
    }

    private func question(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        let rows = body(request)?["answers"]?.array?.all { row in row.array?.all { $0.text } }
        guard let rows else { return Refusals.bad("Expected arrays of strings\n  at [\"answers\"]") }
        let form = try await form(id, for: request)
        let answer: JSON = ["answer": form.answer(rows)]
        return try await settle(
            form, Call("POST", ["api", "session", form.sessionID, "form", form.id, "reply"], body: answer))
    }
}
