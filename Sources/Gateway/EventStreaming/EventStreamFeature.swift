// SPDX-License-Identifier: Apache-2.0

package import EventHub
import EventLoop
package import GatewayCore
import HTTPServer
import HTTPTypes
import Instances
import Logging
import OpenCodeFamilies
package import Projects

/// A request whose event stream or page of events cannot begin yet.
protocol PendingStream: AnyObject {
    /// Called when a project has a new snapshot.
    func snapshotChanged()
    /// Called when there is a new routing table.
    func routesChanged()
    /// Called when the gateway is shutting down.
    func giveUp()
}

/// A loop's part of the event hub: the snapshots of the projects' events, and the streams that clients
/// read on this loop.
package final class EventStreamFeature {
    unowned let owner: GatewayLoop
    private let hub: Mailbox<HubMessage>
    private let reader: EventReaderThread
    /// Coordinates the ends of turns on event streams with the responses to the turns' requests.
    package let turnEnds: TurnEnds
    /// Called with the number of a bridge run as soon as the run no longer needs to wait for streams (``TurnEnds``).
    package var turnReached: ((Int) -> Void)?
    private(set) var snapshots: [ProjectName: HubSnapshot] = [:]
    private var readers: [Int: Reader] = [:]
    /// The clients of each project's events. The key nil represents the events of all projects.
    private var ofProject: [ProjectName?: ProjectReaders] = [:]
    private var sharedFrames = SharedStreamFrames()
    private var count = 0
    /// The requests for streams that cannot begin yet.
    private var pending: [ObjectIdentifier: any PendingStream] = [:]
    private var resolutions: [Int: (stream: ObjectIdentifier, completion: ([UInt8]) -> Void)] = [:]
    private var positionRequests: [Int: (stream: ObjectIdentifier, completion: (LogPosition) -> Void)] = [:]

    /// Creates the feature, which receives events from the hub's threads.
    package init(_ owner: GatewayLoop, _ threads: HubThreads) {
        self.owner = owner
        hub = threads.mailbox
        reader = threads.reader
        turnEnds = threads.turnEnds
    }

    func snapshot(of name: ProjectName) -> HubSnapshot? { snapshots[name] }

    // MARK: Readers

    /// A client that reads events, through a stream or a page.
    private enum Reader {
        case stream(HubStream)
        case page(EventPage)
    }

    /// The clients that read the events of one project, or of all projects.
    private struct ProjectReaders {
        var streams: [HubStream] = []
        var pages: [EventPage] = []
    }

    /// Registers a stream. Returns the number that identifies the stream in read requests.
    func subscribe(_ stream: HubStream) -> Int {
        ofProject[stream.project, default: ProjectReaders()].streams.append(stream)
        stream.group = stream.sharedKey.map { sharedFrames.join($0) }
        return register(.stream(stream), stream.project)
    }

    /// Registers a page. Returns the number that identifies the page in read requests.
    func subscribe(_ page: EventPage) -> Int {
        ofProject[page.project, default: ProjectReaders()].pages.append(page)
        return register(.page(page), page.project)
    }

    private func register(_ reader: Reader, _ project: ProjectName?) -> Int {
        count += 1
        readers[count] = reader
        if let project { snapshots[project]?.subscribers.add(1) }
        return count
    }

    /// Removes the stream or page with this number.
    func unsubscribe(_ number: Int) {
        guard let reader = readers.removeValue(forKey: number) else { return }
        let project: ProjectName?
        switch reader {
        case .stream(let stream):
            project = stream.project
            if let group = stream.group { sharedFrames.leave(group) }
            stream.group = nil
            ofProject[project]?.streams.removeAll { $0 === stream }
        case .page(let page):
            project = page.project
            ofProject[project]?.pages.removeAll { $0 === page }
        }
        if let project { snapshots[project]?.subscribers.add(-1) }
        if let remaining = ofProject[project], remaining.streams.isEmpty, remaining.pages.isEmpty {
            ofProject[project] = nil
        }
    }

    /// Requests the next bytes of the log for the stream or page with this number.
    func requestRead(_ cursor: EventCursor, number: Int, _ project: ProjectName?, connected: [UInt8], limit: Int) {
        guard let mailbox = owner.mailbox else { return }
        let log = project.flatMap { snapshots[$0]?.log }
        guard project == nil || log != nil else { return }
        reader.read(
            EventReadRequest(
                stream: number, log: log, name: project, cursor: cursor, connected: connected, limit: limit
            ) {
                mailbox.post(.feature(EventStreamMessage.readResult($0)))
            })
    }

    func receive(_ reading: EventLogReadResult) {
        switch readers[reading.stream] {
        case .stream(let stream): stream.received(reading)
        case .page(let page): page.received(reading)
        case nil: break
        }
    }

    /// Starts to watch for the next end of the session's turn (``TurnEnds``), and returns the number of the watch.
    package func watchTurn(of session: String, _ project: ProjectName, holds: Bool) -> Int {
        turnEnds.watch(session, of: project, after: snapshots[project]?.log.summary.last, holds: holds)
    }

    /// Resumes the project's streams that wait for the response to a turn's request before they send the turn's end.
    func turnAnswered(_ project: ProjectName) { forEach(project) { $0.turnAnswered() } }

    // MARK: Pending streams

    func add(_ stream: any PendingStream) { pending[ObjectIdentifier(stream)] = stream }

    /// Requests from the hub the position at which a stream of this project begins.
    ///
    /// - Parameter completion: Called once with the position, if the stream is still pending when the position arrives.
    func requestPosition(
        _ project: ProjectName?, for stream: any PendingStream, completion: @escaping (LogPosition) -> Void
    ) {
        guard let mailbox = owner.mailbox else { return }
        count += 1
        positionRequests[count] = (ObjectIdentifier(stream), completion)
        hub.post(.requestPosition(project, loop: mailbox, number: count))
    }

    func receivedPosition(_ number: Int, _ position: LogPosition) {
        guard let request = positionRequests.removeValue(forKey: number), pending[request.stream] != nil else { return }
        request.completion(position)
    }

    /// Resolves the symbolic links of an absolute path on a thread that may wait for the disk.
    ///
    /// - Parameter completion: Called once with the resolved path, if the stream is still pending
    ///   when the path arrives.
    func resolve(_ path: [UInt8], for stream: any PendingStream, completion: @escaping ([UInt8]) -> Void) {
        guard let mailbox = owner.mailbox else { return }
        count += 1
        let number = count
        resolutions[number] = (ObjectIdentifier(stream), completion)
        reader.resolve(path) { mailbox.post(.feature(EventStreamMessage.resolved(number: number, path: $0))) }
    }

    fileprivate func resolved(_ number: Int, _ path: [UInt8]) {
        guard let resolution = resolutions.removeValue(forKey: number), pending[resolution.stream] != nil else {
            return
        }
        resolution.completion(path)
    }

    func remove(_ stream: any PendingStream) { pending[ObjectIdentifier(stream)] = nil }

    /// Records that a stream has opened this directory of an instance.
    func opened(_ directory: [UInt8], of route: RoutingTable.Route, run: UInt64) {
        hub.post(.opened(route.name, run: run, directory: directory))
    }

    // MARK: Updates

    func receive(_ updates: [EventUpdate]) {
        if let readers = ofProject[nil] {
            for stream in readers.streams { stream.updateArrived() }
            for page in readers.pages { page.updateArrived() }
        }
        for item in updates {
            switch item {
            case .snapshot(let snapshot):
                snapshots[snapshot.project] = snapshot
                forEach(snapshot.project) { $0.snapshotChanged(snapshot) }
                for page in ofProject[snapshot.project]?.pages ?? [] { page.updateArrived() }
                for stream in Array(pending.values) { stream.snapshotChanged() }
            case .events(let project, let items, let from, let to): publish(project, items: items, from: from, to: to)
            case .heartbeat(let project, let frame):
                forEach(project) { $0.heartbeat(frame) }
            case .comment(let project, let bytes): forEach(project) { $0.comment(bytes) }
            case .lost(let project): forEach(project) { $0.upstreamLost() }
            case .disposed(let project, let directory, let id):
                forEach(project) { $0.disposed(directory, id) }
            }
        }
    }

    /// Calls `body` for each stream of the project. The method iterates over a copy of the list, because a stream that
    /// ends during the call is removed from the list.
    private func forEach(_ project: ProjectName, _ body: (HubStream) -> Void) {
        for stream in ofProject[project]?.streams ?? [] { body(stream) }
    }

    /// Delivers new events of a project. The method creates the frames once for each group of streams
    /// with the same properties.
    private func publish(_ project: ProjectName, items: [LogItem], from: LogPosition, to: LogPosition) {
        guard let readers = ofProject[project] else { return }
        let now = owner.loop.now
        var made: [(group: SharedStreamFrames.Group, batch: EventBatch)] = []
        for page in readers.pages { page.updateArrived() }
        for stream in readers.streams {
            guard let group = stream.group, stream.isLive(at: from) else {
                stream.updateArrived()
                continue
            }
            if group.index >= made.count || made[group.index].group !== group {
                group.index = made.count
                made.append((group, stream.frames(of: items, upTo: to)))
            }
            stream.deliver(made[group.index].batch, at: now)
        }
    }
}

