// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

extension Bridge {
    /// Handles the routes of directories and files; nil for any other route.
    func files(_ route: String, _ request: ClientRequest) -> BridgeStep? {
        switch route {
        case "GET /path": return place(request) { .answer(ClientAnswer(path($0))) }
        case "GET /project":
            return ask(Call("GET", ["api", "project"])) { reply in
                let projects = (reply.json?.array ?? []).compactMap { $0.object.flatMap(Projects.openCode1) }
                return .answer(ClientAnswer(.array(projects)))
            }
        case "GET /project/current": return place(request) { project($0["project"]?["id"]?.text) }
        case "GET /vcs":
            return ask(Call("GET", ["api", "vcs"], query: location(request))) { reply in
                let branch = reply.data?["branch"]
                return .answer(ClientAnswer(["branch": branch?["current"], "default_branch": branch?["default"]]))
            }
        case "GET /file": return directory(request)
        case "GET /file/content": return content(request)
        case "GET /file/status":
            return ask(Call("GET", ["api", "vcs", "status"], query: location(request))) { reply in
                .answer(ClientAnswer(.array((reply.data?.array ?? []).map(Self.status))))
            }
        case "GET /find/file": return find(request)
        default: return nil
        }
    }

    private func place(_ request: ClientRequest, _ next: @escaping @Sendable (JSON) -> BridgeStep) -> BridgeStep {
        ask(Call("GET", ["api", "location"], query: location(request))) { reply in
            reply.json.map(next) ?? .answer(Refusals.strange)
        }
    }

    private func path(_ location: JSON) -> JSON {
        [
            "home": .string(home), "state": .string(home + "/.local/state/opencode"),
            "config": .string(home + "/.config/opencode"),
            "worktree": location["project"]?["directory"] ?? location["directory"], "directory": location["directory"],
        ]
    }

    private func project(_ id: String?) -> BridgeStep {
        ask(Call("GET", ["api", "project"])) { reply in
            let found = reply.json?.array?.first { $0["id"]?.text == id }?.object.flatMap(Projects.openCode1)
            return .answer(found.map { ClientAnswer($0) } ?? Refusals.notFound("Project not found: \(id ?? "")"))
        }
    }

    private func directory(_ request: ClientRequest) -> BridgeStep {
        guard let path = request["path"] else {
            return .answer(Refusals.bad("Missing key\n  at [\"path\"]", kind: "Query"))
        }
        guard let segments = inside(path, request) else {
            return .answer(Refusals.bad("The path is outside the directory. Use a path inside it.", kind: "Query"))
        }
        let asked = segments.isEmpty ? "." : segments.joined(separator: "/")
        let list = Call("GET", ["api", "fs", "list"], query: location(request) + [("path", asked)])
        return .call(list) { reply in
            guard reply.isGood else {
                let missing = Refusals.notFound("The directory \(path) does not exist or cannot be read.")
                return refused(list, reply, wordless: segments.isEmpty ? nil : missing)
            }
            let base = reply.json?["location"]?["directory"]?.text ?? request.directory
            return .answer(ClientAnswer(.array((reply.data?.array ?? []).compactMap { Self.entry($0, base) })))
        }
    }

    /// Returns the segments of a path below the request's directory; nil if the path is outside it.
    private func inside(_ path: String, _ request: ClientRequest) -> [String]? {
        var rest = path[...]
        if rest.hasPrefix("/") {
            guard rest.hasPrefix(request.directory) else { return nil }
            rest = rest.dropFirst(request.directory.count)
            guard rest.isEmpty || rest.hasPrefix("/") else { return nil }
        }
        var segments: [String] = []
        for segment in rest.split(separator: "/") where segment != "." {
            if segment != ".." { segments.append(String(segment)) } else if segments.popLast() == nil { return nil }
        }
        return segments
    }

    private static func entry(_ entry: JSON, _ base: String) -> JSON? {
        guard let path = entry["path"]?.text, let type = entry["type"] else { return nil }
        let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
        let name = bare.split(separator: "/").last.map(String.init) ?? bare
        let absolute = bare.hasPrefix("/") ? bare : (base.hasSuffix("/") ? base : base + "/") + bare
        return [
            "name": .string(name), "path": .string(path), "absolute": .string(absolute), "type": type,
            "ignored": false,
        ]
    }

