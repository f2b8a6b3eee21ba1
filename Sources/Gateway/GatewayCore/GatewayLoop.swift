// SPDX-License-Identifier: Apache-2.0

package import Access
package import EventLoop
package import HTTPClient
import HTTPServer
package import HTTPTypes
package import Instances
package import Logging
import OpenCodeFamilies

/// The components of a loop.
package struct LoopSetUp: Sendable {
    /// The loop's number, counted from 0. Request ids begin with this number.
    package var index = 0
    /// The policy that applies until the first change.
    package var policy: Policy
    /// The endpoints of the gateway's own listener.
    package var endpoints: EndpointTable
    /// The control plane, which decides about instances.
    package var control: any ProjectControl
    /// The logger of the data plane.
    package var log: Logger
    /// The counts of attempts with wrong keys, which all loops share.
    package var failedTries: FailedTries
    /// The budget for the bodies that are examined for keys with limited rights, which all loops share.
    package var examinedBodies: BodyBudget
    /// The tickets that clients have not used yet, which all loops share.
    package var tickets: Tickets
    /// The path of the page for signing in; nil if there is none.
    package var signInPath: String?
    /// The audit log; nil if actions are not recorded.
    package var audit: (any RequestRecorder)?
    /// Receives the uses of named keys; nil if they are not recorded. The loops call the closure on their threads.
    package var keyUsed: (@Sendable (KeyUse) -> Void)?
    /// The listeners in addition to the gateway's own listener.
    package var endpointListeners: [OpenListener] = []
    /// The error formats of other client protocols.
    package var errorRenderers: [ErrorRenderer] = []
    /// The closures that create the features and register them on the loop. The loop calls the closures in this order.
    package var features: [FeatureRegistration] = []

    /// Creates a set-up from its required parts. The other parts have default values.
    package init(
        policy: Policy, endpoints: EndpointTable, control: any ProjectControl, log: Logger,
        failedTries: FailedTries, examinedBodies: BodyBudget, tickets: Tickets
    ) {
        self.policy = policy
        self.endpoints = endpoints
        self.control = control
        self.log = log
        self.failedTries = failedTries
        self.examinedBodies = examinedBodies
        self.tickets = tickets
    }
}

/// A closure that creates a feature for a loop and registers it with ``GatewayLoop/add(_:)``.
package typealias FeatureRegistration = @Sendable (GatewayLoop) -> Void

