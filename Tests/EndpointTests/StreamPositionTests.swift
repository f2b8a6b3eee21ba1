// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventHub
import EventLoop
import Instances
import Logging
import OpenCodeFamilies
import Projects
import TestKit
import Testing

@testable import EventStreaming
@testable import GatewayCore

/// A stream begins after the events that had arrived from the instance when its client requested it, regardless of how
/// many of them the hub had read by then.
@Suite struct StreamPositionTests {
    private static let home = "/home/vibe/demo"

    /// A hub on the test's own thread, and an instance that writes the test's bytes.
    private final class Stage: TimerHandler {
        let hub: HubLoop
        let mailbox: Mailbox<HubMessage>
        let instance: FakeOpenCode.Server
        let streams = Recorded<TestConnection>("an event stream")
        private let name: ProjectName
        private var trigger: Mailbox<Void>?
        private var meanwhile: (() throws -> Void)?
        /// The events and messages that the hub has published, in order.
        private(set) var reported: [String] = []
        private var awaited = ""
        private var loopMailbox: Mailbox<LoopMessage>?

        init() throws {
            let streams = streams
            instance = try FakeOpenCode().start { connection, _ in
                try connection.writeHead(
                    200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
                try connection.writeChunk(#"data: {"payload":{"type":"server.connected","properties":{}}}"# + "\n\n")
                streams.append(connection)
                _ = try connection.waitForEnd(within: .seconds(60))
            }
            name = try #require(ProjectName("demo"))
            let settings = HubSettings(
                folder: nil, limits: LogLimits(bytes: 1 << 24, time: .seconds(86_400)), total: 1 << 26)
            hub = try HubLoop(
                settings, policy: Policy(key: "secret"), control: NoProjects(), snapshots: HubSnapshots(),
                log: Logger(sink: LogKeeper(), level: .error))
            mailbox = try hub.openMailbox()
            let loop = try hub.loop.mailbox { [unowned self] (message: LoopMessage) in record(message) }
            loopMailbox = loop
            trigger = try hub.loop.mailbox { [unowned self] in
                do { try meanwhile?() } catch { Issue.record(error) }
            }
            mailbox.post(.loops([loop]))
            mailbox.post(.routes(routes))
            try run(until: "connected")
        }

        /// Ends the hub as its thread would: the hub releases the instance and this object.
        func stop() throws {
            mailbox.post(.stop)
            try hub.run()
        }

        private var routes: RoutingTable {
            let endpoint = InstanceEndpoint(
                address: .loopback(instance.port), authorization: nil, generation: 1, slot: 0)
            return RoutingTable([
                RoutingTable.Route(
                    name: name, state: .ready(address: .loopback(instance.port)), endpoint: endpoint,
                    scope: DirectoryScope(folder: home, resolved: home))
            ])
        }

        /// Runs one pass of the hub. It first runs `meanwhile`, whose effects the poll of the descriptors has not
        /// reported, and then handles the messages.
        func inOnePass(_ meanwhile: @escaping () throws -> Void) throws {
            self.meanwhile = meanwhile
            defer { self.meanwhile = nil }
            trigger?.post(())
            mailbox.post(.progress(slot: 0) { _ in })
            reported = []
            try run(until: "marked")
        }

        /// Requests a stream as a client would.
        func requestStream() {
            guard let loopMailbox else { return }
            mailbox.post(.requestPosition(name, loop: loopMailbox, number: 1))
        }

        private func record(_ message: LoopMessage) {
            guard case .feature(let message) = message, let message = message as? EventStreamMessage else { return }
            switch message {
            case .updates(let updates):
                for item in updates {
                    switch item {
                    case .events(_, let items, _, _): reported += items.map { _ in "event" }
                    case .snapshot(let view): if view.upstream == .connected { reported.append("connected") }
                    default: break
                    }
                }
            case .position: reported.append("marked")
            default: break
            }
            if reported.contains(awaited) { hub.loop.stop() }
        }

        /// Runs the hub until it has published `awaited`, for at most ten seconds.
        private func run(until awaited: String) throws {
            self.awaited = awaited
            let timer = hub.loop.timer(self)
            hub.loop.arm(timer, after: .seconds(10))
            try hub.loop.run()
            hub.loop.cancel(timer)
        }

        func timerFired(_ timer: LoopTimer) { hub.loop.stop() }
    }

    @Test func `a requested stream begins after the events that had already arrived`() throws {
        let stage = try Stage()
        let stream = try stage.streams.wait(forCount: 1)[0]
        let event = #"{"directory":"\#(Self.home)","payload":{"type":"session.idle","properties":{}}}"#
        try stage.inOnePass {
            try stream.writeChunk("data: \(event)\n\n")
            stage.requestStream()
        }

        #expect(stage.reported == ["event", "marked"])

        try stage.stop()
    }
}
