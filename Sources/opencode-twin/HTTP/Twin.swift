import TestKit

/// The server: what happens on one connection, from request to request.
struct Twin: Sendable {
    let profile: Profile
    let credentials: Credentials?
    let misbehaviour: MisbehaviourSwitch
    let heartbeat: Duration
    /// The time that turns take, in percent of the recorded one.
    let pace: Int
    /// The working directory, which counts where a request names none.
    let directory: String
    /// The user's home, for `/path`.
    let home: String
    let store: SessionStore
    let bus: EventBus

    var conversation: Conversation { Conversation(store: store, bus: bus, profile: profile) }

    /// What a request leads to.
    enum Outcome {
        case answer(Answer)
        /// An event stream: of one directory, or of all with nil.
        case events(directory: String?)
        /// Nothing: the connection stays open.
        case silence
        /// A terminal's WebSocket, by its id.
        case terminal(String)
    }

    /// Idle connections stay open for long; recorded is only that 40 s are not enough.
    static let idleLimit: Duration = .seconds(3600)
    /// A head of this size is refused, whatever in it is long.
    private static let headLimit = 16 * 1024

    /// Serves a connection until it ends.
    func serve(_ connection: TestConnection) throws {
        while let raw = try readHead(connection) {
            let received: ReceivedRequest
            do {
                received = try connection.readRequest(startingWith: raw, within: .seconds(600))
            } catch TestKitError.malformed {
                try connection.respond(400, "Bad Request", headers: [("Connection", "close")])
                try connection.finish(within: .seconds(5))
                return
            }
            let request = Request(received)
            switch try misbehave(request, connection) ?? outcome(of: request) {
            case .answer(let answer):
                // The switch itself never breaks.
                let isSwitch = request.segments.first == "twin"
                if try !isSwitch && breakOff(answer, request, connection) { return }
                try write(answer, to: connection, request)
            case .events(let directory):
                if try breakOff(stream: bus.greeting(directory: directory), request, connection) { return }
                try connection.writeHead(200, headers: AnswerHead.stream(profile))
                let stream = EventStream(
                    connection: connection, subscription: bus.subscribe(directory: directory), bus: bus,
                    heartbeat: heartbeat, misbehaviour: misbehaviour)
                return try stream.run()
            case .silence:
                _ = try connection.waitForEnd(within: Twin.idleLimit)
                return
            case .terminal(let id):
                return try serveTerminal(id, key: request.fields.first("Sec-WebSocket-Key") ?? "", connection)
            }
            if !received.head.keepsAlive { return }
        }
    }

    private func readHead(_ connection: TestConnection) throws -> [UInt8]? {
        do {
            return try connection.readThrough(
                "\r\n\r\n", within: Twin.idleLimit, waitingFor: "a request", maximum: Twin.headLimit)
        } catch TestKitError.malformed {
            try connection.respond(431, "Request Header Fields Too Large", headers: [("Connection", "close")])
            try connection.finish(within: .seconds(5))
            return nil
        }
    }

    private func write(_ answer: Answer, to connection: TestConnection, _ request: Request) throws {
        let isAskedToCompress = request.fields.first("Accept-Encoding")?.contains("gzip") == true
        let answer = profile.compresses && isAskedToCompress ? answer.compressed : answer
        let head = AnswerHead(profile: profile, answer: answer, origin: request.fields.first("Origin"))
        try connection.writeHead(answer.status, answer.reason, headers: head.fields)
        if answer.body.isEmpty { return }
        if answer.isChunked {
            try connection.writeChunk(answer.body, within: .seconds(600))
            try connection.writeLastChunk()
        } else {
            try connection.write(answer.body, within: .seconds(600))
        }
    }

    private func serveTerminal(_ id: String, key: String, _ connection: TestConnection) throws {
        try connection.writeHead(
            101, "Switching Protocols",
            headers: [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Accept", WebSocketFrame.accept(key: key)), ("Date", Clock.httpDate),
            ])
        try TerminalConnection(connection: connection, hasCursor: profile.terminalsHaveCursors) {
            _ = store.removeTerminal(id)
        }.run()
    }
}
