// SPDX-License-Identifier: Apache-2.0

import Addresses
import Encodings
import EventHub
import EventLoop
import GatewayCore
import HTTPClient
import HTTPServer
import HTTPTypes
internal import Instances
import OpenCodeFamilies
internal import Projects
import Proxying

/// A request for one of OpenCode's own streams, until its first frame can be sent.
///
/// The hub must receive the events of the instance first. If the stream is that of a directory, the instance must also
/// have opened the directory, as it does for a stream of its own.
final class StreamOpening: PendingStream {
    private unowned let events: LoopEvents
    private let request: InstanceRequest
    private var streamRequest: EventStreamRequest
    private var connection: ClientConnection?
    private var timer: LoopTimer?
    /// The number of times that the timer has fired.
    private var looks = 0
    private var opener: DirectoryOpening?
    private var beginning = StreamBeginning()

    init(_ events: LoopEvents, _ request: InstanceRequest, _ streamRequest: EventStreamRequest) {
        self.events = events
        self.request = request
        self.streamRequest = streamRequest
        connection = request.connection
    }

    private var owner: GatewayLoop { events.owner }
    private var route: RoutingTable.Route { request.route }
    private var policy: Policy { request.policy }

    func begin() {
        guard let connection else { return }
        connection.exchange = self
        connection.discardBody()
        // The stream would be ended immediately, and a client that mistakes this for its end does not reconnect.
        guard !owner.isDraining else { return giveUp() }
        events.add(self)
        let timer = owner.loop.spareTimer(self)
        self.timer = timer
        owner.loop.arm(timer, after: StreamBeginning.patience)
        guard let path = streamRequest.unresolvedDirectory else { return openDirectory() }
        events.resolve(path, for: self) { [unowned self] in
            streamRequest.resolve($0)
            openDirectory()
        }
    }

    /// Makes the instance open the stream's directory, unless the directory is open.
    private func openDirectory() {
        guard let connection, let endpoint = route.endpoint else { return }
        if let directory = streamRequest.directory, !streamRequest.isTranslated,
            view?.opened.contains(directory) != true
        {
            let fields = RequestForwarding.withoutLastEventID(
                RequestForwarding.fields(
                    of: connection.head, from: connection.peerBytes, isTrusted: policy.trusts(connection.peerAddress),
                    authorization: endpoint.authorization, isUpgrade: false, in: FieldList()))
            opener = DirectoryOpening(owner.client, endpoint.address, target: streamRequest.target, fields: fields) {
                [unowned self] isGiven in
                opened(directory, isGiven)
            }
        } else {
            beginning.isOpen = true
        }
        proceed()
    }

    private var view: HubSnapshot? {
        guard let view = events.view(route.name), view.run == route.endpoint?.generation else { return nil }
        return view
    }

    private func opened(_ directory: [UInt8], _ isGiven: Bool) {
        opener = nil
        guard isGiven else { return passOn() }
        beginning.isOpen = true
        if let endpoint = route.endpoint {
            owner.answered(route, with: ResponseHead(status: 200), to: streamRequest.target)
            events.opened(directory, of: route, run: endpoint.generation)
        }
        proceed()
    }

    func viewChanged() { proceed() }

    /// Looks up the instance again if the project has another one now.
    func routesChanged() {
        let now = owner.snapshot.routes.route(to: route.name)
        guard now?.endpoint?.generation != route.endpoint?.generation, end() != nil else { return }
        owner.reroute(request)
    }

    private func proceed() {
        guard connection != nil, beginning.wantsPlace(isHeard: isHeard) else { return }
        events.mark(route.name, for: self) { [unowned self] in start($0) }
    }

    /// Whether the hub receives the events of the instance, as far as this loop knows.
    private var isHeard: Bool { view?.upstream == .connected && view?.connected != nil }

    private func start(_ place: LogPosition) {
        guard beginning.begins(isHeard: isHeard) else { return }
        guard let view = events.view(route.name), let connection = end() else { return }
        let connected =
            (streamRequest.isTranslated ? view.translatedConnected : view.connected)
            ?? ConnectedFrame.usual(streamRequest.isTranslated ? .one : route.endpoint?.family)
        let shape: EventShape = streamRequest.stream == .directory ? .payload : .line
        var selector = EventSelector()
        selector.directory = streamRequest.directory
        selector.alias = streamRequest.directoryAlias
        var cursor = EventCursor(
            streamRequest.start, now: place, project: route.text, shape: shape,
            isChunked: connection.head.version != .http10,
            selector: selector)
        cursor.isOpenCode1Compatible = streamRequest.isTranslated
        if streamRequest.isTranslated || route.endpoint?.family != .two {
            cursor.form = streamRequest.form ?? view.form
        }
        cursor.maxRate = streamRequest.maxRate
        let stream = HubStream(
            events, project: route.name, cursor: cursor, isPlain: true, connected: connected.frame(shape),
            stall: policy.limits.streamStall)
        stream.begin(
            connection, StreamHead.head(owner, connection),
            opening: StreamHead.retry() + OpenCodeEventID.renewed(in: connected.frame(shape)))
    }

