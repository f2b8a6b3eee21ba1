import Clocks
import EventHub
import EventLoop
import HTTPServer
import HTTPTypes
internal import Instances
import JSONText
import OpenCode
internal import Projects

/// What a request for one of the gateway's own streams of events wants, read off its query. Pure.
struct EventQuery: Sendable {
    /// Why a query can't be served; a sentence.
    struct Refusal: Error {
        let sentence: String
    }

    /// The longest that a page may be waited for, in seconds.
    static let longestWait = 60
    /// The most pieces of one text that can be asked for, a second.
    static let largestRate = 1_000

    var selector = EventSelector()
    var form = EventEncoding.raw
    /// Whether it is told everything in OpenCode 1's words.
    var isOpenCode1Compatible = false
    var maxRate: Int?
    /// Seconds that a page may be waited for; nil: a stream is wanted.
    var wait: Int?
    var start = EventCursor.Start.now

    init(_ head: RequestHead, _ query: RequestQuery) throws(Refusal) {
        if let session = query["session"], !session.isEmpty { selector.sessions = [Array(session.utf8)] }
        for type in (query["types"] ?? "").split(separator: ",") {
            guard let pattern = EventSelector.TypePattern(String(type)) else {
                throw Refusal(
                    sentence: "types=\(type) is no event's type: write for example types=message.*,session.idle.")
            }
            selector.types.append(pattern)
        }
        if let text = query["form"] {
            guard let form = EventEncoding(rawValue: text) else {
                throw Refusal(sentence: "form=\(text) is unknown: say raw, delta or full.")
            }
            self.form = form
        }
        switch query["speak"] {
        case nil: break
        case "1"?: isOpenCode1Compatible = true
        case let other?:
            throw Refusal(sentence: "speak=\(other) is unknown: say speak=1 for OpenCode 1's words, or leave it out.")
        }
        maxRate = try Self.maxRate(query)
        wait = try Self.number(query, "wait", 0...Self.longestWait, "seconds")
        start = EventStreamRequest.start(head, query)
    }

    /// How often a growing text may be told of in a second; nil: always.
    static func maxRate(_ query: RequestQuery) throws(Refusal) -> Int? {
        try number(query, "max_rate", 1...largestRate, "pieces of one text a second")
    }

    private static func number(
        _ query: RequestQuery, _ name: String, _ range: ClosedRange<Int>, _ unit: String
    ) throws(Refusal) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Refusal(
                sentence: "\(name)=\(text) must be a number from \(range.lowerBound) to \(range.upperBound) (\(unit)).")
        }
        return number
    }
}

/// The gateway's own streams of events.
enum EventEndpoint: Sendable {
    /// One project's.
    case project
    /// All projects'.
    case all

    /// Why there is none of them.
    static let off = Answer.detail(
        404, "The gateway does not listen to events (--event-hub off): OpenCode's own streams are passed through.")

    /// Answers on the loop itself.
    func serve(_ request: ControlRequest, _ connection: ClientConnection, _ loop: GatewayLoop) {
        guard let events = loop.events else { return loop.answer(connection, Self.off) }
        guard self == .project else { return open(nil, request, connection, events) }
        guard let name = request.project else {
            return loop.answer(connection, ControlAnswers.projectNotFound(""))
        }
        if loop.snapshot.routes.mayBeProject(name) { return open(name, request, connection, events) }
        let found = ControlResponse.loop { connection, loop in
            if let events = loop.events { open(name, request, connection, events) }
        }
        loop.lookFor(name, connection, request, found: found)
    }

    private func open(
        _ name: ProjectName?, _ request: ControlRequest, _ connection: ClientConnection, _ events: LoopEvents
    ) {
        do throws(EventQuery.Refusal) {
            let query = try EventQuery(connection.head, request.query)
            if self == .all, query.isOpenCode1Compatible {
                throw EventQuery.Refusal(
                    sentence: "speak is for one project's events: ask for /projects/NAME/events?speak=1.")
            }
            GatewayStreamOpening(events, connection, name, query).begin()
        } catch {
            events.owner.refuse(connection, 400, error.sentence)
        }
    }

