import Addresses
import EventLoop
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import Logging
import OpenCode
internal import Projects

/// One loop of the data plane: the HTTP front, the upstream client, and the snapshot that requests read.
///
/// Confined to its thread; other threads reach it by its mailbox only.
final class GatewayLoop {
    let loop: EventLoop
    private(set) var limits: GatewayLimits
    let client: UpstreamClient
    var progress = ProgressCounts()
    private(set) lazy var knowledge = LoopKnowledge(self)
    let index: Int
    let control: any ProjectControl
    let log: Logger
    let failedTries: FailedTries
    private var accessLog: Bool
    private(set) var server: Server?
    private(set) var snapshot: Snapshot
    private(set) var mailbox: Mailbox<LoopMessage>?
    private var calls: [Int: ControlCall] = [:]
    private var callCount = 0
    private(set) var streams: [ObjectIdentifier: ProxyExchange] = [:]
    /// Requests whose instance has ended the connection: who has it end is not known yet.
    var undecided: [ObjectIdentifier: ProxyExchange] = [:]
    var drain: Drain?
    /// Listeners from which nothing is accepted yet.
    var held: [Listener] = []
    /// Memory for the fields of the next request to an instance: those of the last one, which were copied.
    var spareFields = FieldList()

    init(_ setUp: LoopSetUp) throws {
        loop = try EventLoop()
        client = try UpstreamClient(loop: loop)
        index = setUp.index
        limits = setUp.policy.limits
        control = setUp.control
        log = setUp.log
        failedTries = setUp.failedTries
        accessLog = setUp.policy.accessLog
        snapshot = Snapshot(policy: setUp.policy, routes: .empty)
        server = try Server(loop: loop, limits: limits.server, handler: self)
    }

    /// The way in for other threads; the loop stays alive while it is used.
    func openMailbox() throws -> Mailbox<LoopMessage> {
        let mailbox = try loop.mailbox { [unowned self] (message: LoopMessage) in self.receive(message) }
        self.mailbox = mailbox
        return mailbox
    }

    /// Runs on the calling thread until it is told to stop.
    func run() throws {
        try loop.run()
        for stream in streams.values { stream.breakOff() }
        client.stop()
        server?.stop()
        server = nil
        loop.letGo()
    }

    private func receive(_ message: LoopMessage) {
        switch message {
        case .accept(let report): report(accept())
        case .routes(let routes):
            snapshot.routes = routes
            progress.makeRoom(for: routes)
            endRequestsOfEndedInstances()
            knowledge.follow(routes)
        case .policy(let policy): follow(policy)
        case .answer(let call, let answer): calls.removeValue(forKey: call)?.answer(answer)
        case .probe(let question, let report): HealthProbe.ask(question, of: client, report: report)
        case .inquire(let inquiry, let report): inquiry.ask(client, report: report)
        case .knowledge(let message): knowledge.receive(message)
        case .progress(let slot, let report): report(progress[slot])
        case .drain(let limit, let finished): beginDrain(limit, finished)
        case .stop: loop.stop()
        }
    }

    private func follow(_ policy: Policy) {
        snapshot.policy = policy
        limits = policy.limits
        accessLog = policy.accessLog
        server?.follow(limits.server)
    }

    // MARK: Streams

    func streamStarted(_ exchange: ProxyExchange) {
        streams[ObjectIdentifier(exchange)] = exchange
        // The gateway is ending already; this can be inside one of libcurl's callbacks.
        if drain != nil { loop.atEndOfPass(LateStream(exchange)) }
    }

    func streamEnded(_ exchange: ProxyExchange) { streams[ObjectIdentifier(exchange)] = nil }

    // MARK: Control plane

    func forget(_ call: ControlCall) { calls[call.number] = nil }

    /// Asks the control plane; the answer comes back by the mailbox while the client's connection is suspended.
    private func ask(
        _ connection: ClientConnection, _ question: @escaping @Sendable (any ProjectControl) async -> Answer
    ) {
        guard let mailbox else { return }
        callCount += 1
        let number = callCount
        let call = ControlCall(self, connection, number: number)
        connection.exchange = call
        calls[number] = call
        let control = self.control
        Task { mailbox.post(.answer(call: number, await question(control))) }
    }

    /// An instance has answered a client's request: the control plane hears of each run's first answer that is about the
    /// project. An error, a web page or its health may be no sign that anybody has opened the folder.
    func answered(_ route: RoutingTable.Route, _ head: ResponseHead, _ target: ArraySlice<UInt8>) {
        guard let endpoint = route.endpoint, !progress.hasAnswered(endpoint.slot, ofRun: endpoint.generation),
            head.status < 400, !ResponseForwarding.isWebPage(head), !HealthPath.isOne(target)
        else { return }
        progress.noteAnswer(endpoint.slot, ofRun: endpoint.generation)
        let (control, name, generation) = (self.control, route.name, endpoint.generation)
        Task { await control.answered(name, generation: generation) }
    }

