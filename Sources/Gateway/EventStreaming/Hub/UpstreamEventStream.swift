// SPDX-License-Identifier: Apache-2.0

import DirectoryPinning
import EventHub
import EventLoop
import GatewayCore
import HTTPClient
import HTTPTypes
internal import Instances
import Logging
import OpenCodeFamilies

/// A stream of an instance's events on the hub's thread. The stream buffers its frames until the project follows the
/// stream, and then passes the frames to the project.
final class UpstreamEventStream: UpstreamDelegate {
    private unowned let project: HubProject
    private let number: Int
    private var transfer: UpstreamTransfer?
    private var filter: EventFilter?
    private let sessionIndex: RunSessionIndex
    private var reader = FrameReader(limit: HubLoop.largestEvent)
    private var isFollowed = false
    private var isOpen = false
    /// The frames that have been read but not processed.
    private var frames: [FrameReader.Frame] = []
    /// The frames that arrived before the project followed the stream.
    private var waitingFrames: [FrameReader.Frame] = []
    private unowned let hub: HubLoop

    init(
        _ project: HubProject, hub: HubLoop, route: RoutingTable.Route, endpoint: InstanceEndpoint,
        traits: EventStreamTraits, number: Int
    ) {
        self.project = project
        self.number = number
        self.hub = hub
        sessionIndex = hub.sessionIndex.startRun(route, endpoint)
        if hub.policy.pinsDirectories, let scope = hub.routes.route(to: route.name)?.scope ?? route.scope {
            filter = EventFilter(scope, limit: HubLoop.largestEvent, sessionIndex: sessionIndex, log: hub.log)
        }
        var fields = FieldList()
        fields.append("Accept", "text/event-stream")
        if let authorization = endpoint.authorization {
            fields.append(name: Array("Authorization".utf8), value: authorization[...])
        }
        filter?.start(traits.path[...]) { [unowned self] in parse($0) }
        filter?.settled = { [unowned self] in deliverFrames() }
        transfer = hub.client.start(
            UpstreamRequest(
                instance: endpoint.address, method: .get, methodName: "GET", target: traits.path[...], fields: fields,
                body: .none, isAlone: true), delegate: self)
    }

    /// Passes the buffered frames and all further frames to the project.
    func follow() {
        guard !isFollowed else { return }
        isFollowed = true
        for frame in waitingFrames { project.receive(frame, sessionIndex.events) }
        waitingFrames = []
    }

    /// Cancels the stream and discards its buffered frames.
    func close() {
        transfer?.cancel()
        transfer = nil
        filter?.stop()
        filter = nil
        waitingFrames = []
    }

    /// Reads the bytes that have arrived so far.
    func readArrived() { transfer?.readArrived() }

    private func parse(_ bytes: borrowing Span<UInt8>) { reader.parse(bytes) { frames.append($0) } }

    /// Processes the frames that were read. Call this method only while no code accesses state that a frame may change,
    /// such as the session index.
    private func deliverFrames() {
        guard !frames.isEmpty else { return }
        let new = frames
        frames.removeAll(keepingCapacity: true)
        for frame in new {
            if isFollowed {
                project.receive(frame, sessionIndex.events)
                continue
            }
            waitingFrames.append(frame)
            if case .event(let data) = frame, EventSkeleton(line: data.span, family: family).isConnected {
                project.connected(number)
            }
        }
    }

    private var family: APIFamily { sessionIndex.endpoint.family ?? .one }

    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) {
        guard head.status == 200, head.isEventStream, framing != .none, !EventFilter.isEncoded(head) else {
            let status = head.status
            transfer?.cancel()
            transfer = nil
            filter?.stop()
            return project.refused(
                number,
                "Cannot subscribe to OpenCode's events (HTTP \(status)). This project's event streams are on hold until OpenCode recovers. Check its log."
            )
        }
        isOpen = true
        project.opened(number)
    }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        hub.progress.add(sessionIndex.endpoint.slot)
        project.received(number)
        if let filter {
            filter.pass(bytes)
        } else {
            parse(bytes)
            deliverFrames()
        }
        return true
    }

    func answerEnded(trailers: FieldList) { finish() }

    func answerFailed(_ failure: UpstreamFailure) { finish() }

    private func finish() {
        transfer = nil
        filter?.finish()
        deliverFrames()
        filter = nil
        project.ended(number)
    }

    func answerSettled() {}
    func uploadHasRoom() {}
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) {}
}
