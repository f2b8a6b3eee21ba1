import Glibc
import TestKit

extension Twin {
    /// What a request leads to. A method that a path does not have leads to the web app's page, as any unknown path.
    func outcome(of request: Request) -> Outcome {
        if request.method == "OPTIONS" { return .answer(.preflight(origin: request.fields.first("Origin"))) }
        if let credentials, !credentials.accept(request) { return .answer(.unauthorized) }
        if request.method == "HEAD" { return .answer(.page(hasBody: false)) }
        switch (request.method, request.segments.first) {
        case (_, "session"): return .answer(session(request) ?? .page(hasBody: true))
        case (_, "pty"): return terminal(request)
        default: return general(request)
        }
    }

    private func general(_ request: Request) -> Outcome {
        let directory = request.directory(default: directory)
        switch (request.method, request.segments.joined(separator: "/")) {
        case ("GET", "global/health"):
            return .answer(.json(["healthy": true, "version": .string(profile.version)]))
        case ("GET", "event"): return .events(directory: directory)
        case ("GET", "global/event"): return .events(directory: nil)
        case ("POST", "instance/dispose"):
            bus.publish("server.instance.disposed", ["directory": .string(directory)], directory: directory)
            bus.end(directory: directory)
            return .answer(.json(true))
        case ("POST", "log"): return .answer(.json(true))
        case ("GET", let path):
            return .answer(document(path, directory).map { Answer.json($0) } ?? .page(hasBody: true))
        default: return .answer(.page(hasBody: true))
        }
    }

    /// What stays the same while the server runs.
    private func document(_ path: String, _ directory: String) -> JSON? {
        switch path {
        case "config":
            [
                "$schema": "https://opencode.ai/config.json", "command": [:], "plugin": [], "share": "disabled",
                "autoupdate": false, "model": "twin/talk", "username": "unknown", "mode": [:], "agent": [:],
                "provider": ["twin": ["name": "Twin", "models": models]],
            ]
        case "config/providers":
            [
                "providers": [
                    [
                        "id": "twin", "name": "Twin", "source": "config", "env": [],
                        "options": ["apiKey": "not-a-secret"], "models": models,
                    ]
                ], "default": ["twin": "talk"],
            ]
        case "path":
            [
                "home": .string(home), "state": .string("\(home)/.local/state/opencode"),
                "config": .string("\(home)/.config/opencode"), "worktree": .string(directory),
                "directory": .string(directory),
            ]
        case "project": .array([project(directory)])
        case "project/current": project(directory)
        case "vcs": ["branch": "master", "default_branch": "master"]
        case "agent":
            [
                [
                    "name": "build",
                    "description": "The default agent. Executes tools based on configured permissions.",
                    "mode": "primary", "native": true,
                    "permission": [["permission": "*", "pattern": "*", "action": "allow"]], "options": [:],
                ]
            ]
        case "command":
            [
                [
                    "name": "init", "description": "guided AGENTS.md setup", "source": "command",
                    "template": "Create or update AGENTS.md.", "hints": [],
                ]
            ]
        case "doc":
            [
                "openapi": "3.1.0",
                "info": ["title": "opencode", "version": "1.0.0", "description": "opencode api"],
                "paths": ["/global/health": ["get": ["operationId": "global.health"]]],
            ]
        case "permission", "question", "lsp", "file/status": []
        case "mcp": [:]
        default: nil
        }
    }

    private var models: JSON {
        ["talk": ["name": "Talk"], "medium": ["name": "Medium"], "fast": ["name": "Fast"], "slow": ["name": "Slow"]]
    }

    private func project(_ directory: String) -> JSON {
        let time = JSON.integer(Clock.milliseconds)
        return [
            "id": .string(SHA1.hexadecimal(directory)), "worktree": .string(directory), "vcs": "git",
            "time": ["created": time, "updated": time], "sandboxes": [],
        ]
    }

    /// `/pty` and what is below it.
    private func terminal(_ request: Request) -> Outcome {
        let rest = Array(request.segments.dropFirst())
        switch (request.method, rest.count) {
        case ("GET", 0): return .answer(.json(.array(store.allTerminals)))
        case ("POST", 0): return .answer(createTerminal(request))
        case ("GET", 2) where rest[1] == "connect":
            let asksForUpgrade = request.fields.first("Upgrade")?.lowercased() == "websocket"
            guard asksForUpgrade, store.terminal(rest[0]) != nil else { return .answer(.empty(404, "Not Found")) }
            return .terminal(rest[0])
        case ("GET", 1), ("PUT", 1):
            return .answer(store.terminal(rest[0]).map { Answer.json($0) } ?? missingTerminal(rest[0]))
        case ("DELETE", 1):
            return .answer(store.removeTerminal(rest[0]) ? .json(true) : missingTerminal(rest[0]))
        default: return .answer(.page(hasBody: true))
        }
    }

    private func createTerminal(_ request: Request) -> Answer {
        guard let body = request.json else { return malformed }
        let id = Identifier.make("pty")
        // A shell without arguments becomes a log-in shell.
        let arguments = body["args"]?.elements ?? []
        let info: JSON = [
            "id": .string(id), "title": .string(body["title"]?.text ?? "Terminal \(id.suffix(4))"),
            "command": .string(body["command"]?.text ?? "/bin/sh"),
            "args": .array(arguments.isEmpty ? ["-l"] : arguments),
            "cwd": .string(body["cwd"]?.text ?? request.directory(default: directory)), "status": "running",
            "pid": .integer(Int(getpid())),
        ]
        store.addTerminal(id, info)
        return .json(info)
    }

    private func missingTerminal(_ id: String) -> Answer {
        .json(
            [
                "_tag": "PtyNotFoundError", "ptyID": .string(id),
                "message": .string("PTY session not found: \(id)"),
            ], status: 404, reason: "Not Found")
    }

    /// The answer to a body that is no JSON.
    var malformed: Answer {
        let answer = profile.malformedBody
        return .json(text: answer.text, status: answer.status, reason: answer.reason)
    }
}
