// SPDX-License-Identifier: Apache-2.0

import TestKit

/// One of OpenCode's two HTTP APIs, which serves connections.
protocol Application: Sendable {
    /// The required credentials; nil if requests need no credentials.
    var credentials: Credentials? { get }
    var misbehaviour: MisbehaviourSwitch { get }
    /// The path of the health check.
    var healthPath: String { get }
    /// The time that a connection may stay idle after a response.
    var idleLimit: Duration { get }
    /// Whether responses are compressed for clients that accept compression.
    var compresses: Bool { get }
    /// The header fields of an event stream.
    var streamFields: [(String, String)] { get }

    func request(_ received: ReceivedRequest) -> Request
    /// Returns the outcome of a request.
    func outcome(of request: Request) -> RequestOutcome
    /// Returns the header fields of a response.
    func fields(of answer: SimulatedAnswer, to request: Request) -> [(String, String)]
    /// Returns the outcome of a health check with this misbehaviour; nil if the health check is served as usual.
    func outcome(of health: Misbehaviour.Health) -> RequestOutcome?
    /// Serves a terminal's WebSocket. Begins with the response to the handshake.
    func serveTerminal(_ id: String, for request: Request, on connection: TestConnection) throws
    /// The open event streams of all clients.
    var subscriptions: [EventSubscription] { get }
    /// Informs the application that its server listens at this address.
    func listens(at address: String)
}

extension Application {
    /// Ends every event stream without the last chunk.
    func cutStreams() {
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Waits until all earlier events have been written to every stream, except to streams whose reader is stuck.
    /// OpenCode has one thread, so it sends an event before every response that it creates later.
    func waitUntilStreamsAreWritten() {
        for subscription in subscriptions { subscription.waitUntilWritten(within: .seconds(1)) }
    }
}

/// The outcome of a request.
enum RequestOutcome: Sendable {
    case answer(SimulatedAnswer)
    case events(EventFeed)
    /// No response. The connection stays open.
    case silence
    /// A terminal's WebSocket, by id.
    case terminal(String)
}

/// An event stream that a request opens.
struct EventFeed: Sendable {
    /// The encoded first event of the stream.
    let greeting: String
    /// The time between two heartbeats.
    let interval: Duration
    /// Whether the first heartbeat immediately follows the first event.
    var beatsAtOnce = false
    /// The header fields; nil if the stream has the usual fields.
    var fields: [(String, String)]?
    let subscribe: @Sendable () -> EventSubscription
    let unsubscribe: @Sendable (EventSubscription) -> Void
    /// Returns an encoded heartbeat of the stream.
    let heartbeat: @Sendable () -> String
}
