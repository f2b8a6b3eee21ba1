// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Simulator2 {
    /// The routes for a session's messages and reverts.
    static let messageRoutes: [Route] = [
        Route("GET", "/api/session/{sessionID}/message") { simulator, call in
            .answer(try simulator.messages(of: simulator.session(call), call))
        },
        Route("GET", "/api/session/{sessionID}/message/{messageID}", basis: .documented) { simulator, call in
            let session = try simulator.session(call)
            guard let message = session.messages.first(where: { $0.id == call["messageID"] }) else {
                throw RequestError.missing(message: call["messageID"], in: session.id)
            }
            return .data(message.json)
        },
        Route("GET", "/api/session/{sessionID}/context") { simulator, call in
            let messages = try simulator.session(call).messages
            let start = messages.lastIndex { $0.json["status"] == "completed" && $0.type == "compaction" } ?? 0
            return .data(.array(messages[start...].map(\.json)))
        },
        Route("GET", "/api/session/{sessionID}/inbox") { simulator, call in
            let session = try simulator.session(call)
            return .data(.array(session.inbox.map { $0.json(in: session.id) }))
        },
        Route("GET", "/api/session/{sessionID}/diff") { simulator, call in
            let session = try simulator.session(call)
            let last = session.messages.last { $0.type == "user" }?.id
            return .data(.array(session.changes.filter { $0.messageID == last }.map(\.json)))
        },
        Route("POST", "/api/session/{sessionID}/revert/stage") { simulator, call in
            let session = try simulator.idleSession(call)
            let body = try call.object()
            let message = try body.requiredText("messageID")
            guard session.messages.contains(where: { $0.id == message }) else {
                throw RequestError.missing(message: message, in: session.id)
            }
            return .data(simulator.conversation.stageRevert(session, to: message, withFiles: body["files"] == true))
        },
        Route("DELETE", "/api/session/{sessionID}/revert") { simulator, call in
            let session = try simulator.idleSession(call)
            simulator.conversation.clearRevert(session)
            return .done
        },
        Route("POST", "/api/session/{sessionID}/revert/commit") { simulator, call in
            simulator.conversation.commitRevert(try simulator.idleSession(call))
            return .done
        },
        Route("GET", "/api/experimental/session/{sessionID}/export") { simulator, call in
            let session = try simulator.session(call)
            return .data(["info": session.json, "messages": .array(session.messages.map(\.json))])
        },
        Route("GET", "/api/experimental/session/{sessionID}/log") { simulator, call in
            let session = try simulator.session(call)
            return .events(
                simulator.bus.log(
                    of: session.id, follows: call.query("follow") == "true", interval: simulator.heartbeat))
        },
    ]

    /// The maximum length of a list if the request sets no limit.
    private static let messageLimit = 50

    private func messages(of session: Session2, _ call: Call) throws(RequestError) -> SimulatedAnswer {
        let limit = call.query("limit").flatMap { Int($0) } ?? Simulator2.messageLimit
        if limit < 1 { throw .invalid("Expected a value greater than 0\n  at [\"limit\"]", "Query") }
        let cursor: JSON? = try call.query("cursor").map { text throws(RequestError) in
            guard let cursor = Cursor2.decode(text), cursor["id"]?.text != nil else { throw .invalidCursor }
            return cursor
        }
        let order = cursor?["order"]?.text ?? call.query("order") ?? "desc"
        let matching = session.messages.filter { $0.type == call.query("type") ?? $0.type }
        let ordered = order == "asc" ? matching : matching.reversed()
        var page = ordered[...]
        if let cursor, let index = ordered.firstIndex(where: { $0.id == cursor["id"]?.text }) {
            page = cursor["direction"] == "previous" ? ordered[..<index] : ordered[(index + 1)...]
        }
        page = cursor?["direction"] == "previous" ? page.suffix(limit) : page.prefix(limit)
        let encodedCursor = { (message: Session2.Message?, direction: JSON) -> JSON in
            guard let message else { return .null }
            return .string(
                Cursor2.encode(["id": .string(message.id), "order": .string(order), "direction": direction]))
        }
        return .json([
            "data": .array(page.map(\.json)),
            "cursor": ["previous": encodedCursor(page.first, "previous"), "next": encodedCursor(page.last, "next")],
        ])
    }

    /// Returns the session of a call. Throws an error if a turn is running in the session.
    private func idleSession(_ call: Call) throws(RequestError) -> Session2 {
        let session = try session(call)
        if session.execution == nil { return session }
        throw RequestError(
            .error(
                409, "Conflict", tag: "SessionBusyError",
                members: [("sessionID", .string(session.id)), ("message", .string("Session is busy: \(session.id)"))]))
    }
}

/// Reverts messages and file changes.
extension Conversation2 {
    /// Stages the revert of a message and all later messages. The revert can then be cleared or committed.
    func stageRevert(_ session: Session2, to message: String, withFiles: Bool) -> JSON {
        let start = session.messages.firstIndex { $0.id == message } ?? session.messages.endIndex
        let taken = session.messages[start...].map(\.id)
        let changes = withFiles ? session.changes.filter { taken.contains($0.messageID) } : []
        let layout: (Layout) -> JSON = { layout in
            let members: [String: JSON?] = [
                "messageID": .string(message), "snapshot": session.snapshot.map { .string($0) },
                "files": .array(changes.map { $0.reverted.json(layout) }),
            ]
            return ("messageID snapshot files" as Layout).object(members)
        }
        let revert = layout("file patch additions deletions status")
        guard let session = store.update(session.id, { $0.revert = revert }) else { return revert }
        publish(
            "session.revert.staged", in: session,
            [("revert", layout("file status additions deletions patch"))])
        return revert
    }

    /// Clears the revert and wakes the session, so that it processes its inbox.
    func clearRevert(_ session: Session2) {
        guard session.revert != nil, let session = store.update(session.id, { $0.revert = nil }) else { return }
        publish("session.revert.cleared", in: session)
        wake(session.id)
        _ = store.waitUntilIdle(session.id, within: .seconds(10))
    }

    /// Commits the revert, and removes the reverted messages.
    func commitRevert(_ session: Session2) {
        guard let message = session.revert?["messageID"]?.text else { return }
        let session = store.update(session.id) { session in
            let start = session.messages.firstIndex { $0.id == message } ?? session.messages.endIndex
            let taken = session.messages[start...].map(\.id)
            session.messages.removeSubrange(start...)
            session.changes.removeAll { taken.contains($0.messageID) }
            session.revert = nil
        }
        if let session { publish("session.revert.committed", in: session, [("to", .string(message))]) }
    }
}
