// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Simulator2 {
    /// The routes for the list of sessions and for single sessions.
    static let sessionRoutes: [Route] = [
        Route("GET", "/api/session") { simulator, call in
            .answer(.json(try SessionQuery2(call.request.query).page(of: simulator.store.all)))
        },
        Route("POST", "/api/session") { simulator, call in .answer(try simulator.createSession(call)) },
        Route("GET", "/api/session/active") { simulator, _ in
            let running = simulator.store.all.filter { $0.execution != nil }.map { $0.id }.sorted()
            return .data(JSON.object([]).adding(running.map { ($0, ["type": "running"]) }))
        },
        Route("GET", "/api/session/{sessionID}") { simulator, call in .data(try simulator.session(call).json) },
        Route("DELETE", "/api/session/{sessionID}") { simulator, call in
            simulator.conversation.remove(try simulator.session(call))
            return .done
        },
        Route("PATCH", "/api/session/{sessionID}") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            for name in ["metadata", "permissions"] {
                guard let value = body[name], value != .null else { continue }
                simulator.store.update(session.id) {
                    if name == "metadata" { $0.metadata = value } else { $0.permissions = value }
                }
            }
            if let title = try body.text("title") { simulator.conversation.rename(session.id, to: title) }
            return .done
        },
        Route("POST", "/api/session/{sessionID}/fork") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            let before = try body.text("before")
            if let before, !session.messages.contains(where: { $0.id == before }) {
                throw RequestError.missing(message: before, in: session.id)
            }
            return .data(simulator.conversation.fork(session, before: before).json)
        },
        Route("POST", "/api/session/{sessionID}/move") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            simulator.move(session, to: try body.requiredText("directory"), try body.delivery())
            return .done
        },
        Route("POST", "/api/session/{sessionID}/agent") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            simulator.conversation.select(agent: try body.requiredText("agent"), in: session)
            return .done
        },
        Route("POST", "/api/session/{sessionID}/model") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            guard let given = body["model"] else { throw RequestError.missing(key: "model") }
            guard let model = Model2(given) else {
                throw RequestError.missing(key: given["id"] == nil ? "model\"][\"id" : "model\"][\"providerID")
            }
            simulator.conversation.select(model: model, in: session)
            return .done
        },
        Route("POST", "/api/session/{sessionID}/view") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            guard let idle = body["idle"] else { throw RequestError.missing(key: "idle") }
            simulator.conversation.publish("session.viewed", in: session, [("idle", idle)], isLocated: false)
            return .done
        },
    ]

    /// Returns the session that a call names.
    func session(_ call: Call) throws(RequestError) -> Session2 {
        let id = call["sessionID"]
        guard id.hasPrefix("ses") else {
            throw .invalid("Expected a string starting with \"ses\"\n  at [\"sessionID\"]", "Params")
        }
        guard let session = store[id] else { throw .missing(session: id) }
        return session
    }

    private func createSession(_ call: Call) throws(RequestError) -> SimulatedAnswer {
        let body = try call.object()
        let named = body["location"]?["directory"]?.text ?? ""
        // Only the body determines a new session's directory. The directory need not exist.
        let directory = named.isEmpty ? self.directory : named
        let id = try body.text("id")
        if let id, let session = store[id] { return .json(["data": session.json]) }
        var session = Session2(
            id: id, directory: directory, project: locations.project(of: directory), agent: try body.text("agent"),
            model: Model2(body["model"]), title: try body.text("title"))
        for (name, value) in [("metadata", body["metadata"]), ("permissions", body["permissions"])] {
            guard let value, value != .null else { continue }
            if name == "metadata" { session.metadata = value } else { session.permissions = value }
        }
        _ = conversation.create(session)
        return .json(["data": session.json])
    }

    private func move(_ session: Session2, to directory: String, _ delivery: InboxItem2.Delivery) {
        locations.open(directory)
        let project = locations.project(of: directory)
        conversation.enqueue(
            .move,
            [
                "location": ["directory": .string(directory)], "projectID": .string(project.id),
                "subpath": .string(project.subpath(of: directory)),
            ], delivery: delivery, in: session.id)
        let isIdle = session.execution == nil
        conversation.wake(session.id)
        // The move of an idle session is complete before the response is sent.
        if isIdle { _ = store.waitUntilIdle(session.id, within: .seconds(10)) }
    }
}

