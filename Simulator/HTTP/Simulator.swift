// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The simulated server of OpenCode 1. The extensions contain its routes.
struct Simulator: Application {
    let profile: Profile
    let credentials: Credentials?
    let misbehaviour: MisbehaviourSwitch
    let heartbeat: Duration
    /// The duration of turns, in percent of the recorded duration.
    let pace: Int
    /// The server's working directory, which is also the directory of requests that name no directory.
    let directory: String
    /// The user's home directory, for `/path`.
    let home: String
    let store: SessionStore
    let bus: EventBus

    var conversation: Conversation { Conversation(store: store, bus: bus, profile: profile) }

    var healthPath: String { "/global/health" }
    /// The idle limit is long, because the recordings show only that OpenCode does not close a connection within 40 s.
    var idleLimit: Duration { .seconds(3600) }
    var compresses: Bool { profile.compresses }
    var streamFields: [(String, String)] { AnswerHead.stream(profile) }

    func request(_ received: ReceivedRequest) -> Request { Request(received) }

    func fields(of answer: SimulatedAnswer, to request: Request) -> [(String, String)] {
        AnswerHead(profile: profile, answer: answer, origin: request.fields.first("Origin")).fields
    }

    func outcome(of health: Misbehaviour.Health) -> RequestOutcome? {
        switch health {
        case .serverError: .answer(.unexpected)
        case .unauthorized: .answer(.unauthorized)
        case .notFound: .answer(.empty(404, "Not Found"))
        case .page: .answer(.page(hasBody: true))
        case .hang: .silence
        case .unhealthy: .answer(.json(["healthy": false, "version": .string(profile.version)]))
        case .withoutPid: nil
        }
    }

    var subscriptions: [EventSubscription] { bus.subscriptions }

    func listens(at address: String) {}

    /// Returns the directory of a request, as the simulated version interprets it.
    func directory(of request: Request) -> String {
        let named = request.directory(default: directory)
        guard profile.resolvesDirectories else { return named }
        // Also make a missing path absolute, as path.resolve does.
        let segments = (named.hasPrefix("/") ? named : "\(directory)/\(named)").split(separator: "/")
        let absolute = segments.reduce(into: [Substring]()) { path, segment in
            switch segment {
            case ".": break
            case "..": _ = path.popLast()
            default: path.append(segment)
            }
        }
        let path = "/" + absolute.joined(separator: "/")
        return (try? FileTree.resolve(path)) ?? path
    }

    /// Returns the stream of one directory's events. If `directory` is nil, returns the stream of the wrapped events of
    /// all directories.
    func feed(directory: String?) -> EventFeed {
        let bus = bus
        return EventFeed(
            greeting: bus.greeting(directory: directory), interval: heartbeat,
            subscribe: { bus.subscribe(directory: directory) }, unsubscribe: { bus.unsubscribe($0) },
            heartbeat: { bus.heartbeat(directory: directory) })
    }

    func serveTerminal(_ id: String, for request: Request, on connection: TestConnection) throws {
        let key = request.fields.first("Sec-WebSocket-Key") ?? ""
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
