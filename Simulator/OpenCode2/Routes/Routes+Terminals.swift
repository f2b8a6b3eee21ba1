// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Simulator2 {
    /// The routes for terminals and their sockets.
    static let terminalRoutes: [Route] = [
        Route("GET", "/api/pty") { simulator, call in
            try simulator.answer(call) { .array(simulator.terminals.list($0).map(\.json)) }
        },
        Route("POST", "/api/pty") { simulator, call in
            let body = try call.object()
            return try simulator.answer(call) { simulator.createTerminal(body, in: $0).json }
        },
        Route("GET", "/api/pty/{ptyID}", basis: .documented) { simulator, call in
            try simulator.answer(call) { _ in try simulator.terminal(call).json }
        },
        Route("PUT", "/api/pty/{ptyID}") { simulator, call in
            let body = try call.object()
            return try simulator.answer(call) { _ in
                let title = body["title"]?.text
                let changed = simulator.terminals.update(try simulator.terminal(call).id) {
                    $0.title = title ?? $0.title
                }
                return try changed?.json ?? simulator.terminal(call).json
            }
        },
        Route("DELETE", "/api/pty/{ptyID}") { simulator, call in
            _ = simulator.terminals.remove(try simulator.terminal(call).id)
            return .done
        },
        Route("POST", "/api/pty/{ptyID}/connect-token") { simulator, call in
            guard call.request.fields.first("x-opencode-ticket") == "1", call.request.isFromHere else {
                throw RequestError.forbidden("Invalid PTY connect token request")
            }
            return try simulator.answer(call) { _ in
                let ticket = simulator.terminals.makeTicket(for: try simulator.terminal(call).id)
                return ["ticket": .string(ticket), "expires_in": .integer(Terminals2.ticketSeconds)]
            }
        },
        Route("GET", "/api/pty/{ptyID}/connect") { simulator, call in
            guard call.request.fields.first("Upgrade")?.lowercased() == "websocket" else {
                throw RequestError(.blank(400, "Bad Request"))
            }
            return .terminal(try simulator.terminal(call).id)
        },
        // The list of terminals that outlive their server is empty, because the simulator has no such terminals.
        Route("GET", "/api/experimental/session/{sessionID}/terminal", basis: .documented) { simulator, call in
            _ = try simulator.session(call)
            return .data([])
        },
    ]

    /// Returns whether a request connects to a terminal with a valid ticket, and invalidates the ticket. Such a request
    /// needs no password.
    func admits(_ request: Request) -> Bool {
        guard request.segments.count == 4, request.segments.starts(with: ["api", "pty"]),
            request.segments[3] == "connect", let ticket = request.query["ticket"]
        else { return false }
        return terminals.redeem(ticket, for: request.segments[2])
    }

    func serveTerminal(_ id: String, for request: Request, on connection: TestConnection) throws {
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
        // A shell without arguments becomes a login shell, so its arguments are `-l`.
        let arguments = body["args"]?.elements ?? []
        let terminal = Terminals2.Terminal(
            id: id, directory: directory, title: body["title"]?.text ?? "Terminal \(id.suffix(4))",
            command: body["command"]?.text ?? "/bin/sh", arguments: arguments.isEmpty ? ["-l"] : arguments,
            workingDirectory: body["cwd"]?.text ?? directory)
        terminals.add(terminal)
        return terminal
    }

    private func terminal(_ call: Call) throws(RequestError) -> Terminals2.Terminal {
        if let terminal = terminals[call["ptyID"]] { return terminal }
        throw RequestError(
            .error(
                404, "Not Found", tag: "PtyNotFoundError",
                members: [
                    ("ptyID", .string(call["ptyID"])),
                    ("message", .string("PTY session not found: \(call["ptyID"])")),
                ]))
    }
}

extension Request {
    /// Whether the request has no origin, or the origin of a page that this machine serves.
    var isFromHere: Bool {
        guard let origin = fields.first("Origin") else { return true }
        return ["http://localhost:", "http://127.0.0.1:"].contains { origin.hasPrefix($0) }
    }
}
