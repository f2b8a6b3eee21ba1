// SPDX-License-Identifier: Apache-2.0

extension FakeOpenCode {
    /// A started fake OpenCode server, and the requests that it has received.
    package final class Server: Sendable {
        /// A request, and the gateway's port on the connection of the request.
        package struct Carried: Sendable, Equatable {
            package let target: String
            package let port: UInt16
        }

        private let behaviour: Behaviour
        package let server: TestServer

        package var family: Family { behaviour.plan.family }
        package var port: UInt16 { server.port }
        /// The heads of all requests in the order of their arrival, except health checks, queries that the server
        /// handles itself, and event streams.
        package var requests: Recorded<ReceivedRequestHead> { behaviour.requests }
        /// The targets of the requests in `requests` that the gateway sent on its own. Such requests have no `Via`.
        package var queries: Recorded<String> { behaviour.queries }
        /// The heads of the requests in `requests` that the gateway forwarded.
        package var forwarded: Recorded<ReceivedRequestHead> { behaviour.forwarded }
        /// The requests in `requests`, with the ports of their connections.
        package var carried: Recorded<Carried> { behaviour.carried }
        /// The requests, with their bodies, that were served by the script or by the default handler.
        package var bodies: Recorded<ReceivedRequest> { behaviour.bodies }
        /// The ports of the connections that the script has ended.
        package var ended: Recorded<UInt16> { behaviour.ended }
        /// The streams of all events.
        package var events: EventStreams { behaviour.plan.eventStreams }
        /// The streams of one directory's events.
        package var directoryEvents: EventStreams { behaviour.plan.directoryEventStreams }

        init(_ plan: FakeOpenCode, _ handler: Handler?) throws {
            let behaviour = Behaviour(plan, handler)
            self.behaviour = behaviour
            server = try TestServer { try behaviour.serve($0) }
        }

        /// Adds a route that takes precedence over the others.
        package func route(_ pattern: String, _ handler: @escaping Handler) {
            behaviour.routes.withLock { $0.append(Route(pattern, handler)) }
        }

        /// Adds a route that responds with this JSON.
        package func route(_ pattern: String, _ json: String) {
            route(pattern) { connection, head in
                _ = try connection.readBody(of: head)
                try connection.respond(json: json)
            }
        }
    }

    /// Serves connections, and records their requests.
    private final class Behaviour: Sendable {
        let plan: FakeOpenCode
        let handler: Handler?
        let routes: Monitor<[Route]>
        let script: Monitor<[[Step]]>
        let requests = Recorded<ReceivedRequestHead>("a request to the instance")
        let queries = Recorded<String>("a query of the gateway's own")
        let forwarded = Recorded<ReceivedRequestHead>("a client's request")
        let carried = Recorded<Server.Carried>("a request to the instance")
        let bodies = Recorded<ReceivedRequest>("a request's body")
        let ended = Recorded<UInt16>("a connection that the instance has ended")

        init(_ plan: FakeOpenCode, _ handler: Handler?) {
            self.plan = plan
            self.handler = handler
            routes = Monitor(plan.routes)
            script = Monitor(plan.script)
        }

        func serve(_ connection: TestConnection) throws {
            while let head = try connection.readRequestHead(within: .seconds(60)) {
                try serve(head, on: connection)
                if connection.isClosed { return }
            }
        }

        private func serve(_ head: ReceivedRequestHead, on connection: TestConnection) throws {
            if let interceptor = plan.interceptor, try interceptor(connection, head) { return }
            if let health = plan.family.health(head.path) {
                if plan.requiresPassword, head.values(of: "Authorization").isEmpty {
                    return try connection.respond(
                        401, headers: [("WWW-Authenticate", #"Basic realm="Secure Area""#)], text: "")
                }
                return try connection.respond(health == nil ? 404 : 200, json: health ?? "")
            }
            let isQuery = head.values(of: "Via").isEmpty
            if isQuery, let answer = plan.queries[head.path] { return try connection.respond(json: answer) }
            if let streams = plan.streams[head.path] { return try streams.serve(connection, head) }
            requests.append(head)
            if isQuery { queries.append(head.target) } else { forwarded.append(head) }
            carried.append(Server.Carried(target: head.target, port: connection.peerPort))
            if let route = routes.withLock({ $0.last { $0.matches(head) } }) {
                return try route.handler(connection, head)
            }
            if let steps = script.withLock({ $0.isEmpty ? plan.later : $0.removeFirst() }) {
                return try run(steps, for: head, on: connection)
            }
            if let handler { return try handler(connection, head) }
            try run([.respond(head.target)], for: head, on: connection)
        }

        private func run(_ steps: [Step], for head: ReceivedRequestHead, on connection: TestConnection) throws {
            bodies.append(try connection.readBody(of: head))
            for step in steps {
                switch step {
                case .respond(let text): try connection.respond(200, text: head.method == "HEAD" ? "" : text)
                case .write(let bytes): try connection.write(bytes)
                case .close:
                    connection.close()
                    ended.append(connection.peerPort)
                case .reset:
                    connection.reset()
                    ended.append(connection.peerPort)
                }
            }
        }
    }
}
