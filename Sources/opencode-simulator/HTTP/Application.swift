import TestKit

/// One of OpenCode's two HTTP APIs, as connections are served with it.
protocol Application: Sendable {
    /// Who is let in; nil lets in everybody.
    var credentials: Credentials? { get }
    var misbehaviour: MisbehaviourSwitch { get }
    /// The path of the question whether it is well.
    var healthPath: String { get }
    /// How long a connection may stay idle behind an answer.
    var idleLimit: Duration { get }
    /// Whether answers are compressed for clients that ask for it.
    var compresses: Bool { get }
    /// The fields of an event stream's head.
    var streamFields: [(String, String)] { get }

    func request(_ received: ReceivedRequest) -> Request
    /// What a request leads to.
    func outcome(of request: Request) -> Outcome
    /// The fields of an answer's head.
    func fields(of answer: Answer, to request: Request) -> [(String, String)]
    /// What the health question leads to by misbehaviour; nil when it is answered as usual.
    func outcome(of health: Misbehaviour.Health) -> Outcome?
    /// Speaks with the client of a terminal's WebSocket, whose handshake has not been answered.
    func serveTerminal(_ id: String, _ request: Request, _ connection: TestConnection) throws
    /// Every event stream that is open.
    var subscriptions: [EventSubscription] { get }
    /// It listens at this address now.
    func listens(at address: String)
}

extension Application {
    /// Ends every event stream without its last chunk.
    func cutStreams() {
        for subscription in subscriptions { subscription.leave() }
    }

    /// Waits until what was published before is written to every stream, but for one whose reader takes nothing: OpenCode has
    /// one thread, so an event is on its way before an answer that is made behind it.
    func waitUntilStreamsAreWritten() {
        for subscription in subscriptions { subscription.waitUntilWritten(within: .seconds(1)) }
    }
}

/// What a request leads to.
enum Outcome: Sendable {
    case answer(Answer)
    case events(EventFeed)
    /// Nothing: the connection stays open.
    case silence
    /// A terminal's WebSocket, by its id.
    case terminal(String)
}

/// An event stream that a request opens.
struct EventFeed: Sendable {
    /// What every such stream begins with, as it is written.
    let greeting: String
    /// The time between two heartbeats.
    let interval: Duration
    /// Whether the first heartbeat comes right behind the first event.
    var beatsAtOnce = false
    /// The fields of its head, where they are not those of every stream.
    var fields: [(String, String)]?
    let subscribe: @Sendable () -> EventSubscription
    let unsubscribe: @Sendable (EventSubscription) -> Void
    /// A heartbeat, as it is written.
    let heartbeat: @Sendable () -> String
}