    /// Hands ``spareFields`` over, so that they are filled without a copy.
    func takeSpareFields() -> FieldList {
        var taken = FieldList()
        swap(&taken, &spareFields)
        return taken
    }
}

// MARK: - Requests

extension GatewayLoop: RequestHandler {
    func refuse(_ connection: ClientConnection) -> Answer? {
        if case .refusal(let answer) = decide(connection) { completed(answer, connection) } else { nil }
    }

    func handle(_ connection: ClientConnection) {
        switch decide(connection) {
        case .refusal(let answer): self.answer(connection, answer)
        case .route(let route): serve(route, connection)
        case .proxy(let route, let target, let verdict):
            let exchange = ProxyExchange(
                self, connection, route, isPinned: snapshot.policy.pinsDirectories, target: target)
            exchange.begin(verdict)
        case .unknown(let name):
            ask(connection) { control in
                guard await control.status(name) != nil else { return ControlAnswers.projectNotFound(name.string) }
                return ControlAnswers.notRunning(name.string, nil)
            }
        }
    }

    private enum Decision {
        case refusal(Answer)
        case route(Route)
        case proxy(RoutingTable.Route, target: ArraySlice<UInt8>, DirectoryRules.Verdict)
        /// No project that the loops have heard of: its folder may have been made this moment.
        case unknown(ProjectName)
    }

    /// Route and credentials: all that can be said before a request's body.
    private func decide(_ connection: ClientConnection) -> Decision {
        findClient(of: connection)
        let head = connection.head
        if let preflight = Preflight(head) {
            return .refusal(preflight.answer(Router.resource(head.target), crossOriginTerms(connection)))
        }
        let route = Router.route(head.method, head.target)
        switch route {
        case .health, .apiDescription, .documentation: return .route(route)
        case .notFound: return .refusal(.detail(404, "Not Found"))
        case .methodNotAllowed(let allow):
            var answer = Answer.detail(405, "Method Not Allowed")
            answer.head.fields.append("Allow", allow)
            return .refusal(answer)
        default: break
        }
        if let refusal = admit(connection) { return .refusal(refusal) }
        switch route {
        case .unknownProject(let name): return .refusal(ControlAnswers.projectNotFound(name))
        case .start(let name), .stop(let name), .status(let name):
            connection.project = name.string
        case .proxy(let segment, let target): return decide(connection, segment, AuthToken.removed(from: target))
        default: break
        }
        return .route(route)
    }

    /// Looks the instance up by the name as it stands in the path; only where there is none is the name itself looked
    /// at.
    private func decide(
        _ connection: ClientConnection, _ segment: ArraySlice<UInt8>, _ target: ArraySlice<UInt8>
    ) -> Decision {
        let found = snapshot.routes.route(forSegment: segment)
        if let found, found.isReachable {
            connection.project = found.text
            guard snapshot.policy.pinsDirectories, let scope = found.scope else {
                return .proxy(found, target: target, .passes)
            }
            let verdict = DirectoryRules.verdict(connection.head, target, in: scope, of: found.text)
            if case .refused(let sentence) = verdict { return .refusal(.detail(403, sentence)) }
            return .proxy(found, target: target, verdict)
        }
        guard let name = ProjectName(percentEncoded: segment) else {
            return .refusal(ControlAnswers.projectNotFound(String(decoding: segment, as: UTF8.self)))
        }
        connection.project = name.string
        guard snapshot.routes.mayBeProject(name) else { return .unknown(name) }
        return .refusal(ControlAnswers.notRunning(name.string, found?.state))
    }

    private func serve(_ route: Route, _ connection: ClientConnection) {
        switch route {
        case .health: answer(connection, ControlAnswers.health)
        case .apiDescription: answer(connection, .description)
        case .documentation: answer(connection, .documentation)
        case .projects: ask(connection) { ControlAnswers.projects(await $0.projects()) }
        case .start(let name): ask(connection) { ControlAnswers.start(name, await $0.start(name)) }
        case .stop(let name): ask(connection) { ControlAnswers.stop(name, await $0.stop(name)) }
        case .status(let name): ask(connection) { ControlAnswers.status(name, await $0.status(name)) }
        case .proxy, .unknownProject, .notFound, .methodNotAllowed: break
        }
    }

    var wantsRecords: Bool { accessLog }

    func ended(_ request: RequestRecord, _ summary: RequestSummary) {
        guard accessLog else { return }
        log.log(
            AccessLine(
                method: request.methodName, target: AuthToken.removed(from: request.target[...]),
                status: summary.status,
                bytes: Int(clamping: summary.bodyBytes), duration: MonotonicTime.now - request.startTime,
                project: request.project, requestID: requestID(request.number),
                client: request.forwardedClient?.description ?? request.peer))
    }

    func turnedAway(_ address: String, _ reason: String) {
        log.warning("a client was turned away", LogField("client", address), LogField("reason", reason))
    }
}
