import TestKit

extension Twin2 {
    /// Terminals and their sockets.
    static let terminalRoutes: [Route] = [
        Route("GET", "/api/pty") { twin, call in
            try twin.answer(call) { .array(twin.terminals.list($0).map(\.json)) }
        },
        Route("POST", "/api/pty") { twin, call in
            let body = try call.object()
            return try twin.answer(call) { twin.createTerminal(body, in: $0).json }
        },
        Route("GET", "/api/pty/{ptyID}", .documented) { twin, call in
            try twin.answer(call) { _ in try twin.terminal(call).json }
        },
        Route("PUT", "/api/pty/{ptyID}") { twin, call in
            let body = try call.object()
            return try twin.answer(call) { _ in
                let title = body["title"]?.text
                let changed = twin.terminals.update(try twin.terminal(call).id) { $0.title = title ?? $0.title }
                return try changed?.json ?? twin.terminal(call).json
            }
        },
        Route("DELETE", "/api/pty/{ptyID}") { twin, call in
            _ = twin.terminals.remove(try twin.terminal(call).id)
            return .done
        },
        Route("POST", "/api/pty/{ptyID}/connect-token") { twin, call in
            guard call.request.fields.first("x-opencode-ticket") == "1", call.request.isFromHere else {
                throw Refusal.forbidden("Invalid PTY connect token request")
            }
            return try twin.answer(call) { _ in
                let ticket = twin.terminals.makeTicket(for: try twin.terminal(call).id)
                return ["ticket": .string(ticket), "expires_in": .integer(Terminals2.ticketSeconds)]
            }
        },
        Route("GET", "/api/pty/{ptyID}/connect") { twin, call in
            guard call.request.fields.first("Upgrade")?.lowercased() == "websocket" else {
                throw Refusal(.blank(400, "Bad Request"))
            }
            return .terminal(try twin.terminal(call).id)
        },
        // Those that outlive their server, of which the twin has none.
        Route("GET", "/api/experimental/session/{sessionID}/terminal", .documented) { twin, call in
            _ = try twin.session(call)
            return .data([])
        },
    ]

    /// Whether a request opens a terminal with a ticket, which then has been used up: no password is needed.
    func admits(_ request: Request) -> Bool {
        guard request.segments.count == 4, request.segments.starts(with: ["api", "pty"]),
            request.segments[3] == "connect", let ticket = request.query["ticket"]
        else { return false }
        return terminals.redeem(ticket, for: request.segments[2])
    }

    func serveTerminal(_ id: String, _ request: Request, _ connection: TestConnection) throws {
        let key = request.fields.first("Sec-WebSocket-Key") ?? ""
        try connection.writeHead(
            101, "Switching Protocols",
            headers: [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Accept", WebSocketFrame.accept(key: key)), ("Date", Clock.httpDate),
            ])
        let terminals = terminals
        try TerminalConnection(connection: connection, hasCursor: true) {
            terminals.update(id) { $0.exitCode = 0 }
        }.run()
    }

    private func createTerminal(_ body: JSON, in directory: String) -> Terminals2.Terminal {
        let id = Identifier.make("pty")
        // A shell without arguments becomes a log-in shell.
        let arguments = body["args"]?.elements ?? []
        let terminal = Terminals2.Terminal(
            id: id, directory: directory, title: body["title"]?.text ?? "Terminal \(id.suffix(4))",
            command: body["command"]?.text ?? "/bin/sh", arguments: arguments.isEmpty ? ["-l"] : arguments,
            workingDirectory: body["cwd"]?.text ?? directory)
        terminals.add(terminal)
        return terminal
    }

    private func terminal(_ call: Call) throws(Refusal) -> Terminals2.Terminal {
        if let terminal = terminals[call["ptyID"]] { return terminal }
        throw Refusal(
            .error(
                404, "Not Found", "PtyNotFoundError",
                [
                    ("ptyID", .string(call["ptyID"])),
                    ("message", .string("PTY session not found: \(call["ptyID"])")),
                ]))
    }
}

extension Request {
    /// Whether no web page sent it, or one that this machine serves.
    var isFromHere: Bool {
        guard let origin = fields.first("Origin") else { return true }
        return ["http://localhost:", "http://127.0.0.1:"].contains { origin.hasPrefix($0) }
    }
}
