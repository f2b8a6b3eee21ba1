// SPDX-License-Identifier: Apache-2.0

import Access
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import Logging
import OpenCode
internal import Projects

/// The components of a loop.
struct LoopSetUp: Sendable {
    /// The loop's number, from 0, which is the first part of its request ids.
    var index: Int
    var policy: Policy
    var endpoints: EndpointTable
    var control: any ProjectControl
    var log: Logger
    /// The tries with wrong keys, shared by all loops.
    var failedTries: FailedTries
    var hub: HubThreads?
    /// The threads that translate for clients of OpenCode 1, shared by all loops.
    var bridge: BridgeThreads?
    /// Listeners in addition to the gateway's own.
    var entrances: [OpenListener] = []
    /// The handler of chat sockets; nil disables chats.
    var chat: ChatSetUp?
    /// Whether the endpoints of conversations are served.
    var hasConversations = false
}

/// One loop of the data plane: the HTTP server, the client for instances, and the snapshot that requests read.
///
/// Confined to its thread; other threads access it only through its mailbox.
final class GatewayLoop {
    let loop: EventLoop
    let client: UpstreamClient
    let endpoints: EndpointTable
    var progress = ProgressCounts()
    var counts = RequestCounts()
    private(set) lazy var knowledge = LoopSessionIndex(self)
    private(set) lazy var refusals = RefusalLog(self)
    let index: Int
    let control: any ProjectControl
    let log: Logger
    let failedTries: FailedTries
    let entrances: [OpenListener]
    /// The settings of chats; ``chats`` contains the sockets by number.
    let chat: ChatSetUp?
    let hasConversations: Bool
    var chats: [Int: ChatSocket] = [:]
    var chatCount = 0
    /// The hub's mailbox; nil if every event stream is forwarded. ``events`` is this loop's part of the hub.
    let hub: Mailbox<HubMessage>?
    private(set) var events: LoopEvents?
    /// This loop's part of the bridge.
    private(set) var bridge: LoopBridge?
    private(set) var server: Server?
    private(set) var snapshot: Snapshot
    private(set) var mailbox: Mailbox<LoopMessage>?
    private var peers: [Mailbox<LoopMessage>] = []
    private(set) var calls: [Int: ControlCall] = [:]
    private var callCount = 0
    private(set) var streams: [ObjectIdentifier: any OpenStream] = [:]
    /// Exchanges that are held back, or whose instance ended the connection before a stop initiator is known.
    var undecided: [ObjectIdentifier: ProxyExchange] = [:]
    /// The wait for running requests while the gateway shuts down.
    var drain: Drain?
    /// Listeners that do not accept clients yet.
    var held: [(Listener, entrance: UInt8)] = []

    init(_ setUp: LoopSetUp) throws {
        loop = try EventLoop()
        client = UpstreamClient(loop: loop)
        index = setUp.index
        endpoints = setUp.endpoints
        control = setUp.control
        log = setUp.log
        failedTries = setUp.failedTries
        entrances = setUp.entrances
        chat = setUp.chat
        hasConversations = setUp.hasConversations
        hub = setUp.hub?.mailbox
        snapshot = Snapshot(policy: setUp.policy, routes: .empty)
        client.peerLoss = setUp.policy.limits.peerLoss
        events = setUp.hub.map { LoopEvents(self, reader: $0.reader, turnEnds: $0.turnEnds) }
        bridge = setUp.bridge.map { LoopBridge(self, $0) }
        server = try Server(loop: loop, limits: setUp.policy.limits.server, handler: self)
    }

    /// Opens the mailbox for other threads. The loop must stay alive while the mailbox is used.
    func openMailbox() throws -> Mailbox<LoopMessage> {
        let mailbox = try loop.mailbox { [unowned self] (message: LoopMessage) in self.receive(message) }
        self.mailbox = mailbox
        return mailbox
    }

    /// Runs on the calling thread until ``LoopMessage/stop``.
    func run() throws {
        let lostPeers = LostPeerWatch(self)
        try withExtendedLifetime(lostPeers) { try loop.run() }
        for stream in streams.values { stream.breakOff() }
        letGo()
    }