/// A loop of the data plane: the HTTP server, the client for instances, and the snapshot that requests read. Features
/// serve the requests (``LoopFeature``).
///
/// The object is confined to its thread. Other threads access it only through its mailbox.
package final class GatewayLoop {
    /// The epoll loop that calls all handlers of this thread.
    package let loop: EventLoop
    /// The client that sends the loop's requests to instances.
    package let client: UpstreamClient
    /// The components that do not change.
    package let setUp: LoopSetUp
    /// The counts of requests and of received parts of responses.
    package var counts = LoopCounts()
    /// The state that requests read.
    package private(set) var snapshot: Snapshot
    /// The server and its listeners.
    var clients = ClientSide()
    /// The mailboxes of this loop and of all loops.
    private var mailboxes = LoopMailboxes()
    private var features = FeatureSet()
    /// The features that check and serve requests to instances.
    private(set) var instances = InstanceHandlers()
    /// The responses that do not end by themselves.
    package private(set) var streams: [ObjectIdentifier: any OpenStream] = [:]
    /// The wait for running requests while the gateway shuts down.
    var drain: Drain?
    private(set) lazy var refusals = RefusalLog(loop, log)

    /// Creates a loop that is not running yet.
    package init(_ setUp: LoopSetUp) throws {
        loop = try EventLoop()
        client = UpstreamClient(loop: loop)
        self.setUp = setUp
        snapshot = Snapshot(policy: setUp.policy, routes: .empty)
        client.peerLoss = setUp.policy.limits.peerLoss
        add(ControlCallFeature(self))
        add(HeldRequestFeature())
        for register in setUp.features { register(self) }
        clients.server = try Server(loop: loop, limits: setUp.policy.limits.server, handler: self)
    }

    /// The loop's number, from 0.
    package var index: Int { setUp.index }
    /// The endpoints of the gateway's own listener.
    package var endpoints: EndpointTable { setUp.endpoints }
    /// The control plane, which starts and stops instances.
    package var control: any ProjectControl { setUp.control }
    /// The logger of the data plane.
    package var log: Logger { setUp.log }

    /// Opens the mailbox for other threads. The loop must remain alive while the mailbox is used.
    package func openMailbox() throws -> Mailbox<LoopMessage> {
        let mailbox = try loop.mailbox { [unowned self] (message: LoopMessage) in self.receive(message) }
        mailboxes.own = mailbox
        return mailbox
    }

    /// The loop's mailbox; nil before ``openMailbox()``.
    package var mailbox: Mailbox<LoopMessage>? { mailboxes.own }

    /// Runs on the calling thread until ``LoopMessage/stop``.
    package func run() throws {
        let lostPeers = LostPeerWatch(self)
        try withExtendedLifetime(lostPeers) { try loop.run() }
        for stream in streams.values { stream.abort() }
        release()
    }

    /// Closes everything and releases all handlers. ``run()`` calls this method at its end. Call the method directly
    /// for a loop that never runs.
    package func release() {
        client.stop()
        clients.server?.stop()
        refusals.report()
        clients.server = nil
        loop.releaseHandlers()
    }

    /// Sets the policy for future requests. Aborts the operations that its keys do not permit, and returns their
    /// numbers.
    package func follow(_ policy: Policy) -> RevocationCounts {
        let revokes = snapshot.policy.keys.hasSecret(missingIn: policy.keys)
        snapshot = Snapshot(policy: policy, routes: snapshot.routes, namedKeys: snapshot.namedKeys)
        clients.server?.follow(policy.limits.server)
        client.peerLoss = policy.limits.peerLoss
        return revokes ? abortRevoked(under: snapshot.keys) : RevocationCounts()
    }

    /// Sets the named keys for future requests. Aborts the operations that the keys do not permit, and returns their
    /// numbers.
    package func follow(_ namedKeys: KeyIndex) -> RevocationCounts {
        snapshot = Snapshot(policy: snapshot.policy, routes: snapshot.routes, namedKeys: namedKeys)
        return abortRevoked(under: snapshot.keys)
    }

    private func receive(_ message: LoopMessage) {
        switch message {
        case .peers(let peers): mailboxes.all = peers
        case .routes(let routes):
            snapshot = Snapshot(policy: snapshot.policy, routes: routes, namedKeys: snapshot.namedKeys)
            counts.progress.makeRoom(for: routes)
            routesChanged()
        case .policy(let policy, let report): report.add(follow(policy))
        case .namedKeys(let keys, let report): report.add(follow(keys))
        case .feature(let message): message.deliver(on: self)
        case .request(let body): body(self)
        case .stop: loop.stop()
        }
    }

    // MARK: Features

    /// Registers a feature, which receives the loop's events from now on.
    package func add(_ feature: any LoopFeature) { features.add(feature) }

    /// Registers a feature that also serves requests to instances. The loop offers a request to the features in the
    /// order of their registration.
    package func add(handler feature: any InstanceRequestHandler) {
        features.add(feature)
        instances.handlers.append(feature)
    }

    /// Registers a feature that also checks requests whose keys have limited rights, before any other feature serves them
    /// (``InstanceRequest/content``).
    package func add(limits feature: any InstanceRequestHandler) {
        features.add(feature)
        instances.limits = feature
    }

    /// Registers a feature that also decides about the directories in requests to instances.
    package func add(rules feature: any InstanceRequestRules) {
        features.add(feature)
        instances.rules = feature
    }

    /// Returns the feature of this type; nil if the loop does not have it.
    package func feature<Feature: LoopFeature>(_ type: Feature.Type) -> Feature? { features.feature(type) }

    /// Calls `body` for each feature.
    func forEachFeature(_ body: (any LoopFeature) -> Void) {
        for feature in features.all { body(feature) }
    }

    /// Informs the features of a new routing table, or of the beginning of the gateway's shutdown.
    func routesChanged() { forEachFeature { $0.routesChanged() } }

    // MARK: Other loops

    /// Sends a message to every loop, including the current loop.
    package func postToAll(_ message: LoopMessage) {
        for peer in mailboxes.all { peer.post(message) }
    }

    /// Sends a message to the first loop, which performs tasks once for all loops. Returns false until the mailboxes of
    /// all loops are known.
    package func postToFirst(_ message: LoopMessage) -> Bool {
        guard let first = mailboxes.all.first else { return false }
        first.post(message)
        return true
    }

    // MARK: Streams

    /// Registers a stream. The loop aborts the stream when the gateway shuts down.
    package func streamStarted(_ stream: any OpenStream) {
        streams[ObjectIdentifier(stream)] = stream
        // If the gateway is already shutting down, abort the stream at the end of the pass. The caller may still be
        // processing received bytes, so do not abort the stream during this call.
        if isDraining { loop.atEndOfPass(LateStream(stream)) }
    }

    /// Removes a stream that has ended.
    package func streamEnded(_ stream: any OpenStream) { streams[ObjectIdentifier(stream)] = nil }

    // MARK: Instances

    /// Records that an instance has responded to a client's request. Reports the first such response of each run to the
    /// control plane. An error, a web page or a health response does not count, because it does not show that a client
    /// has opened the folder.
    package func answered(_ route: RoutingTable.Route, with head: ResponseHead, to target: ArraySlice<UInt8>) {
        guard let endpoint = route.endpoint, !counts.progress.hasAnswered(endpoint.slot, ofRun: endpoint.generation),
            head.status < 400, !head.isWebPage, !HealthPath.isOne(target)
        else { return }
        counts.progress.recordAnswer(endpoint.slot, ofRun: endpoint.generation)
        forEachFeature { $0.runAnswered(endpoint) }
        let control = self.control
        let name = route.name
        let generation = endpoint.generation
        Task { await control.answered(name, generation: generation) }
    }
}

/// The server of a loop, and the listeners that do not accept clients yet.
struct ClientSide {
    var server: Server?
    var waiting: [(listener: Listener, number: UInt8)] = []
}

/// The mailboxes for messages between the loops.
private struct LoopMailboxes {
    var own: Mailbox<LoopMessage>?
    /// The mailboxes of all loops, by loop number. The array is empty until the mailboxes are known.
    var all: [Mailbox<LoopMessage>] = []
}

/// The features that check and serve requests to instances.
struct InstanceHandlers {
    var rules: (any InstanceRequestRules)?
    /// The feature that checks requests whose keys have limited rights.
    var limits: (any InstanceRequestHandler)?
    var handlers: [any InstanceRequestHandler] = []
}

/// The counts that a loop reports to the control plane.
package struct LoopCounts: Sendable {
    /// The number of received parts of responses from each instance.
    package var progress = ProgressCounts()
    /// The numbers of requests from clients.
    package var requests = RequestCounts()

    /// Creates counts whose values are all zero.
    package init() {}
}
