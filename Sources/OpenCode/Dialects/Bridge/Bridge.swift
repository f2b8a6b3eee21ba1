// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText

/// Translates requests for OpenCode 1's routes into calls to an OpenCode 2 instance. The bridge selects the calls and
/// their order, and interprets the replies. Calls and responses pass through a ``BridgeTransport``, so that the bridge
/// does not use sockets.
package struct Bridge: Sendable {
    let defaults: InstanceDefaults
    /// The home directory of the user who runs OpenCode.
    let home: String
    /// OpenCode's working directory, if it is known.
    let directory: String?
    /// Returns the current time in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// Whether an absolute path is inside the project.
    let contains: @Sendable (String) -> Bool
    /// The connections of the request that the bridge handles.
    let transport: any BridgeTransport

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - home: The home directory of the user who runs OpenCode.
    ///   - directory: OpenCode's working directory.
    ///   - contains: Returns whether an absolute path is inside the project. The bridge reports sessions outside the
    ///     project as not found, and rejects other paths outside the project.
    ///   - now: Returns the current time in milliseconds since 1970.
    ///   - transport: The connections of the request that the bridge handles.
    package init(
        _ defaults: InstanceDefaults, home: String, directory: String? = nil,
        contains: @escaping @Sendable (String) -> Bool = { _ in true },
        now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }, transport: any BridgeTransport
    ) {
        self.defaults = defaults
        self.home = home
        self.directory = directory
        self.contains = contains
        self.now = now
        self.transport = transport
    }

    /// The kind of an OpenCode 1 route.
    package enum RouteKind: Sendable {
        /// The bridge handles the request, even if the route has no counterpart in OpenCode 2.
        case request
        /// The event hub responds with a translated stream.
        case eventStream
        /// The instance serves the terminal's WebSocket, which has another path in OpenCode 2.
        case terminal
    }

    /// Returns the kind of the OpenCode 1 route that a request matches. Returns nil if no route matches; the request
    /// then belongs to OpenCode 2's API.
    package static func routeKind(_ method: String, _ path: [String]) -> RouteKind? {
        guard let match = OpenCode1Routes.find(method, path) else { return nil }
        return switch match.bridged?.handling {
        case .bridge, nil: .request
        case .eventStream: .eventStream
        case .terminal: .terminal
        }
    }

    /// Handles a request. Returns nil if the request matches no OpenCode 1 route. Other components handle the event
    /// streams and a terminal's WebSocket.
    ///
    /// - Throws: ``BridgeError/ended`` if the client has disconnected or the instance has stopped.
    package func respond(to request: ClientRequest) async throws(BridgeError) -> BridgeResponse? {
        guard let match = OpenCode1Routes.find(request.method, request.path) else { return nil }
        guard let bridged = match.bridged, case .bridge(let handler) = bridged.handling else {
            return .answer(Refusals.notTranslated(UntranslatedRoutes.message(for: match.route)))
        }
        let request = Self.parsed(request, match.route)
        if let refusal = Self.refusal(request, bridged) { return .answer(refusal) }
        do {
            return try await handler(self, match.values, request)
        } catch BridgeError.answer(let answer) {
            return .answer(answer)
        } catch {
            throw .ended
        }
    }

    /// Parses the body if the route has one, so that later steps do not parse it again.
    private static func parsed(_ request: ClientRequest, _ route: OpenCode1Route) -> ClientRequest {
        guard BodySchema.of(route) != nil, !request.bodyBytes.isEmpty else { return request }
        var request = request
        request.parseBody()
        return request
    }

    /// Returns the error for a body that OpenCode 1's document does not allow; nil if the body is allowed.
    private static func refusal(_ request: ClientRequest, _ bridged: BridgeRoute) -> ClientAnswer? {
        guard let json = request.json else { return nil }
        return BodySchema.of(bridged.route)?.mismatch(json).map(bridged.invalidBody)
    }

    // MARK: Common steps

    /// Sends a call and returns the reply with any status.
    func send(_ call: Call) async throws(BridgeError) -> Reply { try await transport.send(call) }

    /// Sends a call, and returns the reply if it is successful. Throws OpenCode 1's error response for any other reply.
    func fetch(_ call: Call) async throws(BridgeError) -> Reply {
        let reply = try await send(call)
        guard reply.isGood else { throw .answer(try await error(for: reply, to: call)) }
        return reply
    }

    /// Returns the response to the client after an unsuccessful reply from OpenCode 2. An empty reply with status 500
    /// may mean that the directory does not exist. In that case, the response has status 404.
    ///
    /// - Parameter otherwise: The response for any other cause of an empty reply.
    func error(for reply: Reply, to call: Call, otherwise: ClientAnswer? = nil) async throws(BridgeError)
        -> ClientAnswer
    {
        guard reply.status == 500, reply.body.isEmpty else { return Refusals.of(reply) }
        let answer = otherwise ?? Refusals.of(reply)
        guard let named = call.directory, named != directory else { return answer }
        let location = try await send(Call("GET", ["api", "location"], query: [(Self.location, named)]))
        guard location.status == 500 else { return answer }
        return Refusals.notFound("OpenCode cannot open the directory \(named). Name a directory that exists.")
    }

    /// Requests a session of the project. Throws the response for a missing session if the session belongs to another
    /// project.
    @discardableResult
    func session(_ id: String) async throws(BridgeError) -> Session {
        let session = try session(in: await fetch(Call("GET", ["api", "session", id])))
        guard contains(session.directory) else { throw .answer(Refusals.notFound("Session not found: \(id)")) }
        return session
    }

    /// Returns the session in a reply.
    func session(in reply: Reply) throws(BridgeError) -> Session {
        guard let session = reply.data.flatMap({ Session(openCode2: $0, defaults) }) else {
            throw .answer(Refusals.strange)
        }
        return session
    }

    /// Responds with the current state of a session.
    func answer(session id: String) async throws(BridgeError) -> ClientAnswer {
        ClientAnswer(try await session(id).json)
    }

    /// The response `true`, with which many routes confirm a change.
    static let yes = ClientAnswer(true)

    /// Returns the object in the body, or an empty object for an empty body; nil for any other body.
    func body(_ request: ClientRequest) -> JSONObject? {
        if let json = request.json { return json.object }
        let bytes = request.bodyBytes
        return bytes.isEmpty ? JSONObject() : JSONParser.parse(bytes)?.object
    }

    /// Returns the query parameters that name the directory of a call.
    func location(_ request: ClientRequest) -> [(String, String?)] { [(Self.location, request.directory)] }

    /// The name of the query parameter for the directory.
    static let location = "location[directory]"
}