extension Conversation2 {
    /// The instructions that a session receives when its agent changes to `plan`, or from `plan` to another agent.
    private static let planning = "<system-reminder>\nYou are in Plan mode.\n</system-reminder>"
    private static let working = "<system-reminder>\nYou are NO LONGER in Plan mode.\n</system-reminder>"

    /// Changes the agent. An unknown agent is also accepted.
    func select(agent: String, in session: Session2) {
        let previous = session.agent
        guard let session = store.update(session.id, { $0.agent = agent }) else { return }
        let members = [("agent", .string(agent))] + (previous.map { [("previous", JSON.string($0))] } ?? [])
        let event = publish("session.agent.selected", in: session, members)
        store(event, "agent-switched", members: members, in: session)
        if (agent == "plan") != (previous == "plan") {
            let text = agent == "plan" ? Conversation2.planning : Conversation2.working
            enqueue(.synthetic, ["text": .string(text)], in: session.id)
        }
    }

    /// Changes the model. An unknown model is also accepted.
    func select(model: Model2, in session: Session2) {
        let previous = session.model
        guard let session = store.update(session.id, { $0.model = model }) else { return }
        let members = [("model", model.json)] + (previous.map { [("previous", $0.complete)] } ?? [])
        let event = publish("session.model.selected", in: session, members)
        store(event, "model-switched", members: members, in: session)
    }

    /// Stores an event's data as a message. The message's id is derived from the event's id.
    private func store(_ event: String, _ type: String, members: [(String, JSON)], in session: Session2) {
        let id = "msg_\(event.dropFirst(4))"
        let start: JSON = [
            "id": .string(id), "time": ["created": .integer(Clock.milliseconds)], "type": .string(type),
        ]
        store.store(Session2.Message(id: id, type: type, json: start.adding(members)), in: session.id)
    }
}

extension RequestOutcome {
    /// Returns `{"data":…}`, which is the format of most responses.
    static func data(_ json: JSON) -> RequestOutcome { .answer(.json(["data": json])) }

    /// The response to a request that was performed or will be performed.
    static var done: RequestOutcome { .answer(.empty(204, "No Content")) }
}

extension RequestError {
    /// Returns the error for a missing member of the body.
    static func missing(key: String) -> RequestError { .invalid("Missing key\n  at [\"\(key)\"]", "Payload") }

    static func missing(session id: String) -> RequestError {
        RequestError(
            .error(
                404, "Not Found", tag: "SessionNotFoundError",
                members: [("sessionID", .string(id)), ("message", .string("Session not found: \(id)"))]))
    }

    static func missing(message id: String, in session: String) -> RequestError {
        RequestError(
            .error(
                404, "Not Found", tag: "MessageNotFoundError",
                members: [
                    ("sessionID", .string(session)), ("messageID", .string(id)),
                    ("message", .string("Message not found: \(id)")),
                ]))
    }
}

extension JSON {
    /// Returns the text of a member; nil if it is absent or null.
    func text(_ name: String) throws(RequestError) -> String? {
        guard let value = self[name], value != .null else { return nil }
        guard let text = value.text else { throw .invalid("Expected string\n  at [\"\(name)\"]", "Payload") }
        return text
    }

    /// Returns the text of a required member.
    func requiredText(_ name: String) throws(RequestError) -> String {
        guard let text = try text(name) else { throw .missing(key: name) }
        return text
    }

    /// Returns the value of `delivery`, which determines when an input is processed.
    func delivery() throws(RequestError) -> InboxItem2.Delivery {
        guard let text = try text("delivery") else { return .steer }
        guard let delivery = InboxItem2.Delivery(rawValue: text) else {
            throw .invalid("Expected \"steer\" | \"queue\"\n  at [\"delivery\"]", "Payload")
        }
        return delivery
    }
}
