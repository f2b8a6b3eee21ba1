// SPDX-License-Identifier: Apache-2.0

import TestKit

/// One of OpenCode's two HTTP APIs, which serves connections.
protocol Application: Sendable {
    /// The required credentials; nil if everyone has access.
    var credentials: Credentials? { get }
    var misbehaviour: MisbehaviourSwitch { get }
    /// The path of the health check.
    var healthPath: String { get }
    /// The time that a connection may stay idle after a response.
    var idleLimit: Duration { get }
    /// Whether responses are compressed for clients that accept it.
    var compresses: Bool { get }
    /// The header fields of an event stream.
    var streamFields: [(String, String)] { get }

    func request(_ received: ReceivedRequest) -> Request
    /// Returns the outcome of a request.
    func outcome(of request: Request) -> RequestOutcome
    /// Returns the header fields of a response.
    func fields(of answer: SimulatedAnswer, to request: Request) -> [(String, String)]
    /// Returns the outcome of a health check under a misbehaviour; nil if it is served as usual.
    func outcome(of health: Misbehaviour.Health) -> RequestOutcome?
    /// Serves a client of a terminal's WebSocket, whose handshake has had no response yet.
    func serveTerminal(_ id: String, for request: Request, on connection: TestConnection) throws
    /// The open event streams of all clients.
    var subscriptions: [EventSubscription] { get }
    /// Informs the application that it listens at this address.
    func listens(at address: String)
}

extension Application {
    /// Ends every event stream without its last chunk.
    func cutStreams() {
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Waits until all earlier events are written to every stream, except streams whose reader is stuck. OpenCode has
    /// one thread, so it sends an event before any response that is produced later.
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
    /// The encoded beginning of every such stream.
    let greeting: String
    /// The time between two heartbeats.
    let interval: Duration
    /// Whether the first heartbeat immediately follows the first event.
    var beatsAtOnce = false
    /// The header fields, if they differ from the fields of every stream.
    var fields: [(String, String)]?
    let subscribe: @Sendable () -> EventSubscription
    let unsubscribe: @Sendable (EventSubscription) -> Void
    /// Returns an encoded heartbeat of the stream.
    let heartbeat: @Sendable () -> String
}