    /// Closes everything and releases all handlers. Also needed for a loop that will not run.
    func letGo() {
        client.stop()
        server?.stop()
        refusals.report()
        server = nil
        loop.letGo()
    }

    /// Sets the policy for future requests. Operations whose key it does not contain are aborted.
    func follow(_ policy: Policy) -> RevocationCounts {
        let revokes = snapshot.policy.keys.hasKey(missingIn: policy.keys)
        snapshot = Snapshot(policy: policy, routes: snapshot.routes)
        server?.follow(policy.limits.server)
        client.peerLoss = policy.limits.peerLoss
        return revokes ? abortRevoked(under: policy.keys) : RevocationCounts()
    }

    private func receive(_ message: LoopMessage) {
        switch message {
        case .peers(let peers): self.peers = peers
        case .routes(let routes):
            snapshot = Snapshot(policy: snapshot.policy, routes: routes)
            progress.makeRoom(for: routes)
            endRequestsOfEndedInstances()
            knowledge.follow(routes)
            events?.routesChanged()
        case .policy(let policy, let report): report.add(follow(policy))
        case .call(let number, let message):
            if let call = calls[number] { call.receive(message) } else { message.reject() }
        case .knowledge(let message): knowledge.receive(message)
        case .events(let news): events?.receive(news)
        case .marked(let number, let place): events?.marked(number, place)
        case .reading(let reading): events?.receive(reading)
        case .bridge(let message): bridge?.receive(message)
        case .chat(let number, let message): if let socket = chats[number] { message(socket) }
        case .chats(let numbers, let frames):
            for socket in numbers.lazy.compactMap({ self.chats[$0] }) { for frame in frames { socket.send(frame) } }
        case .request(let body): body(self)
        case .stop: loop.stop()
        }
    }

    // MARK: Other loops

    /// Sends a message to every loop, including this one.
    func postToAll(_ message: LoopMessage) {
        for peer in peers { peer.post(message) }
    }

    /// Waits until an OpenCode 1 has opened the project's folder. The first loop asks it for all loops, so that it is
    /// asked once in each run. `proceed` is called once, later.
    func awaitFolder(_ endpoint: InstanceEndpoint, proceed: @escaping () -> Void) {
        knowledge.awaitFolder(endpoint, proceed: proceed) { [unowned self] in
            guard let first = peers.first else { return knowledge.openFolder(endpoint) }
            first.post(.request { $0.knowledge.openFolder(endpoint) })
        }
    }

    // MARK: Streams

    /// Registers a stream, which is aborted when the gateway shuts down.
    func streamStarted(_ stream: any OpenStream) {
        streams[ObjectIdentifier(stream)] = stream
        // The gateway is already shutting down. This call is nested in the processing of received bytes, so the abort
        // is deferred.
        if isDraining { loop.atEndOfPass(LateStream(stream)) }
    }

    func streamEnded(_ stream: any OpenStream) { streams[ObjectIdentifier(stream)] = nil }

    // MARK: Control plane

    func forget(_ call: ControlCall) { calls[call.number] = nil }

    /// Lets the control plane answer a request; the client's connection waits for it.
    func ask(
        _ connection: ClientConnection, _ request: ControlRequest, body: BodyRule = .ignored,
        handler: @escaping ControlCall.Handler
    ) {
        callCount += 1
        let call = ControlCall(self, connection, number: callCount, request: request, body: body, handler: handler)
        calls[callCount] = call
        call.begin()
    }

    /// Records that an instance has answered a client's request, and reports the first such answer of each run to the
    /// control plane. An error, a web page or a health answer does not show that a client has opened the folder.
    func answered(_ route: RoutingTable.Route, with head: ResponseHead, to target: ArraySlice<UInt8>) {
        guard let endpoint = route.endpoint, !progress.hasAnswered(endpoint.slot, ofRun: endpoint.generation),
            head.status < 400, !ResponseForwarding.isWebPage(head), !HealthPath.isOne(target)
        else { return }
        progress.noteAnswer(endpoint.slot, ofRun: endpoint.generation)
        knowledge.noteOpen(endpoint)
        let control = self.control
        let name = route.name
        let generation = endpoint.generation
        Task { await control.answered(name, generation: generation) }
    }
}
