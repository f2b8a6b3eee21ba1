// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import GatewayCore
import HTTPServer
import HTTPTypes
internal import Instances
internal import Projects

/// The opening of one of the gateway's own streams, or of a page of events.
final class GatewayStreamOpening: PendingStreamKind {
    private unowned let events: EventStreamFeature
    let project: ProjectName?
    private var query: EventQuery
    private var children: ChildSessions?

    private init(_ events: EventStreamFeature, project: ProjectName?, query: EventQuery) {
        self.events = events
        self.project = project
        self.query = query
    }

    /// Starts to open the stream or the page that a query requests.
    static func start(
        _ events: EventStreamFeature, _ connection: ClientConnection, project: ProjectName?, query: EventQuery
    ) {
        PendingEventStream(
            events, connection, kind: GatewayStreamOpening(events, project: project, query: query),
            // A page contains the client's next position, so a request for a page does not wait until the
            // hub receives the events.
            beginning: StreamBeginning(isLate: query.wait != nil)
        ).start()
    }

    func prepare(_ stream: PendingEventStream) { stream.ready() }

    /// The routes of the instances whose events the stream sends.
    private var routes: [RoutingTable.Route] {
        let routes = events.owner.snapshot.routes
        guard let project else {
            return routes.reachable.filter { query.selector.projects?.contains($0.text) ?? true }
        }
        return routes.route(to: project).map { $0.isReachable ? [$0] : [] } ?? []
    }

    /// Whether the hub receives the events of all instances, as far as this loop knows. An instance whose events have
    /// been missing for a long time does not count.
    var receivesEvents: Bool {
        routes.allSatisfy { route in
            guard let snapshot = events.snapshot(of: route.name), snapshot.run == route.endpoint?.generation else {
                return false
            }
            return snapshot.receivesEvents(of: route)
                || StreamBeginning.isGivenUp(since: snapshot.since, now: WallClock.milliseconds)
        }
    }

    var isOutdated: Bool { false }

    /// Begins the stream at this position. After this position, the stream includes the events of a session's
    /// descendants, even if a descendant begins while the instances are queried for descendants.
    func open(_ stream: PendingEventStream, at position: LogPosition) {
        guard let session = query.selector.sessions?.first else { return openSelected(stream, at: position) }
        // The events do not report descendants that began before the first stored event, so query the
        // instances for these descendants.
        let children = ChildSessions(session, of: routes.compactMap(\.endpoint), events.owner) {
            [unowned self, unowned stream] in
            query.selector.sessions = $0
            openSelected(stream, at: position)
        }
        self.children = children
        children.start()
    }

    private var shape: EventShape {
        guard let project else { return query.wait == nil ? .all : .allItems }
        return query.wait == nil ? .project(project.string) : .item(project.string)
    }

    private func openSelected(_ stream: PendingEventStream, at position: LogPosition) {
        guard let connection = stream.release() else { return }
        var cursor = EventCursor(
            query.start, now: position, project: project?.string ?? "", shape: shape,
            isChunked: query.wait == nil && connection.head.version != .http10, selector: query.selector)
        cursor.encoding = query.encoding
        cursor.isOpenCode1Compatible = query.isOpenCode1Compatible
        cursor.maxRate = query.maxRate
        if let wait = query.wait {
            // A HEAD request does not wait, because its client does not read the page.
            let wait = connection.head.method == .head ? Duration.zero : .seconds(wait)
            return EventPage(events, connection, project: project, cursor: cursor, wait: wait).start()
        }
        let policy = connection.request.pinPolicy(of: events.owner.snapshot)
        let hubStream = HubStream(
            events, project: project, cursor: cursor, isPlain: false, connected: [], stall: policy.limits.streamStall)
        hubStream.start(
            connection, StreamHead.head(events.owner, connection), opening: StreamHead.retry() + [UInt8(ascii: "\n")])
    }

    func reroute() {}

    func expired(_ connection: ClientConnection) {}

    func cancel() { children = nil }
}
