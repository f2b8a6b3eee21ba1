import EventHub
import EventLoop
import HTTPServer
import Logging
import OpenCode
internal import Projects

/// One loop's side of the hub: what it knows of projects' events, and the streams that clients read here.
final class LoopEvents {
    unowned let owner: GatewayLoop
    private let reader: EventReaderThread
    private(set) var views: [ProjectName: HubView] = [:]
    private var streams: [Int: HubStream] = [:]
    private var ofProject: [ProjectName: [HubStream]] = [:]
    private var count = 0
    /// Requests for streams of instances that are about to be ready.
    private var waiting: [ObjectIdentifier: WaitingStream] = [:]
    /// Requests for streams whose first frame can't be sent yet.
    private var openings: [ObjectIdentifier: StreamOpening] = [:]

    init(_ owner: GatewayLoop, _ reader: EventReaderThread) {
        self.owner = owner
        self.reader = reader
    }

    func view(_ name: ProjectName) -> HubView? { views[name] }

    // MARK: Streams

    /// A stream begins; answers its number.
    func begin(_ stream: HubStream) -> Int {
        count += 1
        streams[count] = stream
        ofProject[stream.project, default: []].append(stream)
        views[stream.project]?.subscribers.add(1)
        return count
    }

    func end(_ stream: HubStream, number: Int) {
        guard streams.removeValue(forKey: number) != nil else { return }
        views[stream.project]?.subscribers.add(-1)
        ofProject[stream.project]?.removeAll { $0 === stream }
        if ofProject[stream.project]?.isEmpty ?? false { ofProject[stream.project] = nil }
    }

    /// Has the next bytes read for a stream.
    func read(_ cursor: EventCursor, for stream: HubStream, number: Int) {
        guard let mailbox = owner.mailbox, let view = views[stream.project] else { return }
        reader.read(
            ReadingOrder(
                loop: mailbox, stream: number, log: view.log, cursor: cursor, connected: stream.connectedFrame,
                limit: HubStream.portion))
    }

    func receive(_ reading: Reading) { streams[reading.stream]?.received(reading) }

    // MARK: Waiting

    func wait(_ stream: WaitingStream) { waiting[ObjectIdentifier(stream)] = stream }

    func stopWaiting(_ stream: WaitingStream) { waiting[ObjectIdentifier(stream)] = nil }

    func open(_ opening: StreamOpening) { openings[ObjectIdentifier(opening)] = opening }

    func stopOpening(_ opening: StreamOpening) { openings[ObjectIdentifier(opening)] = nil }

    /// There is a new routing table.
    func routesChanged() {
        for stream in Array(waiting.values) { stream.routesChanged() }
        for opening in Array(openings.values) { opening.routesChanged() }
    }

    /// The gateway is ending: what has not begun never will.
    func giveUp() {
        for stream in Array(waiting.values) { stream.giveUp() }
        for opening in Array(openings.values) { opening.giveUp() }
    }

    // MARK: News

    func receive(_ news: [EventNews]) {
        for item in news {
            switch item {
            case .view(let view):
                views[view.project] = view
                forEach(view.project) { $0.viewChanged(view) }
                for opening in Array(openings.values) { opening.viewChanged() }
            case .said(let project, let items, let from, let to): said(project, items, from, to)
            case .heartbeat(let project, let frame):
                forEach(project) { $0.heartbeat(frame) }
            case .comment(let project, let bytes): forEach(project) { $0.comment(bytes) }
            case .lost(let project): forEach(project) { $0.upstreamLost() }
            case .disposed(let project, let directory, let id):
                forEach(project) { $0.disposed(directory, id) }
            }
        }
    }

    /// Each stream may end, and so leave the list, meanwhile.
    private func forEach(_ project: ProjectName, _ body: (HubStream) -> Void) {
        for stream in ofProject[project] ?? [] { body(stream) }
    }

    /// The frames are made once for all streams that want the same of them.
    private func said(_ project: ProjectName, _ items: [LogItem], _ from: LogPlace, _ to: LogPlace) {
        guard let streams = ofProject[project] else { return }
        var made: [HubStream.Wish: EventPassage] = [:]
        for stream in streams {
            guard let wish = stream.wish, stream.isLive(at: from) else {
                stream.hasNews()
                continue
            }
            let passage: EventPassage
            if let known = made[wish] {
                passage = known
            } else {
                passage = stream.frames(of: items, upTo: to)
                made[wish] = passage
            }
            stream.deliver(passage)
        }
    }
}