    /// What that says of one from which nothing was ever heard.
    static let nothingYet = ControlAnswers.json(
        200, #"{"subscribers":0,"first":null,"last":null,"bytes":0,"upstream":"off","since":null,"gaps":0}"#)

    /// What `…/events/state` says of a project.
    static func state(_ view: HubSnapshot) -> Answer {
        let summary = view.log.summary
        func text(_ id: EventID?) -> String { id.map { "\"\($0.text)\"" } ?? "null" }
        let since = Timestamp.utc(milliseconds: view.since)
        return ControlAnswers.json(
            200,
            """
            {"subscribers":\(view.subscribers.value),"first":\(text(summary.first)),"last":\(text(summary.last)),\
            "bytes":\(summary.bytes),"upstream":"\(view.upstream.rawValue)","since":"\(since)","gaps":\(summary.gaps)}
            """)
    }
}

/// A request for one of the gateway's own streams, until its place is known: where an instance has just begun, once the hub hears
/// it, so that the client misses nothing of a prompt that it sends behind the answer's head.
final class GatewayStreamOpening: PendingStream {
    private let events: LoopEvents
    private let project: ProjectName?
    private var query: EventQuery
    private var connection: ClientConnection?
    private var children: ChildSessions?
    private var timer: LoopTimer?
    private var beginning = StreamBeginning(isOpen: true)

    init(_ events: LoopEvents, _ connection: ClientConnection, _ project: ProjectName?, _ query: EventQuery) {
        self.events = events
        self.connection = connection
        self.project = project
        self.query = query
        // A page's reader knows its place when the page is there: who asks for one is not held up before.
        beginning.isLate = query.wait != nil
    }

    func begin() {
        guard let connection else { return }
        connection.exchange = self
        connection.discardBody()
        guard !events.owner.isDraining else { return giveUp() }
        events.add(self)
        if !beginning.isLate {
            let timer = events.owner.loop.spareTimer(self)
            self.timer = timer
            events.owner.loop.arm(timer, after: StreamBeginning.patience)
        }
        proceed()
    }

    /// The instances whose events it tells.
    private var routes: [RoutingTable.Route] {
        let routes = events.owner.snapshot.routes
        guard let project else { return routes.reachable }
        return routes.route(to: project).map { $0.isReachable ? [$0] : [] } ?? []
    }

    private func proceed() {
        guard connection != nil, beginning.wantsPlace(isHeard: isHeard) else { return }
        events.mark(project, for: self) { [unowned self] in marked($0) }
    }

    /// Whether the hub hears all instances that it may hear soon, as far as this loop knows.
    private var isHeard: Bool {
        routes.allSatisfy { route in
            guard let view = events.view(route.name), view.run == route.endpoint?.generation else { return false }
            return view.hears(route) || StreamBeginning.isGivenUp(since: view.since, now: WallClock.milliseconds)
        }
    }

    func viewChanged() { proceed() }

    func routesChanged() { proceed() }

    /// What a session's children say is told from here on, also of those that begin while they are asked for.
    private func marked(_ place: LogPosition) {
        guard beginning.begins(isHeard: isHeard) else { return }
        guard let session = query.selector.sessions?.first else { return start(place) }
        // What began before anything was kept is not among the events.
        let children = ChildSessions(session, of: routes.compactMap(\.endpoint), events.owner) { [unowned self] in
            query.selector.sessions = $0
            start(place)
        }
        self.children = children
        children.begin()
    }

    private var shape: EventShape {
        guard let project else { return query.wait == nil ? .all : .allItems }
        return query.wait == nil ? .project(project.string) : .item(project.string)
    }

    private func start(_ place: LogPosition) {
        guard let connection = end() else { return }
        var cursor = EventCursor(
            query.start, now: place, project: project?.string ?? "", shape: shape,
            isChunked: query.wait == nil && connection.head.version != .http10, selector: query.selector)
        cursor.form = query.form
        cursor.isOpenCode1Compatible = query.isOpenCode1Compatible
        cursor.maxRate = query.maxRate
        if let wait = query.wait {
            // Only a reader of the page waits for it.
            let wait = connection.head.method == .head ? Duration.zero : .seconds(wait)
            return EventPage(events, connection, project, cursor, wait: wait).begin()
        }
        let policy = connection.request.begin(events.owner.snapshot)
        let stream = HubStream(
            events, project, cursor, isPlain: false, connected: [], stall: policy.limits.streamStall)
        stream.begin(
            connection, StreamHead.head(events.owner, connection), opening: StreamHead.retry() + [UInt8(ascii: "\n")])
    }

    func giveUp() {
        if let connection = end() { events.owner.answer(connection, ControlAnswers.shuttingDown) }
    }

    @discardableResult
    private func end() -> ClientConnection? {
        defer { connection = nil }
        children = nil
        if let timer { events.owner.loop.giveBack(timer) }
        timer = nil
        events.remove(self)
        return connection
    }
}

extension GatewayStreamOpening: ServerExchange {
    func requestBodyArrived() { connection?.discardBody() }
    func resumeResponse() {}
    func clientGone() { end() }
}

extension GatewayStreamOpening: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        beginning.isLate = true
        proceed()
    }
}