    /// Forwards the request, because the instance refuses the stream and its own answer states the reason.
    private func passOn() {
        guard end() != nil else { return }
        var request = request
        request.target = streamRequest.target
        request.withholdsLastEventID = true
        owner.serve(request, after: events)
    }

    func giveUp() {
        if let connection = end() { owner.answer(connection, ControlAnswers.shuttingDown) }
    }

    @discardableResult
    private func end() -> ClientConnection? {
        defer { connection = nil }
        events.remove(self)
        if let timer { owner.loop.giveBack(timer) }
        timer = nil
        opener?.cancel()
        opener = nil
        return connection
    }
}

/// The conditions for the beginning of such a stream. Pure.
struct StreamBeginning {
    /// How long the hub may take until it receives the events of an instance.
    static let patience = Duration.seconds(2)
    /// How much longer the instance may take to open the stream's directory.
    static let openingPatience = Duration.seconds(2)
    /// The time in milliseconds after which an instance whose events cannot be received delays no other
    /// stream than its own.
    private static let longestSilence: Int64 = 10_000

    /// Whether the instance has opened the stream's directory.
    var isOpen = false
    /// Whether the hub's time for receiving the events of the instance is over.
    var isLate = false
    private var isAsked = false

    init(isOpen: Bool = false) { self.isOpen = isOpen }

    /// Whether the gateway no longer waits for an instance whose events it has not received since `since`. Both times
    /// are in milliseconds since 1970.
    static func isGivenUp(since: Int64, now: Int64) -> Bool { now - since > longestSilence }

    /// Whether to ask the hub now for the position at which the stream begins. True only once, until
    /// ``begins(isHeard:)``.
    mutating func wantsPlace(isHeard: @autoclosure () -> Bool) -> Bool {
        guard isOpen, !isAsked, isLate || isHeard() else { return false }
        isAsked = true
        return true
    }

    /// Whether the stream begins at the position that the hub has sent.
    ///
    /// The hub may have lost the instance before it received the request, and this loop may have learned of that only
    /// afterwards. A stream that began at the position would miss the events until the hub is connected again, so the
    /// request is repeated then.
    mutating func begins(isHeard: @autoclosure () -> Bool) -> Bool {
        isAsked = isLate || isHeard()
        return isAsked
    }
}

extension StreamOpening: ServerExchange {
    func requestBodyArrived() { connection?.discardBody() }
    func resumeResponse() {}
    func clientGone() { end() }
}

extension StreamOpening: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        looks += 1
        guard looks < 3 else {
            guard let connection = end() else { return }
            return owner.refuse(
                connection, status: 504,
                "OpenCode instance for \(route.text) did not begin its event stream within \(policy.limits.answerTimeout.settingText) (--answer-timeout). Look at OpenCode's log."
            )
        }
        beginning.isLate = true
        // An instance that does not open the directory delays no client's head: its events come from
        // the hub's own stream.
        if looks == 2 { beginning.isOpen = true }
        owner.loop.arm(timer, after: looks == 2 ? policy.limits.answerTimeout : StreamBeginning.openingPatience)
        proceed()
    }
}

/// A stream of the instance's own that is closed once it has begun. It makes the instance open the directory.
final class DirectoryOpening: UpstreamDelegate {
    private var transfer: UpstreamTransfer?
    private var report: ((Bool) -> Void)?

    /// Starts the stream. `report` is called once with whether the instance serves such a stream, unless this
    /// object is cancelled.
    init(
        _ client: UpstreamClient, _ instance: InstanceAddress, target: ArraySlice<UInt8>, fields: FieldList,
        report: @escaping (Bool) -> Void
    ) {
        self.report = report
        transfer = client.start(
            UpstreamRequest(
                instance: instance, method: .get, methodName: "GET", target: target, fields: fields, body: .none,
                isAlone: true), follower: self)
    }

    func cancel() {
        transfer?.cancel()
        transfer = nil
        report = nil
    }

    private func finish(_ isGiven: Bool) {
        let report = report
        cancel()
        report?(isGiven)
    }

    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
        if head.status != 200 || !head.isEventStream || framing == .none { finish(false) }
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        // The first bytes show that the stream has begun.
        finish(true)
        return true
    }

    func answerEnded(trailers: FieldList) { finish(false) }
    func answerFailed(_ failure: UpstreamFailure) { finish(false) }
    func answerSettled() {}
    func uploadHasRoom() {}
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {}
}
