// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// The routes of permissions and questions.
    static let requests: [BridgeRoute] = [
        BridgeRoute(.get, "/permission") { bridge, _, request in
            bridge.permissions(request) { list in bridge.pending(list[...], []) }
        },
        BridgeRoute(.post, "/permission/{requestID}/reply") { bridge, path, request in
            bridge.permission(path["requestID"], request)
        },
        BridgeRoute(.post, "/session/{sessionID}/permissions/{permissionID}") { bridge, path, request in
            guard let body = bridge.body(request), let decision = decision(body["response"]) else {
                return .answer(Refusals.bad("Expected \"once\", \"always\" or \"reject\"\n  at [\"response\"]"))
            }
            return bridge.decide(decision, message: nil, path["permissionID"], session: path.session)
        },
        BridgeRoute(.get, "/question") { bridge, _, request in
            bridge.forms(request) { list in .answer(ClientAnswer(.array(list.map(\.question.json)))) }
        },
        BridgeRoute(.post, "/question/{requestID}/reply") { bridge, path, request in
            bridge.question(path["requestID"], request)
        },
        BridgeRoute(.post, "/question/{requestID}/reject") { bridge, path, request in
            bridge.form(path["requestID"], for: request) { form in
                bridge.settle(form, Call("DELETE", ["api", "session", form.sessionID, "form", form.id]))
            }
        },
    ]

    private func permissions(
        _ request: ClientRequest, _ next: @escaping @Sendable ([JSON]) -> BridgeStep
    ) -> BridgeStep {
        send(Call("GET", ["api", "permission", "request"], query: location(request))) { next($0.data?.array ?? []) }
    }

    /// Responds with the list. Adds the command to each request of a shell, because only the tool call contains it.
    private func pending(_ list: ArraySlice<JSON>, _ translated: [JSON]) -> BridgeStep {
        guard let request = list.first else { return .answer(ClientAnswer(.array(translated))) }
        let respond: @Sendable (JSONObject?) -> BridgeStep = { input in
            pending(
                list.dropFirst(), translated + [Permission(openCode2: request, input: input)?.json].compactMap { $0 })
        }
        guard request["action"]?.text == "shell", request["metadata"]?["command"] == nil,
            let session = request["sessionID"]?.text, let message = request["source"]?["messageID"]?.text,
            let call = request["source"]?["id"]?.text
        else { return respond(nil) }
        return .call(Call("GET", ["api", "session", session, "message", message])) { reply in
            let content = reply.isGood ? reply.data?["content"]?.array : nil
            return respond(content?.first { $0["id"]?.text == call }?["state"]?["input"]?.object)
        }
    }

    private static func decision(_ json: JSON?) -> String? {
        json?.text.flatMap { ["once", "always", "reject"].contains($0) ? $0 : nil }
    }

    /// Replies to a permission request. OpenCode 1 identifies the request by its id alone. OpenCode 2 also needs the id
    /// of its session.
    private func permission(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request), let decision = Self.decision(body["reply"]) else {
            return .answer(Refusals.bad("Expected \"once\", \"always\" or \"reject\"\n  at [\"reply\"]"))
        }
        let message = body["message"]
        return permissions(request) { list in
            guard let session = list.first(where: { $0["id"]?.text == id })?["sessionID"]?.text else {
                return .answer(Refusals.noPermission(id))
            }
            return decide(decision, message: message, id, session: session)
        }
    }

    private func decide(_ decision: String, message: JSON?, _ id: String, session: String) -> BridgeStep {
        let body: JSON = ["decision": .string(decision), "message": message]
        let reply = Call("POST", ["api", "session", session, "permission", id, "reply"], body: body)
        return self.session(session) { _ in send(reply) { _ in yes() } }
    }

    private func forms(
        _ request: ClientRequest, _ next: @escaping @Sendable ([QuestionForm]) -> BridgeStep
    ) -> BridgeStep {
        send(Call("GET", ["api", "form"], query: location(request))) { reply in
            next((reply.data?.array ?? []).compactMap { QuestionForm($0) })
        }
    }

    private func form(
        _ question: String, for request: ClientRequest, then next: @escaping @Sendable (QuestionForm) -> BridgeStep
    ) -> BridgeStep {
        forms(request) { list in
            guard let form = list.first(where: { $0.id == QuestionIDs.openCode2(question) }) else {
                return .answer(Refusals.noQuestion(question))
            }
            return next(form)
        }
    }

    private func settle(_ form: QuestionForm, _ call: Call) -> BridgeStep {
        .call(call) { reply in
            reply.isGood ? yes() : .answer(Refusals.of(reply, question: QuestionIDs.openCode1(form.id)))
        }
    }

    private func question(_ id: String, _ request: ClientRequest) -> BridgeStep {
        let rows = body(request)?["answers"]?.array?.all { row in row.array?.all { $0.text } }
        guard let rows else { return .answer(Refusals.bad("Expected arrays of strings\n  at [\"answers\"]")) }
        return form(id, for: request) { form in
            let answer: JSON = ["answer": form.answer(rows)]
            return settle(
                form, Call("POST", ["api", "session", form.sessionID, "form", form.id, "reply"], body: answer))
        }
    }
}
