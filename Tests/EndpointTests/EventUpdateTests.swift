// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import HTTPClient
import Instances
import Logging
import OpenCodeFamilies
import Projects
import Testing

@testable import DirectoryPinning
@testable import GatewayCore

/// A thread that forwards events must process the pending messages of other threads before it drops an event.
@Suite struct EventUpdateTests {
    private enum Message: Sendable {
        case sessionIndex(SessionIndexMessage)
        case routes(RoutingTable)
    }

    private final class Owner: SessionIndexOwner, TimerHandler {
        let loop: EventLoop
        let client: UpstreamClient
        let control: any ProjectControl = NoProjects()
        var routes = RoutingTable.empty
        let lookupTimeout = Duration.seconds(5)
        private(set) lazy var sessionIndex = LoopSessionIndex(self)
        private(set) var mailbox: Mailbox<Message>?

        init() throws {
            loop = try EventLoop()
            client = UpstreamClient(loop: loop)
            mailbox = try loop.mailbox { [unowned self] message in
                switch message {
                case .sessionIndex(let message): sessionIndex.receive(message)
                case .routes(let routes):
                    self.routes = routes
                    sessionIndex.follow(routes)
                }
            }
        }

        var hasUnread: Bool { mailbox?.hasUnread ?? false }
        var sessionIndexPost: (@Sendable (SessionIndexMessage) -> Void)? {
            guard let mailbox else { return nil }
            return { mailbox.post(.sessionIndex($0)) }
        }
        func broadcast(_ message: SessionIndexMessage) { sessionIndex.receive(message) }

        /// Runs the loop for a moment, until all messages are received.
        func settle() throws {
            let timer = loop.timer(self)
            loop.arm(timer, after: .milliseconds(20))
            try loop.run()
        }

        func timerFired(_ timer: LoopTimer) { if hasUnread { loop.arm(timer, after: .zero) } else { loop.stop() } }
    }

    private static let home = "/home/vibe/demo"
    private static let tree = "/home/vibe/trees/try"

    private static func table(_ worktrees: [String]) throws -> (RoutingTable, RoutingTable.Route, InstanceEndpoint) {
        let endpoint = InstanceEndpoint(address: .loopback(1), authorization: nil, generation: 1, slot: 0)
        let route = RoutingTable.Route(
            name: try #require(ProjectName("demo")), state: .ready(address: .loopback(1)), endpoint: endpoint,
            scope: DirectoryScope(folder: home, resolved: home, worktrees: worktrees))
        return (RoutingTable([route]), route, endpoint)
    }

    private static func event(_ directory: String) -> [UInt8] {
        Array("data: {\"directory\":\"\(directory)\",\"payload\":{\"type\":\"session.idle\"}}\n\n".utf8)
    }

    /// Returns the events that are forwarded immediately, and those forwarded after all messages were received.
    private func passed(_ events: [UInt8], telling worktrees: [String]?) throws -> (atOnce: [UInt8], later: [UInt8]) {
        let owner = try Owner()
        let (routes, route, endpoint) = try Self.table([])
        owner.routes = routes
        let run = owner.sessionIndex.startRun(route, endpoint)
        let scope = try #require(route.scope)
        let filter = EventFilter(
            scope, limit: 1 << 20, sessionIndex: run, log: Logger(sink: LogKeeper(), level: .error))
        var passed: [UInt8] = []
        filter.start(Array("/global/event".utf8)[...]) { bytes in
            for index in bytes.indices { passed.append(bytes[index]) }
        }
        // Another thread posts this before it forwards the request that causes the events.
        if let worktrees { owner.mailbox?.post(.routes(try Self.table(worktrees).0)) }
        filter.pass(events.span)
        let atOnce = passed
        try owner.settle()
        filter.stop()
        owner.loop.releaseHandlers()
        return (atOnce, passed)
    }

    @Test func `an event is forwarded if a pending message adds its directory to the project`() throws {
        let (own, inTree, foreign) = (Self.event(Self.home), Self.event(Self.tree), Self.event("/x"))
        let passed = try passed(own + inTree + foreign + own, telling: [Self.tree])

        #expect(passed.atOnce == own)
        #expect(passed.later == own + inTree + own)
    }

    @Test func `an event of a different directory is dropped immediately if no message is pending`() throws {
        let (own, inTree) = (Self.event(Self.home), Self.event(Self.tree))
        let passed = try passed(own + inTree + own, telling: nil)

        #expect(passed.atOnce == own + own)
        #expect(passed.later == passed.atOnce)
    }
}