/// A message from the hub's threads to a loop.
package enum EventStreamMessage: FeatureMessage {
    /// Updates from the hub, in order.
    case updates([EventUpdate])
    /// The start position for the stream that requested a position with this number.
    case position(number: Int, LogPosition)
    /// The batch that the reader's thread has read for a stream or a page.
    case readResult(EventLogReadResult)
    /// The resolved path for the stream that requested the resolution with this number.
    case resolved(number: Int, path: [UInt8])
    /// The response to a turn's request was sent, so the project's streams may send the end of the turn.
    case turnAnswered(ProjectName)
    /// The bridge run with this number no longer needs to wait for streams.
    case turnReached(run: Int)

    /// Delivers the message to the method of the feature that handles it.
    package func deliver(to feature: EventStreamFeature) {
        switch self {
        case .updates(let updates): feature.receive(updates)
        case .position(let number, let position): feature.receivedPosition(number, position)
        case .readResult(let reading): feature.receive(reading)
        case .resolved(let number, let path): feature.resolved(number, path)
        case .turnAnswered(let project): feature.turnAnswered(project)
        case .turnReached(let run): feature.turnReached?(run)
        }
    }
}

extension EventStreamFeature: LoopFeature {
    /// Informs the pending requests of a new routing table.
    package func routesChanged() {
        for stream in Array(pending.values) { stream.routesChanged() }
    }

    /// Responds to the pending requests, because their streams cannot begin while the gateway is shutting down.
    package func drain() {
        for stream in Array(pending.values) { stream.giveUp() }
    }
}