    private static func status(_ file: JSON) -> JSON {
        [
            "path": file["file"], "added": file["additions"], "removed": file["deletions"], "status": file["status"],
        ]
    }

    /// Reads a file. OpenCode 1 trims the content, and returns an empty text for a missing file.
    private func content(_ request: ClientRequest) -> BridgeStep {
        guard let path = request["path"] else {
            return .answer(Refusals.bad("Missing key\n  at [\"path\"]", kind: "Query"))
        }
        guard let segments = inside(path, request) else {
            return .answer(Refusals.bad("The path is outside the directory. Use a path inside it.", kind: "Query"))
        }
        let read = Call("GET", ["api", "fs", "read"] + segments, query: location(request))
        return .call(read) { reply in
            if reply.status == 404 { return .answer(ClientAnswer(["type": "text", "content": ""])) }
            guard reply.isGood else { return refused(read, reply) }
            if let text = String(validating: reply.body, as: UTF8.self), !reply.body.contains(0) {
                return .answer(ClientAnswer(["type": "text", "content": .string(Self.trimmed(text))]))
            }
            let type = reply.type.map { String($0.prefix { $0 != ";" }) } ?? "application/octet-stream"
            return .answer(
                ClientAnswer([
                    "type": "binary", "content": .string(Base64Encoding.encode(reply.body)), "encoding": "base64",
                    "mimeType": .string(type),
                ]))
        }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    private func find(_ request: ClientRequest) -> BridgeStep {
        guard let query = request["query"] else {
            return .answer(Refusals.bad("Missing key\n  at [\"query\"]", kind: "Query"))
        }
        let wrong = request.wrong([
            ("dirs", .words(["true", "false"])), ("type", .words(["file", "directory"])),
            ("limit", .count(from: 1, upTo: 200)),
        ])
        if let wrong { return .answer(wrong) }
        let type = request["type"] ?? (request["dirs"] == "false" ? "file" : nil)
        let asked: [(String, String?)] = [("query", query), ("type", type), ("limit", request["limit"])]
        return ask(Call("GET", ["api", "fs", "find"], query: location(request) + asked)) { reply in
            .answer(ClientAnswer(.array((reply.data?.array ?? []).compactMap { $0["path"] })))
        }
    }
}

extension Bridge {
    /// Handles the routes of terminals except the WebSocket; both versions of OpenCode use the same objects. Nil for
    /// any other route.
    func terminals(_ route: String, values: [String], for request: ClientRequest) -> BridgeStep? {
        let id = values.first ?? ""
        switch route {
        case "GET /pty": return terminal(Call("GET", ["api", "pty"], query: location(request)))
        case "POST /pty":
            guard let body = body(request) else { return .answer(Refusals.bad("Expected a JSON object.")) }
            if let folder = body["cwd"]?.text, !holds(FolderPath.absolute(folder, in: request.directory)) {
                let sentence =
                    "cwd names a directory outside the project. Name a directory inside the project, or omit cwd."
                return .answer(Refusals.outside(sentence))
            }
            return terminal(Call("POST", ["api", "pty"], query: location(request), body: .object(body)))
        case "GET /pty/{ptyID}": return terminal(Call("GET", ["api", "pty", id], query: location(request)))
        case "PUT /pty/{ptyID}":
            guard let body = body(request) else { return .answer(Refusals.bad("Expected a JSON object.")) }
            return terminal(Call("PUT", ["api", "pty", id], query: location(request), body: .object(body)))
        case "DELETE /pty/{ptyID}":
            return ask(Call("DELETE", ["api", "pty", id], query: location(request))) { _ in yes() }
        case "POST /pty/{ptyID}/connect-token":
            return terminal(
                Call(
                    "POST", ["api", "pty", id, "connect-token"], query: location(request),
                    fields: ["x-opencode-ticket": "1"]))
        default: return nil
        }
    }

    private func terminal(_ call: Call) -> BridgeStep {
        ask(call) { reply in .answer(reply.data.map { ClientAnswer($0) } ?? Refusals.strange) }
    }
}
