// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

extension Simulator2 {
    /// The routes for a session's input and the processing of this input.
    static let turnRoutes: [Route] = [
        Route("POST", "/api/session/{sessionID}/prompt") { simulator, call in .answer(try simulator.prompt(call)) },
        Route("POST", "/api/session/{sessionID}/command") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            let name = try body.requiredText("name")
            let text = try body.requiredText("text")
            guard ["init", "review"].contains(name) else {
                throw RequestError(
                    .error(
                        404, "Not Found", tag: "CommandNotFoundError",
                        members: [("command", .string(name)), ("message", .string("Command not found: \(name)"))]))
            }
            simulator.locations.wait(for: session.directory)
            let prepared = "Run the command \(name). \(text)"
            simulator.conversation.enqueue(
                .user, ["text": .string(prepared)], delivery: try body.delivery(), in: session.id)
            return try simulator.wake(session) { .done }
        },
        Route("POST", "/api/session/{sessionID}/shell") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            simulator.runShell(try body.requiredText("command"), in: session)
            return .done
        },
        Route("POST", "/api/session/{sessionID}/compact") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            let item = simulator.conversation.enqueue(
                .compaction, [:], delivery: try body.delivery(), id: try body.text("id"), in: session.id)
            return try simulator.wake(session) { .data(item?.json(in: session.id) ?? .null) }
        },
        Route("POST", "/api/session/{sessionID}/generate") { simulator, call in
            let session = try simulator.session(call)
            let body = try call.object()
            let prompt = try body.requiredText("prompt")
            let script = TurnScript(model: session.model?.id ?? "talk", prompt: prompt, pace: simulator.pace)
            let deltas = script.answer(to: prompt)
            let time = script.silence + script.interval * deltas.count
            _ = Latch("the time that a model takes").isOpened(within: time)
            return .data(["text": .string(deltas.joined())])
        },
        Route("POST", "/api/session/{sessionID}/interrupt") { simulator, call in
            .answer(.json(["interrupted": .bool(simulator.conversation.interrupt(try simulator.session(call)))]))
        },
        Route("POST", "/api/experimental/session/{sessionID}/wait") { simulator, call in
            _ = simulator.store.waitUntilIdle(try simulator.session(call).id, within: .seconds(86_400))
            return .done
        },
    ]

    private func prompt(_ call: Call) throws -> SimulatedAnswer {
        let session = try session(call)
        let body = try call.object()
        var payload: [(String, JSON)] = [("text", .string(try body.requiredText("text")))]
        if let files = body["files"]?.elements { payload.append(("files", .array(try files.map(attachment)))) }
        for name in ["agents", "skills", "metadata"] { body[name].map { payload.append((name, $0)) } }
        let id = try body.text("id")
        let delivery = try body.delivery()
        if let id, session.messages.contains(where: { $0.id == id }) || session.inbox.contains(where: { $0.id == id }) {
            throw RequestError(
                .error(
                    409, "Conflict", tag: "ConflictError",
                    members: [("message", .string("Message already exists: \(id)")), ("resource", .string(id))]))
        }
        // The directory's catalogue must be loaded before the model is called.
        locations.wait(for: session.directory)
        let item = conversation.enqueue(
            .user, JSON.object([]).adding(payload), delivery: delivery, id: id, in: session.id)
        guard let item else { throw RequestError.missing(session: session.id) }
        locations.use(session.project, in: nil)
        let answer = SimulatedAnswer.json(["data": item.json(in: session.id)])
        return body["resume"] == false ? answer : try wake(session) { answer }
    }

    /// Returns an attached file with its content.
    private func attachment(_ given: JSON) throws(RequestError) -> JSON {
        let uri = try given.requiredText("uri")
        let names: [(String, JSON)] = ["name", "description", "mention"].compactMap { name in
            given[name].map { (name, $0) }
        }
        if uri.hasPrefix("data:"), let comma = uri.firstIndex(of: ",") {
            let type = uri[..<comma].dropFirst("data:".count).split(separator: ";").first ?? "text/plain"
            let start: JSON = [
                "data": .string(String(uri[uri.index(after: comma)...])), "mime": .string(String(type)),
                "source": ["type": "inline"],
            ]
            return start.adding(names)
        }
        let path = uri.hasPrefix("file://") ? String(uri.dropFirst("file://".count)) : uri
        let bytes = (try? FileTree.contents(path)) ?? []
        let start: JSON = [
            "data": .string(Base64.encode(bytes)), "mime": "text/plain",
            "source": ["type": "uri", "uri": .string(uri)],
        ]
        return start.adding(names)
    }

    /// Wakes a session, so that it processes its inbox. If no thread can be started, the client receives an error.
    private func wake<Result>(_ session: Session2, _ answer: () -> Result) throws(RequestError) -> Result {
        guard conversation.wake(session.id) else { throw RequestError(.blank(500, "Internal Server Error")) }
        return answer()
    }

    /// Runs a command independently of the model. The model receives the command and its output with the next prompt.
    private func runShell(_ command: String, in session: Session2) {
        var run = Shell2(command: command, session: session, home: home, isBackground: true)
        var terminal = Shell()
        let pid = Int(getpid())
        let directory = session.directory
        bus.publish("shell.created", ["info": run.json], in: directory)
        let event = conversation.publish("session.shell.started", in: session, [("shell", run.info(pid: pid))])
        let text = terminal.output(of: command)
        let output: JSON = [
            "output": .string(text), "cursor": .integer(text.utf8.count), "size": .integer(text.utf8.count),
            "truncated": false,
        ]
        run.finish()
        bus.publish("shell.exited", run.exit, in: directory)
        conversation.publish(
            "session.shell.ended", in: session, [("shell", run.info(pid: pid)), ("output", output)])
        store.store(run.message("msg_\(event.dropFirst(4))", output), in: session.id)
        let wrapped = """
            The following shell command was executed by the user:
            <shell id="\(run.id)" state="completed" command="\(command)">
            \(text)
            </shell>
            """
        conversation.enqueue(
            .synthetic,
            [
                "text": .string(wrapped),
                "metadata": [
                    "source": "shell", "shellID": .string(run.id), "state": "completed", "truncated": false,
                    "exit": 0,
                ],
            ], in: session.id)
    }
}
