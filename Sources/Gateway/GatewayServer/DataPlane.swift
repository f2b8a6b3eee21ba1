// SPDX-License-Identifier: Apache-2.0

package import Access
package import AuditServing
package import ConversationServing
import DirectoryPinning
package import EventLoop
package import EventStreaming
package import GatewayCore
import Glibc
internal import HTTPServer
package import Instances
package import KeyAdministration
internal import Locking
package import Logging
import OpenCode1Compatibility
import Proxying
import SignIn

/// The gateway's data plane: identical loops, each on its own thread. Each loop has its own listener, or all loops
/// share the listener of a `.socket` unit.
package final class DataPlane: Sendable {
    /// The components and settings of a data plane.
    package struct SetUp: Sendable {
        /// The address on which the data plane listens. Port 0 selects a free port.
        package var address: SocketAddress
        /// The listening sockets of a `.socket` unit, which all loops share instead of opening their own.
        package var inheritedListeners: [Int32] = []
        /// The number of loops. Each loop has its own thread.
        package var threads: Int
        /// The policy for requests until ``DataPlane/apply(_:)`` changes it.
        package var policy: Policy
        /// The logger of the data plane.
        package var log: Logger
        /// The control plane, which decides about instances.
        package var control: any ProjectControl
        /// The settings of the event hub, and the store for its snapshots; nil to disable the hub.
        package var events: (settings: HubSettings, snapshots: HubSnapshots)?
        /// The home directory of the user who runs OpenCode.
        package var userHome = "/"
        /// The listeners in addition to the gateway's own listener, which serve only certain endpoints.
        package var endpointListeners: [EndpointListener] = []
        /// The settings for chat sockets; nil to disable chats, so that there is no `/chat`.
        package var chat: ChatSetUp?
        /// The endpoints of conversations, on the gateway's own port and on the listener for conversations. The array
        /// is empty if the gateway serves no conversations.
        var conversationEndpoints: [Endpoint] = []
        /// The service for chats and conversations, which also provides the endpoints of conversations; nil
        /// to serve no conversations.
        package var conversations: ConversationService? {
            didSet { conversationEndpoints = conversations?.endpoints ?? [] }
        }
        /// The service that manages the named keys; nil if there are no named keys.
        package var keys: KeyService?
        /// The service that writes the audit log; nil if actions are not recorded.
        package var audit: AuditService?
        /// The endpoints of the gateway's own listener.
        var endpoints = EndpointTable.gateway

        /// Returns the endpoints of an additional listener. The array is empty if the gateway does
        /// not serve these endpoints.
        func endpoints(for purpose: EndpointListener.Purpose) -> [Endpoint] {
            switch purpose {
            case .chat: chat == nil ? [] : [.chatAtAnyPath]
            case .conversations: conversationEndpoints
            default: []
            }
        }

        /// Creates a set-up from its required parts. The other parts have default values.
        package init(
            address: SocketAddress, threads: Int, policy: Policy, log: Logger, control: any ProjectControl
        ) {
            self.address = address
            self.threads = threads
            self.policy = policy
            self.log = log
            self.control = control
        }
    }

    /// The version of libmicrohttpd that serves HTTP.
    package static var serverLibrary: String { Server.libraryVersion }

    /// The address of the listener. The chosen port replaces a requested port 0.
    package let address: SocketAddress
    /// The additional listeners. The chosen port replaces a requested port 0.
    package let endpointListeners: [EndpointListener]
    private let mailboxes: [Mailbox<LoopMessage>]
    private let threads: [WorkerThread]
    private let hub: HubThreads?
    private let bridge: BridgeThreads
    private let conversations: ConversationService?
    private let log: Logger

    /// Opens the listeners and starts the loops. New connections wait in the kernel's queue until ``accept()``.
    package init(_ setUp: SetUp) throws(DataPlaneError) {
        let open = try setUp.endpointListeners.map { listener throws(DataPlaneError) in
            try OpenListener(listener, endpoints: setUp.endpoints(for: listener.purpose))
        }
        // The steps that undo the set-up if a later part of it fails.
        var undo: [() -> Void] = []
        do {
            let ownsListeners = setUp.inheritedListeners.isEmpty
            if ownsListeners, setUp.address.port != 0 { try Listener.requireUnused(setUp.address) }
            var address = setUp.address
            var mailboxes: [Mailbox<LoopMessage>] = []
            var threads: [WorkerThread] = []
            var endpointListeners = setUp.endpointListeners
            let hub = try setUp.events.map {
                try HubThreads(
                    $0.settings, policy: setUp.policy, control: setUp.control, snapshots: $0.snapshots, log: setUp.log)
            }
            undo.append { hub?.stop() }
            let bridge = try BridgeThreads(home: setUp.userHome)
            undo.append(bridge.stop)
            self.hub = hub
            self.bridge = bridge
            conversations = setUp.conversations
            log = setUp.log
            let chat = setUp.chat == nil ? [] : [Endpoint.chat]
            let endpoints = setUp.endpoints.adding(
                chat + setUp.conversationEndpoints + (setUp.keys.map(Self.endpoints) ?? [])
                    + (setUp.audit.map { [$0.endpoint] } ?? []))
            // All loops share these objects.
            let shared = LoopSetUp(
                policy: setUp.policy, endpoints: endpoints, control: setUp.control, log: setUp.log,
                failedTries: FailedTries(), examinedBodies: BodyBudget(limit: BodyBudget.limitOfExaminedBodies),
                tickets: Tickets())
            for index in 0..<setUp.threads {
                var listeners = ownsListeners ? [try Listener(on: address)] : []
                for inherited in setUp.inheritedListeners { listeners.append(try Listener(sharing: inherited)) }
                address = listeners[0].address
                let loop = try Self.makeLoop(
                    index, setUp: setUp, shared: shared, hub: hub, bridge: bridge, listeners: open)
                undo.append(loop.release)
                let mailbox = try loop.openMailbox()
                mailboxes.append(mailbox)
                loop.register(listeners)
                for number in endpointListeners.indices {
                    // Check the address after the earlier listeners are open, because the gateway's listeners must not
                    // share an address either.
                    if index == 0 { try endpointListeners[number].requireUnused() }
                    loop.register([try endpointListeners[number].listen()], as: UInt8(number + 1))
                }
                let thread = try Self.run(loop, index: index, log: setUp.log)
                undo.removeLast()
                undo.append {
                    mailbox.post(.stop)
                    thread.join()
                }
                threads.append(thread)
            }
            self.address = address
            self.endpointListeners = endpointListeners
            self.mailboxes = mailboxes
            self.threads = threads
            for mailbox in mailboxes { mailbox.post(.peers(mailboxes)) }
            hub?.mailbox.post(.loops(mailboxes))
            if let hub { conversations?.follow(mailboxes, hub: hub.mailbox) }
        } catch {
            for step in undo.reversed() { step() }
            throw Self.failure(error, setUp)
        }
    }

    private static func failure(_ error: any Error, _ setUp: SetUp) -> DataPlaneError {
        switch error {
        case let error as DataPlaneError: error
        case let error as SystemCallError: .cannotListen(on: setUp.address, "--listen", error)
        default: DataPlaneError(description: "The gateway could not be set up: \(error)")
        }
    }

    /// Starts to accept connections, beginning with the connections that already wait.
    /// Does nothing after ``drain(within:)``.
    package func accept() async throws(DataPlaneError) {
        let problems = await queryLoops { loop, report in report(loop.accept()) }
        if let problem = problems.compactMap(\.self).first { throw DataPlaneError(description: problem) }
    }

    /// Sets the routing table for future requests.
    package func publish(_ routes: RoutingTable) {
        hub?.mailbox.post(.routes(routes))
        for mailbox in mailboxes { mailbox.post(.routes(routes)) }
        // Inform the conversation service last, because the service sends requests for these routes to the loops.
        conversations?.follow(routes)
    }

    /// Sets the policy for future requests. The loops abort the requests in progress whose key is missing in the
    /// policy, and the log reports their number. All other requests in progress continue.
    package func apply(_ policy: Policy) {
        hub?.mailbox.post(.policy(policy))
        let report = RevocationReport(loops: mailboxes.count, log: log)
        for mailbox in mailboxes { mailbox.post(.policy(policy, report)) }
    }

    /// Sets the named keys for future requests, and returns after every loop uses them. The loops first abort the
    /// operations that the keys no longer permit, and the log reports their number.
    package func apply(_ keys: KeyIndex) async {
        await withCheckedContinuation { continuation in
            let report = RevocationReport(loops: mailboxes.count, log: log) { continuation.resume() }
            for mailbox in mailboxes { mailbox.post(.namedKeys(keys, report)) }
        }
    }

    /// Performs a health check of an instance.
    package func probe(_ query: HealthQuery) async -> HealthFinding {
        await Self.queryLoop(mailboxes[0]) { loop, report in HealthProbe.start(query, of: loop.client, report: report) }
    }

    /// Sends one of the gateway's own queries to an instance. Returns nil if no response arrived.
    package func send(_ query: InstanceQuery) async -> InstanceReply? {
        await Self.queryLoop(mailboxes[0]) { loop, report in
            // A list of models may contain several hundred kilobytes.
            query.send(through: loop.client, isAlone: true, longestBody: 4 * 1024 * 1024, report: report)
        }
    }

    /// Returns the number of parts of responses that all loops have received from the instance with this slot.
    package func progress(ofSlot slot: Int) async -> UInt64 {
        let hubProgress: UInt64 =
            if let hub {
                await withCheckedContinuation { continuation in
                    hub.mailbox.post(.progress(slot: slot) { continuation.resume(returning: $0) })
                }
            } else {
                0
            }
        return await queryLoops { loop, report in report(loop.counts.progress[slot]) }.reduce(hubProgress, &+)
    }

    /// Stops accepting connections, aborts streams and lets running exchanges finish within `limit`.
    package func drain(within limit: Duration) async {
        _ = await queryLoops { loop, report in loop.startDrain(limit) { report(()) } }
    }

    /// Returns the numbers of requests as log fields.
    package func counts() async -> [LogField] {
        let counts = await queryLoops { loop, report in report(loop.counts.requests) }.reduce(into: RequestCounts(), +=)
        return [
            LogField("requests", Int(clamping: counts.requests)),
            LogField("server_errors", Int(clamping: counts.serverErrors)),
            LogField("rejected", Int(clamping: counts.rejected)),
        ]
    }

    /// Returns after every loop, including the event hub's, has responded. The method never returns if a loop hangs.
    package func answer() async {
        _ = await queryLoops { _, report in report(()) }
        guard let hub else { return }
        await withCheckedContinuation { continuation in hub.mailbox.post(.answer { continuation.resume() }) }
    }

    /// A query to a loop. The closure calls `report` exactly once, immediately or later.
    private typealias LoopQuery<Reply: Sendable> =
        @Sendable (GatewayLoop, _ report: @escaping @Sendable (Reply) -> Void) -> Void

    /// Returns the replies of all loops to a query, in no particular order.
    private func queryLoops<Reply: Sendable>(_ query: @escaping LoopQuery<Reply>) async -> [Reply] {
        await withTaskGroup(of: Reply.self) { group in
            for mailbox in mailboxes { group.addTask { await Self.queryLoop(mailbox, query) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Returns the reply of one loop to a query.
    private static func queryLoop<Reply: Sendable>(
        _ mailbox: Mailbox<LoopMessage>, _ query: @escaping LoopQuery<Reply>
    ) async -> Reply {
        await withCheckedContinuation { continuation in
            mailbox.post(.request { loop in query(loop) { continuation.resume(returning: $0) } })
        }
    }

    /// Stops the loops and waits for their threads. Call this method on another thread.
    package func stop() {
        for mailbox in mailboxes { mailbox.post(.stop) }
        for thread in threads { thread.join() }
        conversations?.stop()
        hub?.stop()
        bridge.stop()
    }

    /// Returns the endpoints for managing keys, for signing in and for pairing.
    private static func endpoints(_ keys: KeyService) -> [Endpoint] {
        keys.endpoints + LoginEndpoints(keys).endpoints + PairingEndpoints(keys).endpoints + [TicketEndpoint.endpoint]
    }

    private static func makeLoop(
        _ index: Int, setUp: SetUp, shared: LoopSetUp, hub: HubThreads?, bridge: BridgeThreads,
        listeners endpointListeners: [OpenListener]
    ) throws -> GatewayLoop {
        var loop = shared
        loop.index = index
        loop.endpointListeners = endpointListeners
        loop.audit = setUp.audit
        if let keys = setUp.keys {
            loop.keyUsed = { keys.record($0) }
            loop.signInPath = LoginEndpoints.path
        }
        if !setUp.conversationEndpoints.isEmpty { loop.errorRenderers = [ConversationService.errorRenderer] }
        let chat = setUp.chat
        let conversations = setUp.conversations
        loop.features = [
            { addFeatures(to: $0, hub: hub, bridge: bridge, chat: chat, conversations: conversations) }
        ]
        return try GatewayLoop(loop)
    }

    /// Registers the features of a loop. The loop offers a request to an instance first to the bridge, then to the
    /// event streams, and finally to the proxy.
    private static func addFeatures(
        to loop: GatewayLoop, hub: HubThreads?, bridge: BridgeThreads, chat: ChatSetUp?,
        conversations: ConversationService?
    ) {
        let mailbox = hub?.mailbox
        let pinning = DirectoryPinningFeature(loop) { mailbox?.post(.sessionIndex($0)) }
        loop.add(rules: pinning)
        // Check whom the named sessions belong to before any feature serves the request.
        loop.add(limits: ProjectIsolationFeature(loop, pinning: pinning))
        let events = hub.map { EventStreamFeature(loop, $0) }
        loop.add(handler: BridgeFeature(loop, bridge, pinning: pinning, events: events))
        if let events { loop.add(handler: events) }
        // Report each abort to the conversations. A message that a client sends to a conversation after the response to
        // the abort waits for the end of the aborted turn.
        let proxy = ProxyFeature(loop, pinning: pinning, sessionAborted: conversations?.expectAbort)
        loop.add(handler: proxy)
        if let chat { loop.add(ChatFeature(loop, chat)) }
    }

    /// A loop that is passed to its thread. The creating thread does not access the loop afterwards.
    private struct Handover: @unchecked Sendable {  // Handed over once, at the start of the thread.
        let loop: GatewayLoop
    }

    private static func run(_ loop: GatewayLoop, index: Int, log: Logger) throws -> WorkerThread {
        let handover = Handover(loop: loop)
        return try WorkerThread(name: "loop-\(index)") {
            do {
                try handover.loop.run()
            } catch {
                log.error("a loop of the data plane has ended", LogField("loop", index), LogField("reason", "\(error)"))
            }
        }
    }
}
