// SPDX-License-Identifier: Apache-2.0

extension Simulator2 {
    /// The routes for the requests that turns send to the user: permission requests and forms.
    static let requestRoutes: [Route] = [
        Route("GET", "/api/permission/request") { simulator, call in
            let directory = try simulator.location(of: call)
            return .located(directory, .array(simulator.pending.open(.permission, directory: directory)))
        },
        Route("GET", "/api/permission/saved") { simulator, call in
            .data(.array(simulator.pending.saved(project: call.query("projectID"))))
        },
        Route("GET", "/api/session/{sessionID}/permission") { simulator, call in
            .data(.array(simulator.pending.open(.permission, session: try simulator.session(call).id)))
        },
        Route("GET", "/api/session/{sessionID}/permission/{requestID}", basis: .documented) { simulator, call in
            .data(try simulator.openPermission(call).json)
        },
        Route("POST", "/api/session/{sessionID}/permission/{requestID}/reply") { simulator, call in
            let request = try simulator.openPermission(call)
            let body = try call.object()
            let decision = try body.requiredText("decision")
            guard ["once", "always", "reject"].contains(decision) else {
                throw RequestError.invalid(
                    "Expected \"once\" | \"always\" | \"reject\"\n  at [\"decision\"]", "Payload")
            }
            let data: JSON = [
                "sessionID": .string(request.sessionID), "requestID": .string(request.id), "reply": .string(decision),
            ]
            guard simulator.settle(request, with: .permission(decision), type: "permission.replied", data: data) else {
                throw RequestError.missing(permission: request.id)
            }
            return .done
        },
        Route("GET", "/api/form") { simulator, call in
            let directory = try simulator.location(of: call)
            return .located(directory, .array(simulator.pending.open(.form, directory: directory)))
        },
        Route("GET", "/api/session/{sessionID}/form") { simulator, call in
            .data(.array(simulator.pending.open(.form, session: try simulator.session(call).id)))
        },
        Route("GET", "/api/session/{sessionID}/form/{formID}") { simulator, call in
            .data(try simulator.form(call).detail)
        },
        Route("POST", "/api/session/{sessionID}/form/{formID}/reply") { simulator, call in
            let form = try simulator.form(call)
            let body = try call.object()
            guard let answer = body["answer"] else { throw RequestError.missing(key: "answer") }
            for field in form.json["fields"]?.elements ?? [] {
                guard let key = field["key"]?.text, let value = answer[key], value.text == nil else { continue }
                let message = "Expected string for form field: \(key)"
                throw RequestError(
                    .error(
                        400, "Bad Request", tag: "FormInvalidAnswerError",
                        members: [("id", .string(form.id)), ("message", .string(message))]))
            }
            try simulator.settleForm(form, with: .answer(answer), type: "form.replied", members: [("answer", answer)])
            return .done
        },
        Route("DELETE", "/api/session/{sessionID}/form/{formID}") { simulator, call in
            try simulator.settleForm(simulator.form(call), with: .cancelled, type: "form.cancelled", members: [])
            return .done
        },
    ]
}

extension Simulator2 {
    /// Returns the permission request that a call names. Throws an error if the user has already decided.
    private func openPermission(_ call: Call) throws(RequestError) -> Pending2.Request {
        let request = pending.request(.permission, call["requestID"], session: try session(call).id)
        guard let request, request.reply == nil else { throw .missing(permission: call["requestID"]) }
        return request
    }

    /// Returns the form that a call names, even if the user has already answered the form.
    private func form(_ call: Call) throws(RequestError) -> Pending2.Request {
        if let form = pending.request(.form, call["formID"], session: try session(call).id) { return form }
        throw RequestError(
            .error(
                404, "Not Found", tag: "FormNotFoundError",
                members: [("id", .string(call["formID"])), ("message", .string("Form not found: \(call["formID"])"))]))
    }

    private func settleForm(
        _ form: Pending2.Request, with reply: Pending2.Reply, type: String, members: [(String, JSON)]
    ) throws(RequestError) {
        let data: JSON = ["id": .string(form.id), "sessionID": .string(form.sessionID)]
        if settle(form, with: reply, type: type, data: data.adding(members)) { return }
        throw RequestError(
            .error(
                409, "Conflict", tag: "FormAlreadySettledError",
                members: [("id", .string(form.id)), ("message", .string("Form already settled: \(form.id)"))]))
    }

    /// Ends a request with a reply, and publishes the reply as an event before the waiting turn continues. Returns
    /// whether the request was still open.
    private func settle(
        _ request: Pending2.Request, with reply: Pending2.Reply, type: String, data: JSON
    ) -> Bool {
        pending.settle(request.id, reply) { _ = bus.publish(type, data, in: request.directory) }
    }
}

extension RequestOutcome {
    /// Returns `{"location":…,"data":…}`, the response for data that belongs to a directory.
    static func located(_ directory: String, _ data: JSON) -> RequestOutcome {
        .answer(.json(["location": ["directory": .string(directory)], "data": data]))
    }
}

extension RequestError {
    fileprivate static func missing(permission id: String) -> RequestError {
        RequestError(
            .error(
                404, "Not Found", tag: "PermissionNotFoundError",
                members: [
                    ("requestID", .string(id)), ("message", .string("Permission request not found: \(id)")),
                ]))
    }
}
