// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

extension Bridge {
    /// The routes for directories and files.
    static let files: [BridgeRoute] = [
        BridgeRoute(.get, "/path") { bridge, _, request in
            ClientAnswer(bridge.path(try await bridge.openCodeLocation(request)))
        },
        BridgeRoute(.get, "/project") { bridge, _, _ in
            let reply = try await bridge.fetch(Call("GET", ["api", "project"]))
            let projects = (reply.json?.array ?? []).compactMap { $0.object.flatMap(Projects.openCode1) }
            return ClientAnswer(.array(projects))
        },
        BridgeRoute(.get, "/project/current") { bridge, _, request in
            try await bridge.project(bridge.openCodeLocation(request)["project"]?["id"]?.text)
        },
        BridgeRoute(.get, "/vcs") { bridge, _, request in
            let reply = try await bridge.fetch(Call("GET", ["api", "vcs"], query: bridge.location(request)))
            let branch = reply.data?["branch"]
            return ClientAnswer(["branch": branch?["current"], "default_branch": branch?["default"]])
        },
        BridgeRoute(.get, "/file") { bridge, _, request in try await bridge.directory(request) },
        BridgeRoute(.get, "/file/content") { bridge, _, request in try await bridge.content(request) },
        BridgeRoute(.get, "/file/status") { bridge, _, request in
            let reply = try await bridge.fetch(Call("GET", ["api", "vcs", "status"], query: bridge.location(request)))
            return ClientAnswer(.array((reply.data?.array ?? []).map(status)))
        },
        BridgeRoute(.get, "/find/file") { bridge, _, request in try await bridge.find(request) },
    ]

    /// Requests the location of a client's request from OpenCode 2. The location contains the directory and its
    /// project.
    private func openCodeLocation(_ request: ClientRequest) async throws(BridgeError) -> JSON {
        let reply = try await fetch(Call("GET", ["api", "location"], query: location(request)))
        guard let location = reply.json else { throw .answer(Refusals.strange) }
        return location
    }

    private func path(_ location: JSON) -> JSON {
        [
            "home": .string(home), "state": .string(home + "/.local/state/opencode"),
            "config": .string(home + "/.config/opencode"),
            "worktree": location["project"]?["directory"] ?? location["directory"], "directory": location["directory"],
        ]
    }

    private func project(_ id: String?) async throws(BridgeError) -> ClientAnswer {
        let reply = try await fetch(Call("GET", ["api", "project"]))
        let found = reply.json?.array?.first { $0["id"]?.text == id }?.object.flatMap(Projects.openCode1)
        return found.map { ClientAnswer($0) } ?? Refusals.notFound("Project not found: \(id ?? "")")
    }

    private func directory(_ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let path = request["path"] else { return Self.noPath }
        guard let segments = inside(path, request) else { return Self.pathOutside }
        let requested = segments.isEmpty ? "." : segments.joined(separator: "/")
        let list = Call("GET", ["api", "fs", "list"], query: location(request) + [("path", requested)])
        let reply = try await send(list)
        guard reply.isGood else {
            let missing = Refusals.notFound("The directory \(path) does not exist or cannot be read.")
            return try await error(for: reply, to: list, otherwise: segments.isEmpty ? nil : missing)
        }
        let base = reply.json?["location"]?["directory"]?.text ?? request.directory
        return ClientAnswer(.array((reply.data?.array ?? []).compactMap { Self.entry($0, base) }))
    }

    private static let noPath = Refusals.bad("Missing key\n  at [\"path\"]", kind: "Query")
    private static let pathOutside = Refusals.bad(
        "The path is outside the directory. Use a path inside it.", kind: "Query")

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

    /// Responds with the content of a file. As in OpenCode 1, the text is trimmed, and is empty if the file is missing.
    private func content(_ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let path = request["path"] else { return Self.noPath }
        guard let segments = inside(path, request) else { return Self.pathOutside }
        let read = Call("GET", ["api", "fs", "read"] + segments, query: location(request))
        let reply = try await send(read)
        if reply.status == 404 { return ClientAnswer(["type": "text", "content": ""]) }
        guard reply.isGood else { return try await error(for: reply, to: read) }
        if let text = String(validating: reply.body, as: UTF8.self), !reply.body.contains(0) {
            return ClientAnswer(["type": "text", "content": .string(Self.trimmed(text))])
        }
        let type = reply.type.map { String($0.prefix { $0 != ";" }) } ?? "application/octet-stream"
        return ClientAnswer([
            "type": "binary", "content": .string(Base64Encoding.encode(reply.body)), "encoding": "base64",
            "mimeType": .string(type),
        ])
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    private func find(_ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let query = request["query"] else {
            return Refusals.bad("Missing key\n  at [\"query\"]", kind: "Query")
        }
        let wrong = request.wrong([
            ("dirs", .words(["true", "false"])), ("type", .words(["file", "directory"])),
            ("limit", .count(from: 1, upTo: 200)),
        ])
        if let wrong { return wrong }
        let type = request["type"] ?? (request["dirs"] == "false" ? "file" : nil)
        let parameters: [(String, String?)] = [("query", query), ("type", type), ("limit", request["limit"])]
        let reply = try await fetch(Call("GET", ["api", "fs", "find"], query: location(request) + parameters))
        return ClientAnswer(.array((reply.data?.array ?? []).compactMap { $0["path"] }))
    }
}

extension Bridge {
    /// The routes for terminals, except the WebSocket's route. Both versions of OpenCode use the same JSON objects.
    static let terminals: [BridgeRoute] = [
        BridgeRoute(.get, "/pty") { bridge, _, request in
            try await bridge.terminal(Call("GET", ["api", "pty"], query: bridge.location(request)))
        },
        BridgeRoute(.post, "/pty") { bridge, _, request in try await bridge.createTerminal(request) },
        BridgeRoute(.get, "/pty/{ptyID}") { bridge, path, request in
            try await bridge.terminal(Call("GET", ["api", "pty", path["ptyID"]], query: bridge.location(request)))
        },
        BridgeRoute(.put, "/pty/{ptyID}") { bridge, path, request in
            guard let body = bridge.body(request) else { return Refusals.bad("Expected a JSON object.") }
            return try await bridge.terminal(
                Call("PUT", ["api", "pty", path["ptyID"]], query: bridge.location(request), body: .object(body)))
        },
        BridgeRoute(.delete, "/pty/{ptyID}") { bridge, path, request in
            _ = try await bridge.fetch(
                Call("DELETE", ["api", "pty", path["ptyID"]], query: bridge.location(request)))
            return yes
        },
        BridgeRoute(.post, "/pty/{ptyID}/connect-token") { bridge, path, request in
            try await bridge.terminal(
                Call(
                    "POST", ["api", "pty", path["ptyID"], "connect-token"], query: bridge.location(request),
                    fields: ["x-opencode-ticket": "1"]))
        },
    ]

    private func createTerminal(_ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request) else { return Refusals.bad("Expected a JSON object.") }
        if let folder = body["cwd"]?.text, !contains(FolderPath.absolute(folder, in: request.directory)) {
            let sentence =
                "cwd names a directory outside the project. Name a directory inside the project, or omit cwd."
            return Refusals.outside(sentence)
        }
        return try await terminal(Call("POST", ["api", "pty"], query: location(request), body: .object(body)))
    }

    private func terminal(_ call: Call) async throws(BridgeError) -> ClientAnswer {
        try await fetch(call).data.map { ClientAnswer($0) } ?? Refusals.strange
    }
}
