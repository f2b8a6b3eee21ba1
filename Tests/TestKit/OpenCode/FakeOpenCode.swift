// SPDX-License-Identifier: Apache-2.0

/// A server in the test's process that the gateway treats as an OpenCode server.
///
///     let instance = try FakeOpenCode(.two())
///         .route("GET /api/session/active", #"{"data":{}}"#)
///         .events()
///         .start()
///
/// The server responds to health checks and to the gateway's own queries about its setup. The most recently added route
/// that matches a request serves it. Without such a route, the script serves the request. After the script, the closure
/// that was passed to `start` serves it and controls each byte of the connection. Without a closure, the response to a
/// request is the request's target.
package struct FakeOpenCode: Sendable {
    /// Serves one request. The connection is used for the next request unless the handler closes it or throws an error.
    package typealias Handler = @Sendable (_ connection: TestConnection, _ head: ReceivedRequestHead) throws -> Void

    /// The version of the API, which determines the announcement and the path of the health check.
    package enum Family: Sendable {
        case one(version: String = "fake")
        /// OpenCode 2. `health` returns the body of the health response for a path; nil means 404.
        case two(health: @Sendable (_ path: String) -> String? = { $0 == "/api/info" ? #"{"version":"2.fake"}"# : nil })

        /// The words of the announcement before the URL.
        package var words: String {
            switch self {
            case .one: "opencode server listening on"
            case .two: "server listening on"
            }
        }

        /// Returns the body of a health response. The inner nil means 404, and the outer nil for a path that is not a
        /// health check.
        func health(_ path: String) -> String?? {
            switch self {
            case .one(let version):
                path == "/global/health" ? #"{"healthy":true,"version":"\#(version)"}"# : nil
            case .two(let health): ["/api/info", "/api/health"].contains(path) ? .some(health(path)) : nil
            }
        }
    }

    /// An action of a scripted response.
    package enum Step: Sendable {
        /// Sends a whole response with this text. The response to a HEAD request has no body.
        case respond(String)
        /// Sends the UTF-8 bytes of the text without adding a head.
        case write(String)
        /// Ends the connection with FIN.
        case close
        /// Ends the connection with RST.
        case reset
    }

    let family: Family
    var requiresPassword = false
    var queries = [
        "/path": "{}", "/config": "{}", "/config/providers": #"{"providers":[{"models":{"fake":{}}}]}"#,
        "/api/config": "[]", "/api/model": #"{"data":[{}]}"#,
        "/api/experimental/migration/v1": #"{"status":"completed"}"#,
    ]
    var interceptor: (@Sendable (_ connection: TestConnection, _ head: ReceivedRequestHead) throws -> Bool)?
    var routes: [Route] = []
    var script: [[Step]] = []
    /// The steps for each request after the requests that the script serves.
    var later: [Step]?
    /// The event streams by their paths.
    var streams: [String: EventStreams] = [:]
    var eventStreams = EventStreams(first: EventStreams.connected)
    var directoryEventStreams = EventStreams(first: EventStreams.connectedHere)

    package init(_ family: Family = .one()) { self.family = family }

    /// Creates an OpenCode 1 instance that reports this version.
    package init(version: String) { self.init(.one(version: version)) }

    /// Rejects a health check without credentials, as OpenCode does.
    package func requiringPassword() -> Self {
        with { $0.requiresPassword = true }
    }

    /// Sets the response to the gateway's own query for a path. If it is nil, the query is served like any other
    /// request. A client's request for the same path is distinguished by its `Via`.
    package func query(_ path: String, _ json: String?) -> Self {
        with { $0.queries[path] = json }
    }

    /// Serves all of the gateway's own queries like any other request.
    package func withoutQueries() -> Self {
        with { $0.queries = [:] }
    }

    /// Passes each request to the closure first, including health checks and queries. The closure returns whether it
    /// has served the request.
    package func intercept(
        _ interceptor: @escaping @Sendable (_ connection: TestConnection, _ head: ReceivedRequestHead) throws -> Bool
    ) -> Self {
        with { $0.interceptor = interceptor }
    }

    /// Responds to requests such as `GET /session` with this JSON. In the pattern, `*` matches one segment of the path.
    /// A pattern without a method applies to all methods.
    package func route(_ pattern: String, status: Int = 200, _ json: String = "") -> Self {
        route(pattern) { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(status, json: json)
        }
    }

    /// Responds to requests with these bytes, which include the head.
    package func route(_ pattern: String, bytes: String) -> Self {
        route(pattern) { connection, head in
            _ = try connection.readBody(of: head)
            try connection.write(bytes)
        }
    }

    /// Serves requests with the closure, which controls each byte of the response.
    package func route(_ pattern: String, _ handler: @escaping Handler) -> Self {
        with { $0.routes.append(Route(pattern, handler)) }
    }

    /// Accepts WebSocket upgrades with the sample key of RFC 6455, and passes the connection to the closure. `early` is
    /// sent directly after the head of the response.
    package func webSocket(
        _ pattern: String, early: String = "",
        _ handler: @escaping @Sendable (TestConnection) throws -> Void = { try $0.waitForEnd(within: .seconds(60)) }
    ) -> Self {
        let route = Route(pattern, isUpgrade: true) { connection, _ in
            try connection.acceptWebSocket(early: early)
            try handler(connection)
        }
        return with { $0.routes.append(route) }
    }

    /// Responds to successive requests with the given responses. Each response consists of steps. The body of a request
    /// is read before its response is sent. Later requests are served with the steps of `later`, or as if there were no
    /// script.
    package func script(_ answers: [[Step]], later: [Step]? = nil) -> Self {
        with {
            $0.script = answers
            $0.later = later
        }
    }

    /// Serves the event streams of the family. These are ``Server/events`` and, for a single directory of an OpenCode 1
    /// server, ``Server/directoryEvents``.
    package func events() -> Self {
        switch family {
        case .one:
            with {
                $0.streams["/global/event"] = $0.eventStreams
                $0.streams["/event"] = $0.directoryEventStreams
            }
        case .two: events(EventStreams(first: EventStreams.connected2), at: ["/api/event"])
        }
    }

    /// Serves these event streams at the paths.
    package func events(_ streams: EventStreams, at paths: [String]) -> Self {
        with {
            $0.eventStreams = streams
            for path in paths { $0.streams[path] = streams }
        }
    }

    /// Starts the server. The closure serves the requests that neither a route nor the script serves.
    package func start(_ handler: Handler? = nil) throws -> Server { try Server(self, handler) }

    /// Starts a server that reads the body of each request and responds with `text`.
    package static func answering(_ text: String = "answered") throws -> Server {
        try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: text)
        }
    }

    /// Starts a server whose response to each request is the size of the request's body in bytes.
    package static func countingBodies() throws -> Server {
        try FakeOpenCode().start { connection, head in
            let request = try connection.readBody(of: head)
            try connection.respond(200, text: "\(request.body.count)")
        }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// A pattern of requests, and the closure that serves them.
    struct Route: Sendable {
        private let method: Substring?
        private let segments: [Substring]
        private let isUpgrade: Bool
        let handler: Handler

        init(_ pattern: String, isUpgrade: Bool = false, _ handler: @escaping Handler) {
            let words = pattern.split(separator: " ")
            method = words.count > 1 ? words.first : nil
            segments = (words.last ?? "").split(separator: "/", omittingEmptySubsequences: false)
            self.isUpgrade = isUpgrade
            self.handler = handler
        }

        func matches(_ head: ReceivedRequestHead) -> Bool {
            if let method, method != head.method { return false }
            if isUpgrade, head.values(of: "Upgrade").isEmpty { return false }
            let path = head.path.split(separator: "/", omittingEmptySubsequences: false)
            return path.count == segments.count && zip(segments, path).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }
}

extension TestConnection {
    /// Sends a whole response with this JSON.
    package func respond(_ status: Int = 200, json: String) throws {
        try respond(status, headers: [("Content-Type", "application/json")], text: json)
    }

    /// The fields of a WebSocket upgrade with the sample key of RFC 6455 §1.3.
    package static let webSocketUpgrade = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    /// Accepts an upgrade that was requested with ``webSocketUpgrade``.
    package func acceptWebSocket(early: String = "") throws {
        try write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\(early)")
    }
}
