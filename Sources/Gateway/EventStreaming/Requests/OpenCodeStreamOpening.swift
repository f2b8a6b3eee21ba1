// SPDX-License-Identifier: Apache-2.0

import Addresses
import Encodings
import EventHub
package import GatewayCore
import HTTPServer
package import HTTPTypes
internal import Instances
import OpenCodeFamilies
internal import Projects
import Proxying

extension EventStreamFeature: InstanceRequestHandler {
    /// Serves a request for one of OpenCode's own event streams, unless the client requests the
    /// instance's own stream (`hub=0`).
    package func handle(_ request: inout InstanceRequest) -> Bool {
        guard EventStreamRequest.isPossible(request.target), request.connection.head.method == .get,
            let decision = EventStreamRequest.parse(
                request.connection.head, request.target, of: request.route,
                isOpenCode1Compatible: request.policy.isOpenCode1Compatible)
        else { return false }
        switch decision {
        case .hub(let stream): OpenCodeStreamOpening.start(self, request, for: stream)
        case .passes(let target):
            request.target = target
            request.withholdsLastEventID = true
            return false
        case .refused(let sentence): owner.refuse(request.connection, GatewayError(400, sentence))
        }
        return true
    }

    /// Returns whether the request opens an event stream of OpenCode 1 or OpenCode 2.
    package func waitsForInstance(_ head: RequestHead, _ target: ArraySlice<UInt8>) -> Bool {
        head.method == .get && EventStreamRequest.isOne(target)
    }
}

/// The opening of one of OpenCode's own streams.
///
/// The stream begins after the hub receives the events of the instance. The stream of a directory also waits until the
/// instance has opened the directory, as the instance does for its own streams.
final class OpenCodeStreamOpening: PendingStreamKind {
    private unowned let events: EventStreamFeature
    private let request: InstanceRequest
    private var streamRequest: EventStreamRequest
    private var opener: DirectoryOpening?

    private init(_ events: EventStreamFeature, _ request: InstanceRequest, for streamRequest: EventStreamRequest) {
        self.events = events
        self.request = request
        self.streamRequest = streamRequest
    }

    /// Starts to open the stream that a request names.
    static func start(_ events: EventStreamFeature, _ request: InstanceRequest, for streamRequest: EventStreamRequest) {
        PendingEventStream(
            events, request.connection, kind: OpenCodeStreamOpening(events, request, for: streamRequest),
            beginning: StreamBeginning(answerTimeout: request.policy.limits.answerTimeout)
        ).start()
    }

    private var owner: GatewayLoop { events.owner }
    private var route: RoutingTable.Route { request.route }
    private var policy: Policy { request.policy }

    var project: ProjectName? { route.name }

    func prepare(_ stream: PendingEventStream) {
        guard let path = streamRequest.unresolvedDirectory else { return openDirectory(for: stream) }
        events.resolve(path, for: stream) { [unowned self, unowned stream] in
            streamRequest.resolve($0)
            openDirectory(for: stream)
        }
    }

    /// Makes the instance open the stream's directory, unless the directory is already open.
    private func openDirectory(for stream: PendingEventStream) {
        guard let connection = stream.connection, let endpoint = route.endpoint else { return }
        if let directory = streamRequest.directory, !streamRequest.isTranslated,
            snapshot?.opened.contains(directory) != true
        {
            var fields = RequestForwarding.withoutLastEventID(
                RequestForwarding.fields(
                    of: connection.head, from: connection.peerBytes, isTrusted: policy.trusts(connection.peerAddress),
                    authorization: endpoint.authorization, isUpgrade: false, in: FieldList()))
            fields.removeSignIn(policy)
            opener = DirectoryOpening(owner.client, endpoint.address, target: streamRequest.target, fields: fields) {
                [unowned self, unowned stream] isAccepted in
                opened(directory, isAccepted, for: stream)
            }
        } else {
            stream.ready()
        }
    }

    private var snapshot: HubSnapshot? {
        guard let snapshot = events.snapshot(of: route.name), snapshot.run == route.endpoint?.generation else {
            return nil
        }
        return snapshot
    }

    private func opened(_ directory: [UInt8], _ isAccepted: Bool, for stream: PendingEventStream) {
        opener = nil
        guard isAccepted else { return forward(stream) }
        if let endpoint = route.endpoint {
            owner.answered(route, with: ResponseHead(status: 200), to: streamRequest.target)
            events.opened(directory, of: route, run: endpoint.generation)
        }
        stream.ready()
    }

    /// Forwards the request to the instance. The instance does not serve the stream, and the instance's response states
    /// the reason to the client.
    private func forward(_ stream: PendingEventStream) {
        guard stream.release() != nil else { return }
        var request = request
        request.target = streamRequest.target
        request.withholdsLastEventID = true
        owner.serve(request, after: events)
    }

    var receivesEvents: Bool { snapshot?.upstream == .connected && snapshot?.connected != nil }

    var isOutdated: Bool {
        owner.snapshot.routes.route(to: route.name)?.endpoint?.generation != route.endpoint?.generation
    }

    func open(_ stream: PendingEventStream, at position: LogPosition) {
        guard let snapshot = events.snapshot(of: route.name), let connection = stream.release() else { return }
        let connected =
            (streamRequest.isTranslated ? snapshot.translatedConnected : snapshot.connected)
            ?? ConnectedFrame.usual(streamRequest.isTranslated ? .one : route.endpoint?.family)
        let shape: EventShape = streamRequest.stream == .directory ? .payload : .line
        var selector = EventSelector()
        selector.directory = streamRequest.directory
        selector.alias = streamRequest.directoryAlias
        var cursor = EventCursor(
            streamRequest.start, now: position, project: route.text, shape: shape,
            isChunked: connection.head.version != .http10,
            selector: selector)
        cursor.isOpenCode1Compatible = streamRequest.isTranslated
        if streamRequest.isTranslated || route.endpoint?.family != .two {
            cursor.encoding = streamRequest.encoding ?? snapshot.encoding
        }
        cursor.maxRate = streamRequest.maxRate
        let hubStream = HubStream(
            events, project: route.name, cursor: cursor, isPlain: true, connected: connected.frame(shape),
            stall: policy.limits.streamStall)
        hubStream.start(
            connection, StreamHead.head(owner, connection),
            opening: StreamHead.retry() + OpenCodeEventID.renewed(in: connected.frame(shape)))
    }

    func reroute() { owner.reroute(request) }

    func expired(_ connection: ClientConnection) {
        owner.refuse(
            connection,
            GatewayError(
                504,
                "OpenCode instance for \(route.text) did not begin its event stream within \(policy.limits.answerTimeout.text(.setting)) (--answer-timeout). Check OpenCode's log."
            ))
    }

    func cancel() {
        opener?.cancel()
        opener = nil
    }
}
